import type { Attempt } from '../../nodes/MessagingSend/journal/crash/attempt';
import { CrashLedger } from '../../nodes/MessagingSend/journal/crash/crashLedger';
import { pagesOf } from '../../nodes/MessagingSend/journal/identity';
import { FactList, type ListStorage } from '../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../nodes/MessagingSend/journal/list/facts';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import { intentOf } from '../support/journal';
import { messageAt } from './samples';

/**
 * An attempt of one process at these messages, with the entries that all processes share, and those of them of which nothing
 * is known.
 */
async function attemptOn(
  entries: Set<string>,
  messages: readonly Message[],
  isRetry = false,
): Promise<{ attempt: Attempt; pending: readonly Message[] }> {
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
  const { noted, attempt } = await ledger.recall(intentOf(messages));
  return { attempt, pending: messages.filter((message) => noted?.pastOf(message) === undefined) };
}

test.each([0, 1, 2])(
  'A Retry sends what a killed attempt had not begun, and bars it: request %i in flight',
  async (count) => {
    const four = [0, 1, 2, 3].map((index) => messageAt(index));
    const entries = new Set<string>();
    const killed = await attemptOn(entries, four);
    if (count > 0) await killed.attempt.begin(four.slice(0, count));
    const retry = await attemptOn(entries, four, true);
    expect(retry.pending).toEqual(four.slice(count));
    await retry.attempt.begin(four.slice(count));
    expect(await killed.attempt.begin(four.slice(count))).toBe(true);
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
