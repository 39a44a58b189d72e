import { failure } from '../../nodes/MessagingSend/failures/failure';
import { Attempt, attemptNames } from '../../nodes/MessagingSend/journal/crash/attempt';
import { CrashLedger } from '../../nodes/MessagingSend/journal/crash/crashLedger';
import { LENGTHS, pagesOf } from '../../nodes/MessagingSend/journal/crash/pages';
import { DeliveryRecord } from '../../nodes/MessagingSend/journal/deliveryRecord';
import { Journal } from '../../nodes/MessagingSend/journal/journal';
import { FactList, type ListStorage } from '../../nodes/MessagingSend/journal/list/factList';
import { digestOf, Facts } from '../../nodes/MessagingSend/journal/list/facts';
import { Reservations } from '../../nodes/MessagingSend/journal/reservations';
import { failed, type Row, settle } from '../../nodes/MessagingSend/messages/row';
import { intentOf, noPause, rowAt, rowsUpTo, SENT } from './samples';

/** The entries of an open fact. */
const claimed = (fact: string) => [fact, `${fact}?`];

const refuse = async () => await Promise.reject(new Error('read ECONNRESET'));
const NOTHING = () => new Set<Row>();

/** A list that all processes share. */
function sharedList(first: readonly string[]) {
  const list: ListStorage & { entries: readonly string[] } = {
    entries: first,
    add: async (entries) => {
      const before = list.entries;
      list.entries = [...new Set([...before, ...entries])];
      return await Promise.resolve(new Set(entries.filter((entry) => before.includes(entry))));
    },
    remove: async (entries) => {
      list.entries = list.entries.filter((entry) => !entries.includes(entry));
      await Promise.resolve();
    },
    shorten: async () => await Promise.resolve(),
    waitForOthers: async () => await Promise.resolve(),
  };
  return list;
}

/** Another way to do some of it, or what is called before it: an error refuses it. */
interface Own extends Partial<Pick<ListStorage, 'add' | 'remove' | 'waitForOthers'>> {
  readonly beforeAdd?: (entries: readonly string[]) => void;
  readonly beforeRemove?: (entries: readonly string[]) => void;
}

/** A list that n8n keeps, and a process with one run. */
function setUp(own: Own = {}, { entries = [] as string[], now = (): number => 0, isShared = false } = {}) {
  const shared = sharedList(entries);
  const list = new FactList(now);
  /** Another run of the process, with its own way to the list. */
  const run = ({ beforeAdd, beforeRemove, ...changed }: Own): Facts => {
    const storage = { ...shared, ...changed };
    const watched: ListStorage = {
      ...storage,
      add: async (given) => {
        beforeAdd?.(given);
        return await storage.add(given);
      },
      remove: async (given) => {
        beforeRemove?.(given);
        await storage.remove(given);
      },
    };
    return new Facts(list, watched, 'secret', isShared);
  };
  return {
    shared,
    facts: run(own),
    run,
    /** What is in the list when everything that a run has begun has ended, in the background too. */
    left: async () => {
      for (let turn = 0; turn < 20; turn += 1) await list.turns.last;
      return shared.entries.toSorted();
    },
  };
}

test('Nobody wins a claim that others overwrite each time', async () => {
  const waitForOthers = async () => await Promise.resolve(void (shared.entries = ['of another process']));
  const { shared, facts, left } = setUp({ waitForOthers });
  await expect(facts.claim(['order'])).rejects.toThrow('overwrite');
  expect(await left()).toEqual(['of another process']);
});

test('The two entries of a fact are removed by one write', async () => {
  const writes: Array<readonly string[]> = [];
  const names = Array.from({ length: 120 }, (_, index) => `fact ${index}`);
  const { facts, left } = setUp({ beforeRemove: (entries) => writes.push(entries) });
  await facts.store({ open: names, noted: ['other'] });
  facts.change({ facts: ['other'], to: 'unknown' });
  facts.change({ facts: names, to: 'unknown' });
  expect(await left()).toEqual([]);
  expect(writes.length).toBeGreaterThan(1);
  for (const write of writes) {
    for (const [own, marker] of names.map(claimed)) {
      expect(write.includes(own ?? '')).toBe(write.includes(marker ?? ''));
    }
  }
});

