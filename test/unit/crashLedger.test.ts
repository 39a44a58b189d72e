import { CrashLedger } from '../../nodes/MessagingSend/journal/crash/crashLedger';
import { pagesOf } from '../../nodes/MessagingSend/journal/crash/pages';
import { FactList, type ListStorage } from '../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../nodes/MessagingSend/journal/list/facts';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import { questionOf } from '../support/journal';
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
  const { repeated } = questionOf(list);
  const question = { all: list, pending: list, sent: new Set<Message>(), repeated, sendUncertainAgain: false };
  const known = new Set((await ledger.recall(question)).results.map(({ message }) => message));
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

const planned = (changes: ReadonlyArray<Partial<Message>>) =>
  pagesOf(changes.map((changed, index) => messageAt(index, changed)));

const before = Array<Partial<Message>>(5).fill({});

describe('Two attempts have the same texts only if', () => {
  test.each<[string, Array<Partial<Message>>, Array<Partial<Message>>]>([
    ['each text ends where it ended', [{ text: 'ab' }, { text: 'c' }], [{ text: 'a' }, { text: 'bc' }]],
    [
      'each ends there in a longer list',
      [...before, { text: 'ab' }, { text: 'c' }],
      [...before, { text: 'a' }, { text: 'bc' }],
    ],
    ['none is a key now', [{ text: '["key",null]' }], [{ text: 'Hello', key: 'key' }]],
    ['no key has changed', [{ key: 'key 1' }], [{ key: 'key 2' }]],
  ])('%s', (_what, one, other) => {
    expect(planned(one).contents).toBe(planned(one).contents);
    expect(planned(one).contents).not.toBe(planned(other).contents);
  });
});

test('A key stands for its text', () => {
  const [one, other] = [planned([{ key: 'key', text: 'at 1' }]), planned([{ key: 'key', text: 'at 2' }])];
  expect(other.contents).toBe(one.contents);
});

test.each<[string, Array<Partial<Message>>, Array<Partial<Message>>]>([
  ['the phone of one', [{}], [{ phone: messageAt(5).phone }]],
  ['the place of one', [{}], [{ item: 5 }]],
  [
    'a phone and the place behind it',
    [...before, { phone: '44770090006' }, { item: 164 }],
    [...before, { phone: '447700900061' }, { item: 64 }],
  ],
])('Messages are others if %s is another', (_what, one, other) => {
  expect(planned(one).places).toBe(planned(one).places);
  expect(planned(one).places).not.toBe(planned(other).places);
});
