/** 'Send Once, Also in Later Runs' and the list in n8n's database: its length, its writers, its rejections. */
import { processedData } from '../../tools/engine/processedData';
import { contacts, phoneAt, phones } from '../support/contacts';
import { outcomesOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SENDING_OPERATIONS } from '../support/parameters';
import { accountOf } from '../support/sandbox';
import { BY_ORDER, keyed, once, sendOnceForTests } from '../support/sendOnce';

/** Called when a request arrives. */
let onRequest: () => void = () => undefined;
const { sandbox, run, received, requests } = sendOnceForTests({ onRequest: () => onRequest() });
beforeEach(() => (onRequest = () => undefined));

test.each(SENDING_OPERATIONS)('No write of %s shortens the list', async (_name, parameters) => {
  const allowed = new Set<number>();
  processedData.set({ onCheck: (maxEntries) => allowed.add(maxEntries) });
  await run(contacts(3), once(parameters));
  expect([...allowed]).toEqual([0]);
});

test('No number, text, key or API key is stored', async () => {
  await run([keyed(0, 'Hello there', 'Order A1')], once(SEND, BY_ORDER));
  const stored = JSON.stringify(processedData.calls);
  for (const secret of [phoneAt(0), 'Hello there', 'Order A1', accountOf(sandbox()).apiKey]) {
    expect(stored).not.toContain(secret);
  }
  expect(processedData.entries.length).toBeGreaterThan(0);
});

test('The node waits for a database that is locked in the middle of a campaign, and everything is sent', async () => {
  let lockedUntil = 0;
  processedData.set({ refuses: () => Date.now() < lockedUntil });
  onRequest = () => {
    if (requests().length === 3) lockedUntil = Date.now() + 1_500;
  };
  const ran = await run(contacts(5), inBatchesOf(1, once(SEND_BULK, { parallelRequests: 1, longestWait: 1 })));
  expect(lockedUntil).toBeGreaterThan(0);
  expect(outcomesOf(ran)).toEqual(Array(5).fill('sent'));
  expect(received()).toHaveLength(5);
});

test('The next run releases messages that could not be released while the database was locked', async () => {
  let isLocked = false;
  processedData.set({ refuses: () => isLocked });
  onRequest = () => (isLocked = true);
  sandbox().setFaults([{ kind: 'status', status: 422, times: 1 }]);
  const parameters = inBatchesOf(1, once(SEND_BULK, { parallelRequests: 1 }));
  expect(outcomesOf(await run(contacts(1), parameters))).toEqual(['not_sent']);
  [isLocked, onRequest] = [false, () => undefined];
  expect(outcomesOf(await run(contacts(2).slice(1), parameters))).toEqual(['sent']);
  expect(outcomesOf(await run(contacts(1), parameters))).toEqual(['sent']);
  expect(received()).toEqual(phones(0, 1));
});