test('A claim that the storage refuses to confirm leaves nothing behind', async () => {
  let writes = 0;
  const beforeAdd = () => {
    writes += 1;
    if (writes > 1) throw new Error('locked');
  };
  const { facts, left } = setUp({ beforeAdd });
  await expect(facts.claim(['order'])).rejects.toThrow('locked');
  expect(await left()).toEqual([]);
});

test('What another process writes back while the list is asked is removed again', async () => {
  let lost = 2;
  // Removals that the other process overwrites with what it had read before.
  const remove = async (entries: readonly string[]) => {
    lost -= 1;
    if (lost < 0) await shared.remove(entries);
  };
  const { shared, facts } = setUp({ remove }, { entries: ['present'] });
  expect(await facts.ask(['present', 'missing'])).toEqual(['noted', 'unknown']);
  expect(shared.entries).toEqual(['present']);
});

test('What a run has noted is written again whenever another process has overwritten it, until the run ends', async () => {
  const { shared, facts, left } = setUp({}, { isShared: true });
  const write = async () => void (await facts.store({ noted: ['start'] }));
  await write();
  // The other process has read the list before the order is in it.
  const { entries } = shared;
  const orders = ['order', 'another'];
  await facts.store({ open: orders });
  facts.change({ facts: orders, to: 'noted' });
  await left();
  const isWrittenAgain = async () => {
    shared.entries = entries;
    await write();
    return orders.every((order) => shared.entries.includes(order));
  };
  expect(await isWrittenAgain()).toBe(true);
  // Writes find it, and add nothing else.
  for (let count = 0; count < 3; count += 1) await write();
  expect(await isWrittenAgain()).toBe(true);
  facts.end(orders);
  expect(await isWrittenAgain()).toBe(false);
});

test('Nobody is left out for a run of this process that gives up its message while another asks for it', async () => {
  const [mine, theirs, more] = [rowAt(0), rowAt(0), rowAt(1)];
  const waitForOthers = async () => {
    other.giveUp([theirs]);
    await Promise.resolve();
  };
  const { facts, run } = setUp({ waitForOthers });
  const other = new Reservations(run({ waitForOthers: async () => await Promise.resolve() }), 1);
  await other.reserve([theirs]);
  expect(await new Reservations(facts, 1).find([mine, more])).toEqual(new Map());
});

test('A run notes at its end whom it has sent what, even if another run has just sent what it is uncertain about', async () => {
  const { facts, run } = setUp({}, { isShared: true });
  const [mine, uncertain, theirs] = [rowAt(0), rowAt(1), rowAt(1)];
  const other = new Reservations(run({}), 1);
  await other.reserve([theirs]);
  settle(theirs, SENT);
  other.settled([theirs]);
  settle(mine, SENT);
  settle(uncertain, failed(failure('outcomeUnknown')));
  await new Reservations(facts, 1).finish([mine, uncertain]);
  const again = await new Reservations(run({}), 1).find([rowAt(0), rowAt(1)]);
  expect([...again.values()]).toEqual(['noted', 'noted']);
});

test('A run gives up a message that was not sent, but not one that another run has sent meanwhile', async () => {
  const { facts, run } = setUp({}, { isShared: true });
  const reserving = new Reservations(facts, 1);
  const [mine, free, theirs] = [rowAt(0), rowAt(1), rowAt(0)];
  await reserving.reserve([mine, free]);
  settle(theirs, SENT);
  await new Reservations(run({}), 1).finish([theirs]);
  reserving.giveUp([mine, free]);
  await reserving.finish();
  const found = await new Reservations(run({}), 1).find([rowAt(0), rowAt(1)]);
  expect([...found.values()]).toEqual(['noted']);
});

test('What a run has sent stays noted if another run has just given it up, or gives up its claim', async () => {
  const { facts, run } = setUp({}, { isShared: true });
  const rows = rowsUpTo(100);
  const giving = new Reservations(facts, 1);
  await giving.reserve(rows);
  const [mine, theirs, other] = [rowAt(100), rowAt(101), rowAt(100)];
  await new Reservations(run({}), 1).reserve([theirs]);
  const claiming = giving.reserve([mine, rowAt(101)]);
  // More than one write removes.
  giving.giveUp(rows);
  for (const row of [...rows, other]) settle(row, SENT);
  await new Reservations(run({}), 1).finish([...rows, other]);
  expect((await claiming) === 'wait').toBe(true);
  await giving.finish();
  const found = await new Reservations(run({}), 1).find(rowsUpTo(101));
  expect([...found.values()].filter((state) => state === 'noted')).toHaveLength(101);
});

