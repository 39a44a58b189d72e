/** 'Send Once, Across Executions' and the list in n8n's database: how long it is, who writes it, and when it refuses. */

import { contacts, phoneAt } from '../support/contacts';
import { processedData } from '../support/engine/processedData';
import { inBatchesOf, SEND, SEND_BULK, SENDING_OPERATIONS } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';
import { BY_ORDER, keyed, once, outcomesOf, phones, sendOnceIn } from '../support/sendOnce';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());
const { run, received } = sendOnceIn(sandbox);

test.each(SENDING_OPERATIONS)('No write of %s shortens the list', async (_name, parameters) => {
  const allowed = new Set<number>();
  processedData.set({ onCheck: (maxEntries) => allowed.add(maxEntries) });
  await run(contacts(3), once(parameters, { rememberLast: 1 }));
  expect([...allowed]).toEqual([0]);
});

test('A run that remembers nothing, or less, forgets nothing that others remember', async () => {
  await run(contacts(3), once(SEND_BULK, { rememberLast: 20_000 }));
  processedData.fill(Array.from({ length: 15_000 }, (_, index) => `other ${index}`));
  await run(contacts(5).slice(3), SEND_BULK);
  expect(outcomesOf(await run(contacts(3), once(SEND_BULK, { rememberLast: 20_000 })))).toEqual(
    Array(3).fill('skipped'),
  );
});

test('Of two workers that write at the same moment, one sends', async () => {
  // The first one's writes are overwritten by the other's.
  for (let lost = 1; lost <= 8; lost += 1) {
    sandbox().reset();
    processedData.reset();
    processedData.set({ loses: (number) => number === lost });
    const both = [await run(contacts(2), once(SEND_BULK)), await run(contacts(2), once(SEND_BULK))];
    expect(received()).toEqual(phones(0, 1));
    expect(both.flatMap(outcomesOf).filter((outcome) => outcome === 'sent')).toHaveLength(2);
  }
});

test('The storage refuses in the middle: what is not reserved is not sent', async () => {
  for (let first = 1; first <= 12; first += 1) {
    sandbox().reset();
    processedData.reset();
    processedData.set({ refuses: (number) => number >= first });
    const ran = await run(contacts(4), inBatchesOf(1, once(SEND_BULK, { parallelRequests: 1 })));
    const sent = outcomesOf(ran).filter((outcome) => outcome === 'sent').length;
    expect(received()).toHaveLength(sent);
  }
});

test('No number, text, key or API key is stored', async () => {
  await run([keyed(0, 'Hello there', 'Order A1')], once(SEND, BY_ORDER));
  const stored = JSON.stringify(processedData.calls);
  for (const secret of [phoneAt(0), 'Hello there', 'Order A1', accountOf(sandbox()).apiKey]) {
    expect(stored).not.toContain(secret);
  }
  expect(processedData.entries.length).toBeGreaterThan(0);
});
