/** Retries of long lists after a kill: what is uncertain, and what is sent now. */
import { inFlight, Lifetime } from '../../tools/engine/lifetime';
import { contacts, phoneAt } from '../support/contacts';
import { arrivals, type Campaign, outcomes } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Setup } from '../support/engine/workflow';
import { inBatchesOf, oneByOne, SEND_BULK, withOptions } from '../support/parameters';
import { reasonsOf } from '../support/sendOnce';

const { sandbox, campaign, run, received } = nodeForTests();
const ONCE = { duplicateMessages: 'sendOnceEver' };
const another = { phone: '447700911111', text: 'New' };

/** How many messages ended in each way, after a last Retry with these items; nobody got a message twice. */
async function ends(killed: Campaign, changes?: Partial<Setup>): Promise<Record<string, number>> {
  const fates = await killed.finish(changes);
  expect(Math.max(...arrivals(fates))).toBe(1);
  const counts: Record<string, number> = {};
  for (const outcome of outcomes(fates)) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
  return counts;
}

test.each<[string, (items: ReturnType<typeof contacts>) => ReturnType<typeof contacts>]>([
  ['removed', (items) => items.toSpliced(50, 1)],
  ['added in front', (items) => [another, ...items]],
  ['added at the end', (items) => [...items, another]],
  ['corrected', (items) => items.toSpliced(250, 1, another)],
  ['left as it was', (items) => items],
])(
  'Of 500 rows, killed in the third request, a row that is %s makes only its neighbors uncertain',
  async (_how, edit) => {
    const killed = campaign({ items: contacts(500), parameters: oneByOne(SEND_BULK) });
    await killed.run(inFlight(3));
    const items = edit(contacts(500));
    const { uncertain = 0, sent = 0 } = await ends(killed, { items });
    expect(sent + uncertain).toBe(items.length);
    expect(uncertain).toBeGreaterThanOrEqual(99);
    // The request in flight, the rest of its first and last page, and the page of the row with the one behind it.
    expect(uncertain).toBeLessThanOrEqual(100 + 2 * 3 + 2 * 4);
  },
);

test('Of 5,000 rows, a twentieth of which is kept back, none is uncertain if n8n is killed after all were confirmed', async () => {
  const optedOut = contacts(5_000).flatMap(({ phone }, index) => (index % 20 === 7 ? [phone] : []));
  const parameters = withOptions(SEND_BULK, { neverSendTo: optedOut.join('\n') });
  const killed = campaign({ items: contacts(5_000), parameters });
  await killed.runAndForget('kept');
  expect(await ends(killed)).toEqual({ sent: 4_750, skipped: 250 });
  expect(received()).toHaveLength(4_750);
});

test('Of 5,000 rows, of which other executions have sent 4,750, those in flight are uncertain, and the rest of their pages', async () => {
  await campaign({ items: contacts(4_750), parameters: withOptions(SEND_BULK, ONCE) }).run();
  const parameters = withOptions(inBatchesOf(50, oneByOne(SEND_BULK)), ONCE);
  const killed = campaign({ items: contacts(5_000), parameters });
  await killed.run(inFlight(1));
  const { uncertain = 0, skipped, sent } = await ends(killed);
  expect(skipped).toBe(4_750);
  expect((sent ?? 0) + uncertain).toBe(250);
  expect(uncertain).toBeGreaterThanOrEqual(50);
  // A page of such a list has at most 64 messages.
  expect(uncertain).toBeLessThanOrEqual(50 + 2 * 64);
});

test('A run with send once leaves out whom a list without it has sent something, and whom it may have', async () => {
  const lifetime = new Lifetime();
  const parameters = inBatchesOf(2, oneByOne(SEND_BULK));
  sandbox().setFaults([{ kind: 'reset-after', after: 1, times: 1 }]);
  await run({ items: contacts(4), parameters, lifetime, onError: 'continueRegularOutput' });
  const again = await run({ items: contacts(5), parameters: withOptions(parameters, ONCE), lifetime });
  const [sent, maybe] = ['sent_before', 'may_have_been_sent'];
  expect(reasonsOf(again)).toEqual([sent, sent, maybe, maybe, undefined]);
  expect(received()).toEqual([0, 1, 2, 3, 4].map(phoneAt));
});