test('What only another attempt can have sent is not noted for other executions', async () => {
  const { facts, run } = setUp({}, { isShared: true });
  const rows = rowsUpTo(2);
  const refusing = ledgerOf(
    new Facts(facts.list, { ...sharedList([]), add: refuse }, 'secret', false),
    undefined,
    true,
  );
  const open = () => new Reservations(facts, 1);
  const journal = new Journal(new DeliveryRecord({}, 0), refusing, { open, isAsked: true });
  await journal.recall(intentOf(rows), noPause);
  expect(rows.map(({ outcome }) => outcome?.kind)).toEqual(['uncertain', 'uncertain']);
  await journal.finish(rows, () => 'account');
  expect((await new Reservations(run({}), 1).find(rowsUpTo(2))).size).toBe(0);
});

test('An attempt that finds another process making it leaves the notes of that process, however long ago it ended', async () => {
  let now = 0;
  const { shared, facts, left } = setUp({}, { now: () => now });
  const rows = rowsUpTo(3);
  const own = new Facts(new FactList(() => 0), shared, 'secret', false);
  const record = new DeliveryRecord({}, 0);
  const [first, second] = [await ledgerOf(own).lookUp(rows, NOTHING, noPause), ledgerOf(facts, record)];
  const { attempt } = await second.lookUp(rows, NOTHING, noPause);
  await first.attempt.begin(rows);
  const before = await left();
  expect(await attempt.begin(rows.slice(1))).toBe(true);
  await second.finish(await attempt.finish());
  // The outcomes of that attempt are not in its record.
  expect(record.run.attempts).toEqual([]);
  now += 4_000_000;
  facts.forgetOld();
  expect((await left()).length).toBeGreaterThanOrEqual(before.length - 1);
});

test('A page that a later attempt has barred is barred for each of its requests', async () => {
  const { shared, facts } = setUp();
  const pages = await pagesOf(rowsUpTo(20), 4, noPause);
  const [page, other] = [pages.find(({ rows }) => rows.length > 1), pages.at(-1)];
  const attempt = new Attempt(facts, { run: 'run', number: 1, pages, length: 4 }, [], () => undefined);
  expect(page).not.toBe(other);
  expect(await attempt.begin(other?.rows ?? [])).toBe(false);
  const later = new Facts(new FactList(() => 0), shared, 'secret', false);
  await later.store({ barred: later.of(page === undefined ? [] : [attemptNames('run', 1).page(page)]) });
  const [one, two] = page?.rows.map((row) => [row]) ?? [];
  expect(await attempt.begin(one ?? [])).toBe(true);
  expect(await attempt.begin(two ?? [])).toBe(true);
});

test('What is claimed while its removal waits stays in the list', async () => {
  const { facts, left } = setUp();
  // More than are removed together, before it.
  const others = Array.from({ length: 300 }, (_, index) => `other ${index}`);
  await facts.store({ open: ['order'], noted: others });
  facts.change({ facts: [...others, 'order'], to: 'unknown' });
  expect(await facts.claim(['order'])).toEqual(['unknown']);
  expect(await left()).toEqual(claimed('order'));
});

test('What another run notes as sent while a claim is looked at again is sent, and nothing of the claim is left', async () => {
  const { facts, run, left } = setUp();
  const waitForOthers = async () => {
    await facts.note({ noted: ['order'], open: [] });
    await left();
  };
  expect(await run({ waitForOthers }).claim(['order', 'new'])).toEqual(['noted', 'unknown']);
  expect(await left()).toEqual([...claimed('new'), 'order']);
});

test('What another run is uncertain about while a claim is looked at again is not called sent', async () => {
  const { facts, run } = setUp({}, { isShared: true });
  const waitForOthers = async () => await facts.note({ noted: [], open: ['order'] });
  expect(await run({ waitForOthers }).claim(['order'])).toEqual(['open']);
});

