import { failure } from '../../nodes/MessagingSend/failures/failure';
import { Attempt, attemptFacts } from '../../nodes/MessagingSend/journal/crash/attempt';
import { pagesOf } from '../../nodes/MessagingSend/journal/identity';
import { FactList, type ListStorage } from '../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../nodes/MessagingSend/journal/list/facts';
import { messageAt } from './samples';

/** The entries of an open fact. */
const claimed = (fact: string) => [fact, `${fact}?`];

/** A list that all processes share. */
class SharedList {
  entries: readonly string[] = [];

  storage(): ListStorage {
    return {
      record: async (entries) => {
        const before = this.entries;
        this.entries = [...new Set([...before, ...entries])];
        return await Promise.resolve(new Set(entries.filter((entry) => before.includes(entry))));
      },
      remove: async (entries) => {
        this.entries = this.entries.filter((entry) => !entries.includes(entry));
        await Promise.resolve();
      },
      shorten: async () => await Promise.resolve(),
      waitForOthers: async () => await Promise.resolve(),
    };
  }
}

/** A process with one run, and the list that n8n keeps. */
function processOn(storage: ListStorage, now = () => 0, isShared = false) {
  const list = new FactList(now);
  /** Another run of the process, with its own access to the list. */
  const run = (own: ListStorage) => new Facts(list, own, 'secret', isShared);
  return { facts: run(storage), run };
}

const newFacts = (storage: ListStorage) => processOn(storage).facts;

/** Everything that a run has begun, even in the background. */
async function allWritten(facts: Facts): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await facts.list.turns.last;
}

/** The storage; each write is watched before it is made, or rejected by an error. */
const watched = (
  storage: ListStorage,
  { record, remove }: Partial<Record<'record' | 'remove', (entries: readonly string[]) => void>>,
): ListStorage => ({
  ...storage,
  record: async (entries) => {
    record?.(entries);
    return await storage.record(entries);
  },
  remove: async (entries) => {
    remove?.(entries);
    await storage.remove(entries);
  },
});

/** The storage with some methods replaced. */
const changed = (storage: ListStorage, own: Partial<ListStorage>): ListStorage => ({ ...storage, ...own });

test('Nobody wins a claim that others overwrite every time', async () => {
  const list = new SharedList();
  const waitForOthers = async () => {
    list.entries = ['of another process'];
    await Promise.resolve();
  };
  const facts = newFacts(changed(list.storage(), { waitForOthers }));
  await expect(facts.claim(['order'])).rejects.toThrow('overwrite');
  await allWritten(facts);
  expect(list.entries).toEqual(['of another process']);
});

test('The two entries of a fact are removed by one write', async () => {
  const list = new SharedList();
  const writes: Array<readonly string[]> = [];
  const names = Array.from({ length: 120 }, (_, index) => `fact ${index}`);
  const facts = newFacts(watched(list.storage(), { remove: (entries) => void writes.push(entries) }));
  await facts.record({ open: names, noted: ['other'] });
  facts.retract(['other']);
  facts.retract(names);
  await allWritten(facts);
  expect(list.entries).toEqual([]);
  expect(writes.length).toBeGreaterThan(1);
  for (const write of writes) {
    for (const [own, marker] of names.map(claimed)) {
      expect(write.includes(own ?? '')).toBe(write.includes(marker ?? ''));
    }
  }
});

test('A claim that the storage does not confirm leaves nothing behind', async () => {
  const list = new SharedList();
  let writes = 0;
  const record = () => {
    writes += 1;
    if (writes > 1) throw new Error('locked');
  };
  const facts = newFacts(watched(list.storage(), { record }));
  await expect(facts.claim(['order'])).rejects.toThrow('locked');
  await allWritten(facts);
  expect(list.entries).toEqual([]);
});

test('Entries that another process writes back during a question are removed again', async () => {
  const list = new SharedList();
  list.entries = ['present'];
  const storage = list.storage();
  let lost = 2;
  // Removals that the other process overwrites with the list as it had read it before.
  const remove = async (entries: readonly string[]) => {
    lost -= 1;
    if (lost < 0) await storage.remove(entries);
  };
  const facts = newFacts(changed(storage, { remove }));
  expect(await facts.ask(['present', 'missing'])).toEqual(['noted', 'unknown']);
  expect(list.entries).toEqual(['present']);
});

test('A fact that others rely on is written again until no process can overwrite it', async () => {
  const list = new SharedList();
  let now = 0;
  const { facts } = processOn(list.storage(), () => now, true);
  await facts.record({ open: ['order'] });
  facts.close(['order']);
  await allWritten(facts);
  const isWrittenAgain = async () => {
    list.entries = [];
    await facts.record({ noted: ['another'] });
    return list.entries.includes('order');
  };
  expect(await isWrittenAgain()).toBe(true);
  now = 3_000;
  await facts.record({ noted: ['another'] });
  expect(await isWrittenAgain()).toBe(false);
});

test('A fact that is claimed while its removal is queued stays in the list', async () => {
  const list = new SharedList();
  const facts = newFacts(list.storage());
  // More entries before it than are removed together.
  const others = Array.from({ length: 300 }, (_, index) => `other ${index}`);
  await facts.record({ open: ['order'], noted: others });
  facts.retract([...others, 'order']);
  const before = await facts.claim(['order']);
  await allWritten(facts);
  expect(before).toEqual(['unknown']);
  expect(list.entries.toSorted()).toEqual(claimed('order').toSorted());
});

