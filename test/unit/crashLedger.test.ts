import { failure } from '../../nodes/MessagingSend/failures/failure';
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
async function attemptOn(entries: Set<string>, isRetry = false): Promise<CrashLedger> {
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
  const start = { isRetry, followsKill: false };
  const ledger = new CrashLedger(facts, { lineage: 'token', ordinal: 0 }, { attempts: 0 }, start);
  await ledger.hasGap();
  return ledger;
}

/** @returns the messages that an earlier attempt has not sent for certain, or not at all */
async function recall(ledger: CrashLedger, list: readonly Message[]): Promise<readonly Message[]> {
  const { pastOf } = await ledger.recall(intentOf(list));
  return list.filter((message) => pastOf(message) === undefined);
}

test('A request that another process has begun is taken', async () => {
  const entries = new Set<string>();
  const [first, second] = [await attemptOn(entries), await attemptOn(entries)];
  for (const ledger of [first, second]) await recall(ledger, messages);
  expect(await first.beforeRequest(batch)).toBe(false);
  expect(await second.beforeRequest(batch)).toBe(true);
  // What the second one gives up stays noted for the first one.
  const noted = [...entries];
  const outcome = { kind: 'not_sent', failure: failure('anotherAttempt') } as const;
  second.settle(messages.map((message) => ({ message, outcome })));
  await second.end();
  expect([...entries]).toEqual(noted);
});

test.each([0, 1, 2])(
  'A Retry sends what a killed attempt had not begun, and bars it: request %i in flight',
  async (count) => {
    const four = [0, 1, 2, 3].map((index) => messageAt(index));
    const entries = new Set<string>();
    const killed = await attemptOn(entries);
    await recall(killed, four);
    await killed.beforeRequest({ number: 1, messages: four.slice(0, count) });
    const retry = await attemptOn(entries, true);
    expect(await recall(retry, four)).toEqual(four.slice(count));
    if (count === 0) return;
    await retry.beforeRequest({ number: 2, messages: four.slice(count) });
    expect(await killed.beforeRequest({ number: 3, messages: four.slice(count) })).toBe(true);
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