test('A question that was stored, though it was reported as failed, tells nothing', async () => {
  let isFirst = true;
  const { shared, facts } = setUp({
    add: async (given) => {
      if (isFirst) await shared.add(given);
      isFirst = false;
      return await shared.add(given);
    },
  });
  await expect(facts.ask(['Ann'])).rejects.toThrow('had been stored');
});

test('A Retry knows from the record that n8n was killed before an earlier Retry, which could ask nobody', async () => {
  const { shared, facts } = setUp();
  await facts.store({ noted: facts.of([digestOf('1 0')]) });
  const kept = {};
  for (let retry = 1; retry <= 2; retry += 1) {
    const record = new DeliveryRecord(kept, 0);
    record.open();
    await recalled(shared, rowsUpTo(1), record);
  }
  expect([0, 1].map((run) => new DeliveryRecord(kept, run).run.isLost)).toEqual([true, false]);
});

test('What is overwritten is written again even if another run of the process has since noted what was there before', async () => {
  const { shared, facts, run, left } = setUp({}, { entries: ['started before'] });
  const { entries } = shared;
  await facts.store({ open: ['page'] });
  facts.change({ facts: ['page'], to: 'noted' });
  await left();
  await run({}).store({ noted: ['started before'] });
  await run({}).store({ noted: ['started before'] });
  shared.entries = entries;
  await facts.store({ open: ['next page'] });
  expect(await left()).toContain('page');
});

test('Claims of one process at the same moment are written together, and one of those for the same fact wins', async () => {
  let writes = 0;
  const { facts, left } = setUp({ beforeAdd: () => void (writes += 1) });
  const orders = Array.from({ length: 20 }, (_, index) => `order ${index}`);
  const claims = [...orders, 'order', 'order'].map(async (name) => await facts.claim([name]));
  const states = (await Promise.all(claims)).flat();
  // No mark is left.
  expect(await left()).toEqual([...orders, 'order'].flatMap(claimed).toSorted());
  expect(states).toEqual([...orders.map(() => 'unknown'), 'unknown', 'open']);
  expect(writes).toBeLessThanOrEqual(4);
});

test.each(['before', 'while'] as const)(
  'What is claimed %s another process’s copy of a question is removed stays',
  async (moment) => {
    const { shared, facts, run, left } = setUp();
    const claims: Array<ReturnType<Facts['claim']>> = [];
    let asked: readonly string[] | null = null;
    let removals = 0;
    const waitForOthers = async () => {
      if (moment === 'before' && claims.length === 0) claims.push(facts.claim(['order']));
      await Promise.all(claims);
      shared.entries = [...new Set([...shared.entries, ...(asked ?? [])])];
      asked = [];
    };
    const beforeRemove = () => {
      removals += 1;
      if (removals === 2 && moment === 'while') claims.push(facts.claim(['order']));
    };
    await run({ waitForOthers, beforeAdd: (entries) => (asked ??= entries), beforeRemove }).ask(['order']);
    expect(await Promise.all(claims)).toEqual([['unknown']]);
    expect(await left()).toEqual(claimed('order'));
  },
);

test('What is lost at once can be asked for by others while the rest of the claim is confirmed', async () => {
  const claims: Array<ReturnType<Facts['claim']>> = [];
  const { facts, run } = setUp({}, { entries: ['order'] });
  const waitForOthers = async () => {
    if (claims.length === 0) claims.push(facts.claim(['order']));
    await Promise.all(claims);
  };
  await run({ waitForOthers }).claim(['order', 'new']);
  expect(await claims[0]).toEqual(['noted']);
});

test('What this process has begun can no longer be barred', async () => {
  const { facts, left } = setUp();
  await facts.store({ open: ['page'] });
  await expect(facts.store({ noted: ['another attempt'], barred: ['page'] })).rejects.toThrow("can't become barred");
  expect(await left()).toEqual(claimed('page'));
});

test('What another run has sent meanwhile stays sent when a run never learns the outcome of its own request', async () => {
  const { facts, run, left } = setUp({}, { isShared: true });
  const [mine, theirs] = [rowAt(0), rowAt(0)];
  const asking = new Reservations(facts, 1);
  await asking.reserve([mine]);
  const [fact] = await left();
  settle(theirs, SENT);
  await new Reservations(run({}), 1).finish([theirs]);
  settle(mine, failed(failure('outcomeUnknown')));
  asking.settled([mine]);
  await facts.store({ noted: ['another'] });
  expect(await left()).toEqual([fact, 'another'].toSorted());
});