test('A fact that is closed while its removal is queued stays in the list', async () => {
  const list = new SharedList();
  const facts = newFacts(list.storage());
  await facts.record({ open: ['order'] });
  const claim = facts.claim(['order', 'new']);
  facts.retract(['order']);
  facts.close(['order']);
  await claim;
  await allWritten(facts);
  expect(list.entries.toSorted()).toEqual([...claimed('new'), 'order'].toSorted());
});

test('Claiming a noted fact leaves it as it was', async () => {
  const list = new SharedList();
  const storage = list.storage();
  await newFacts(storage).record({ noted: ['order'] });
  const facts = newFacts(storage);
  const before = await facts.claim(['order']);
  await allWritten(facts);
  expect([before, list.entries]).toEqual([['noted'], ['order']]);
});

test('Simultaneous claims of one process are written together, and one claim for each fact wins', async () => {
  const list = new SharedList();
  let writes = 0;
  const facts = newFacts(watched(list.storage(), { record: () => void (writes += 1) }));
  const orders = Array.from({ length: 20 }, (_, index) => `order ${index}`);
  const claims = [...orders, 'order', 'order'].map(async (name) => await facts.claim([name]));
  const states = (await Promise.all(claims)).flat();
  await allWritten(facts);
  expect(states).toEqual([...orders.map(() => 'unknown'), 'unknown', 'open']);
  // No mark is left.
  expect(list.entries.toSorted()).toEqual([...orders, 'order'].flatMap(claimed).toSorted());
  expect(writes).toBeLessThanOrEqual(4);
});

test.each(['before', 'while'] as const)(
  'A fact that is claimed %s another process’s copy of a question is removed stays in the list',
  async (moment) => {
    const list = new SharedList();
    const storage = list.storage();
    const { facts, run } = processOn(storage);
    const claims: Array<ReturnType<Facts['claim']>> = [];
    let asked: readonly string[] | null = null;
    let removals = 0;
    const waitForOthers = async () => {
      if (moment === 'before' && claims.length === 0) claims.push(facts.claim(['order']));
      await Promise.all(claims);
      list.entries = [...new Set([...list.entries, ...(asked ?? [])])];
      asked = [];
    };
    const own = watched(changed(storage, { waitForOthers }), {
      record: (entries) => (asked ??= entries),
      remove: () => {
        removals += 1;
        if (removals === 2 && moment === 'while') claims.push(facts.claim(['order']));
      },
    });
    await run(own).ask(['order']);
    expect(await Promise.all(claims)).toEqual([['unknown']]);
    await allWritten(facts);
    expect(list.entries.toSorted()).toEqual(claimed('order').toSorted());
  },
);

test('Facts that a claim loses at once are free for other claims while the rest is confirmed', async () => {
  const list = new SharedList();
  list.entries = ['order'];
  const storage = list.storage();
  const claims: Array<ReturnType<Facts['claim']>> = [];
  const { facts, run } = processOn(storage);
  const waitForOthers = async () => {
    if (claims.length === 0) claims.push(facts.claim(['order']));
    await Promise.all(claims);
  };
  await run(changed(storage, { waitForOthers })).claim(['order', 'new']);
  expect(await claims[0]).toEqual(['noted']);
});

test('A question whose cleanup the storage rejects at first leaves nothing behind', async () => {
  const list = new SharedList();
  let removals = 0;
  const remove = () => {
    removals += 1;
    if (removals === 1) throw new Error('locked');
  };
  const facts = newFacts(watched(list.storage(), { remove }));
  await facts.ask(['missing']);
  await allWritten(facts);
  expect(list.entries).toEqual([]);
});

test('A fact that is released during a question about another fact keeps its state', async () => {
  const storage = new SharedList().storage();
  const { facts, run } = processOn(storage);
  await facts.record({ noted: ['sent'] });
  const record = () => facts.release(['sent']);
  expect(await run(watched(storage, { record })).ask(['sent', 'order'])).toEqual(['noted', 'unknown']);
});

test('A run writes its entries itself if another run, which was to write them, is stopped', async () => {
  const list = new SharedList();
  const refusing = changed(list.storage(), { record: jest.fn().mockRejectedValue(new Error('stopped')) });
  const { facts, run } = processOn(refusing);
  const stopped = facts.record({ noted: ['A'] });
  const other = run(list.storage()).record({ noted: ['B'] });
  await expect(stopped).rejects.toThrow('stopped');
  expect(await other).toBe(false);
  expect(list.entries).toEqual(['B']);
});

test('A page stays open until each of its messages has ended: another process finds it while a request is repeated', async () => {
  const list = new SharedList();
  const facts = newFacts(list.storage());
  const message = messageAt(0);
  const pages = pagesOf([message]);
  const attempt = new Attempt(facts, attemptFacts(facts, 'run', 1, pages), pages, [], () => undefined);
  expect(await attempt.begin([message])).toBe(false);
  const { length } = list.entries;
  expect(await attempt.begin([message])).toBe(false);
  await allWritten(facts);
  expect(list.entries).toHaveLength(length);
  attempt.settle([{ message, outcome: { kind: 'not_sent', failure: failure('stopped') } }]);
  await allWritten(facts);
  expect(list.entries).toHaveLength(length - 2);
});
