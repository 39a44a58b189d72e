import { CrashLedger } from '../../nodes/MessagingSend/journal/crash/crashLedger';
import { pagesOf } from '../../nodes/MessagingSend/journal/identity';
import { FactList, type ListStorage } from '../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../nodes/MessagingSend/journal/list/facts';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import { intentOf } from '../support/journal';
import { messageAt } from './samples';

const messages = [0, 1].map((index) => messageAt(index));
const batch = { number: 1, messages };

/** The attempt of one process at a run, with the entries that all processes share. */
async function attemptOn(entries: Set<string>, isRetry = false): Promise<{ ledger: CrashLedger; facts: Facts }> {
  const storage: ListStorage = {
    record: async (added) => {
      const present = new Set(added.filter((entry) => entries.has(entry)));
      for (const entry of added) entries.add(entry);
      return await Promise.resolve(present);
    },
    remove: async (removed) => {
      for (const entry of removed) entries.delete(entry);
      await Promise.resolve();
    },
    shorten: async () => await Promise.resolve(),
    waitForOthers: async () => await Promise.resolve(),
  };
  const facts = new Facts(new FactList(() => 0), storage, 'secret', false);
  const ledger = new CrashLedger(facts, { lineage: 'token', ordinal: 0 }, { attempts: 0 });
  await ledger.start({ isRetry, followsKill: false });
  return { ledger, facts };
}

/** @returns the messages that an earlier attempt has not sent for certain, or not at all */
async function recall(ledger: CrashLedger, list: readonly Message[]): Promise<readonly Message[]> {
  const { results } = await ledger.recall(intentOf(list), { pending: list, sent: new Set() });
  const known = new Set(results.map(({ message }) => message));
  return list.filter((message) => !known.has(message));
}

test('A request that another process has begun is taken', async () => {
  const entries = new Set<string>();
  const [first, second] = [await attemptOn(entries), await attemptOn(entries)];
  for (const { ledger } of [first, second]) await recall(ledger, messages);
  expect(await first.ledger.beforeRequest(batch)).toBe(false);
  expect(await second.ledger.beforeRequest(batch)).toBe(true);
  // What the second one gives up stays noted for the first one.
  const noted = [...entries];
  second.ledger.afterReply(batch, null);
  await second.facts.whenWritten();
  expect([...entries]).toEqual(noted);
});

test('A request that is repeated is not taken, even if another process wrote back the notes of its first attempt', async () => {
  const entries = new Set<string>();
  const { ledger, facts } = await attemptOn(entries);
  await recall(ledger, messages);
  expect(await ledger.beforeRequest(batch)).toBe(false);
  const before = [...entries];
  ledger.afterReply(batch, null);
  await facts.whenWritten();
  expect(entries.size).toBeLessThan(before.length);
  for (const entry of before) entries.add(entry);
  expect(await ledger.beforeRequest(batch)).toBe(false);
});

test.each([0, 1, 2])(
  'A Retry sends what a killed attempt had not begun, and bars it: request %i in flight',
  async (count) => {
    const four = [0, 1, 2, 3].map((index) => messageAt(index));
    const entries = new Set<string>();
    const killed = await attemptOn(entries);
    await recall(killed.ledger, four);
    await killed.ledger.beforeRequest({ number: 1, messages: four.slice(0, count) });
    const retry = await attemptOn(entries, true);
    expect(await recall(retry.ledger, four)).toEqual(four.slice(count));
    if (count === 0) return;
    await retry.ledger.beforeRequest({ number: 2, messages: four.slice(count) });
    expect(await killed.ledger.beforeRequest({ number: 3, messages: four.slice(count) })).toBe(true);
  },
);

const planned = (...changes: Array<Partial<Message>>) =>
  pagesOf(changes.map((changed, index) => messageAt(index, changed)));

test('Two attempts have the same texts only if each text ends where it ended, and none is a key now', () => {
  const [ab, abc] = [planned({ text: 'ab' }, { text: 'c' }), planned({ text: 'a' }, { text: 'bc' })];
  expect(ab.contents).not.toBe(abc.contents);
  expect(planned({ text: '["key",null]' }).contents).not.toBe(planned({ text: 'Hello', key: 'key' }).contents);
  expect(planned({ key: 'key 1' }).contents).not.toBe(planned({ key: 'key 2' }).contents);
});

test('A key stands for its text', () => {
  expect(planned({ key: 'key', text: 'at 1' }).contents).toBe(planned({ key: 'key', text: 'at 2' }).contents);
});

test('Messages are others if the phone or the place of one is another', () => {
  expect(planned({ text: 'Other' }).places).toBe(planned({}).places);
  expect(planned({ phone: messageAt(5).phone }).places).not.toBe(planned({}).places);
  expect(planned({ item: 5 }).places).not.toBe(planned({}).places);
  const [one, other] = [
    planned({ phone: '44770090006' }, { item: 164 }),
    planned({ phone: '447700900061' }, { item: 64 }),
  ];
  expect(one.places).not.toBe(other.places);
});