test('A fact that its run releases while the list is asked about another one is still what it was', async () => {
  const { facts, run } = setUp();
  await facts.store({ noted: ['sent'] });
  const other = run({ beforeAdd: () => facts.release(['sent']) });
  expect(await other.ask(['sent', 'order'])).toEqual(['noted', 'unknown']);
});

test('A run whose entries another run was to write, which was stopped, writes them itself', async () => {
  const { shared, facts, run } = setUp({ add: jest.fn().mockRejectedValue(new Error('stopped')) });
  const stopped = facts.store({ noted: ['A'] });
  const other = run({}).store({ noted: ['B'] });
  await expect(stopped).rejects.toThrow('stopped');
  expect(await other).toBe(false);
  expect(shared.entries).toEqual(['B']);
});

test('A page stays open until each of its messages has ended: another process finds it while a request is repeated', async () => {
  const { facts, left } = setUp();
  const row = rowAt(0);
  const pages = await pagesOf([row], 1, noPause);
  const attempt = new Attempt(facts, { run: 'run', number: 1, pages, length: 1 }, [], () => undefined);
  expect(await attempt.begin([row])).toBe(false);
  const { length } = await left();
  expect(await attempt.begin([row])).toBe(false);
  expect(await left()).toHaveLength(length);
  settle(row, failed(failure('stopped')));
  attempt.settled([row]);
  expect(await left()).toHaveLength(length - 2);
});

/** What a Retry of an execution, in a process of its own, knows about messages that a first attempt was to send. */
async function recalled(list: ListStorage, rows: readonly Row[], record = new DeliveryRecord({}, 0)) {
  const ledger = ledgerOf(new Facts(new FactList(() => 0), list, 'secret', false), record, true);
  await new Journal(record, ledger).recall(intentOf(rows), noPause);
  return rows.map(({ outcome }) => outcome?.kind ?? null);
}

const ledgerOf = (facts: Facts, record = new DeliveryRecord({}, 0), isRetry = false) =>
  new CrashLedger(facts, { lineage: '1', ordinal: 0 }, record, { isRetry, followsKill: isRetry });

test('A message that the execution has as uncertain, and the list as sent, was sent', async () => {
  const { shared, facts } = setUp();
  const [row] = rowsUpTo(1) as [Row];
  const { attempt } = await ledgerOf(facts).lookUp([row], NOTHING, noPause);
  await attempt.begin([row]);
  settle(row, SENT);
  attempt.settled([row]);
  await attempt.finish();
  const record = new DeliveryRecord({}, 0);
  record.note(rowsUpTo(1), failed(failure('outcomeUnknown')));
  expect(await recalled(shared, rowsUpTo(1), record)).toEqual(['sent']);
});

test('Nothing is sent again if n8n is also killed while a Retry asks how long the pages were, and the next list is shorter', async () => {
  const { shared, facts } = setUp();
  const rows = rowsUpTo(300);
  const { attempt } = await ledgerOf(facts).lookUp(rows, NOTHING, noPause);
  await attempt.begin(rows.slice(0, 100));
  const killed = new Promise<void>((resolve) => {
    const remove = async (entries: readonly string[]) => {
      if (entries.length < LENGTHS.length) await shared.remove(entries);
      else await new Promise(() => resolve());
    };
    void recalled({ ...shared, remove }, rowsUpTo(300));
  });
  await killed;
  expect(new Set((await recalled(shared, rowsUpTo(240))).slice(0, 100))).toEqual(new Set(['uncertain']));
});

test('What a run has left stays while another run relies on it, however long ago the first one ended', async () => {
  let now = 0;
  const { facts, run, left } = setUp({}, { now: () => now });
  await facts.store({ noted: ['started'] });
  facts.end(['started']);
  now += 4_000_000;
  const retry = run({});
  await retry.store({ noted: ['started'] });
  run({}).forgetOld();
  expect(await left()).toEqual(['started']);
});
