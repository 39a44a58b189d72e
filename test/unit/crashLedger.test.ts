import { CrashLedger } from '../../nodes/MessagingSend/journal/crash/crashLedger';
import { DIGESTED_TOGETHER, planOf } from '../../nodes/MessagingSend/journal/crash/plan';
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
  const ledger = new CrashLedger(facts, { lineage: 'token', ordinal: 0 }, []);
  await ledger.start({ isRetry, followsKill: false });
  return { ledger, facts };
}

async function recall(ledger: CrashLedger, list: readonly Message[]): Promise<readonly Message[]> {
  const { pending } = await ledger.recall(questionOf(list), list, 1);
  return pending.flat();
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

test('After a request with a message that the first try did not have, a Retry sends nothing that may have left', async () => {
  const four = [0, 1, 2, 3].map((index) => messageAt(index));
  for (const isAdded of [false, true]) {
    const entries = new Set<string>();
    const { ledger } = await attemptOn(entries);
    await recall(ledger, four);
    const second = [messageAt(0), messageAt(isAdded ? 9 : 1)];
    await recall(ledger, second);
    await ledger.beforeRequest({ number: 1, messages: second });
    const { ledger: retry } = await attemptOn(entries, true);
    expect(await recall(retry, four)).toEqual(isAdded ? [] : four.slice(2));
  }
});

const planned = (changes: ReadonlyArray<Partial<Message>>) =>
  planOf(
    'run',
    changes.map((changed, index) => messageAt(index, changed)),
  );

// Of two messages behind these, the first is the last one that is digested together with them.
const before = Array<Partial<Message>>(DIGESTED_TOGETHER - 1).fill({});

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
    expect(planned(one).texts).toBe(planned(one).texts);
    expect(planned(one).texts).not.toBe(planned(other).texts);
  });
});

test('A key stands for its text', () => {
  const [one, other] = [planned([{ key: 'key', text: 'at 1' }]), planned([{ key: 'key', text: 'at 2' }])];
  expect(other.texts).toBe(one.texts);
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
  expect(planned(one).allSent).toBe(planned(one).allSent);
  expect(planned(one).allSent).not.toBe(planned(other).allSent);
});
