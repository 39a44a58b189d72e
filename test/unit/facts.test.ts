/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { type Failure, failure } from '../../nodes/MessagingSend/failures/failure';
import { Attempt, notesOf } from '../../nodes/MessagingSend/journal/crash/attempt';
import { CrashLedger } from '../../nodes/MessagingSend/journal/crash/crashLedger';
import { DeliveryRecord } from '../../nodes/MessagingSend/journal/deliveryRecord';
import { Journal } from '../../nodes/MessagingSend/journal/journal';
import { FactList, type ListStorage, valuesOf } from '../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../nodes/MessagingSend/journal/list/facts';
import { Reservations } from '../../nodes/MessagingSend/journal/reservations';
import { LENGTHS, pagesOf } from '../../nodes/MessagingSend/messages/pages';
import { digestOf, failed, type Outcome, type Row, settle } from '../../nodes/MessagingSend/messages/row';
import { seededRandom } from '../../tools/random';
import { intentOf, noPause, rowAt, rowsUpTo, SENT } from './samples';

/** The entries of an open fact. */
const claimed = (fact: string) => [fact, `${fact}?`];

const refuse = async () => await Promise.reject(new Error('read ECONNRESET'));
const later = async () => await new Promise(setImmediate);
const NOTHING = async () => await Promise.resolve(new Set<Row>());

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
interface Own extends Partial<ListStorage> {
  readonly beforeAdd?: (entries: readonly string[]) => void;
  readonly beforeRemove?: (entries: readonly string[]) => void;
}

/** A list that n8n keeps, and a process with one run. */
function setUp(own: Own = {}, { entries = [] as string[], isShared = false } = {}) {
  const shared = sharedList(entries);
  const clock = { now: 0 };
  const list = new FactList(() => clock.now);
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
    clock,
    facts: run(own),
    run,
    /** What is in the list when everything that a run has begun has ended, in the background too. */
    left: async () => {
      for (let turn = 0; turn < 20; turn += 1) await list.turns.last;
      return shared.entries.toSorted();
    },
  };
}

/** A run of another process. */
const elsewhere = (list: ListStorage, isShared = false) => new Facts(new FactList(() => 0), list, 'secret', isShared);

/** What a run finds about these messages before it sends them. */
const found = async (facts: Facts, rows: readonly Row[]) => [...(await new Reservations(facts, 1).find(rows)).values()];

test('Nobody wins a claim that others overwrite each time', async () => {
  const waitForOthers = async () => await later().then(() => void (shared.entries = ['of another process']));
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

test('A claim that the storage refuses to note leaves what another process has claimed', async () => {
  const { facts, left } = setUp({ add: refuse }, { entries: claimed('order') });
  await expect(facts.claim(['order'])).rejects.toThrow('ECONNRESET');
  expect(await left()).toEqual(claimed('order'));
});

test('A question that could not be taken back makes nothing doubtful for good: the next write takes it back', async () => {
  let isLocked = true;
  const remove = async (entries: readonly string[]) => await (isLocked ? refuse() : shared.remove(entries));
  const { shared, facts, left } = setUp({ remove }, { entries: ['sent'] });
  expect(await facts.ask(['sent'])).toEqual(['noted']);
  expect(await left()).toHaveLength(3);
  isLocked = false;
  await facts.store({ noted: ['another'] });
  expect(await left()).toEqual(['another', 'sent']);
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
  expect(await found(facts, [mine, more])).toEqual([]);
});

test("A message waits for another run of this process for 'Max Wait' in all, and not for its own run", async () => {
  const { clock, facts, run } = setUp();
  const [mine, theirs] = [rowAt(0), rowAt(0)];
  const other = new Reservations(run({}), 1_000);
  await other.reserve([theirs]);
  const waiting = new Reservations(facts, 1_000);
  const waits = [0, 999, 1_000].map((time) => {
    clock.now = time;
    return [waiting.mustWait([mine]), other.mustWait([theirs])];
  });
  expect(waits).toEqual([true, true, false].map((waits) => [waits, false]));
});

test('A run that is stopped while it waits for another run gives up nothing of that run', async () => {
  const { shared, facts, run, left } = setUp({}, { isShared: true });
  const [mine, theirs] = [rowAt(0), rowAt(0)];
  await new Reservations(run({}), 1).reserve([theirs]);
  settle(mine, failed(failure('stopped')));
  new Reservations(facts, 1).settled([mine]);
  await left();
  expect(await found(elsewhere(shared, true), [rowAt(0)])).toEqual(['open']);
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
  expect(await found(run({}), [rowAt(0), rowAt(1)])).toEqual(['noted', 'noted']);
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
  expect(await found(run({}), [rowAt(0), rowAt(1)])).toEqual(['noted']);
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
  expect((await found(run({}), rowsUpTo(101))).filter((state) => state === 'noted')).toHaveLength(101);
});

test('What only another attempt can have sent is not noted for other executions', async () => {
  const { facts, run } = setUp({}, { isShared: true });
  const rows = rowsUpTo(2);
  const refused = new Facts(facts.list, { ...sharedList([]), add: refuse }, 'secret', false);
  const open = () => new Reservations(facts, 1);
  const journal = new Journal(new DeliveryRecord({}, 0), ledgerOf(refused, undefined, true), { open, isAsked: true });
  await journal.recall(intentOf(rows), noPause);
  expect(rows.map(({ outcome }) => outcome?.kind)).toEqual(['uncertain', 'uncertain']);
  await journal.finish(rows, () => ({ account: 'account' }));
  expect(await found(run({}), rowsUpTo(2))).toEqual([]);
});

test('An attempt that finds another process making it leaves the notes of that process, however long ago it ended', async () => {
  const { shared, clock, facts, left } = setUp();
  const rows = rowsUpTo(3);
  const record = new DeliveryRecord({}, 0);
  const [first, second] = [await ledgerOf(elsewhere(shared)).lookUp(rows, NOTHING, noPause), ledgerOf(facts, record)];
  const { attempt } = await second.lookUp(rows, NOTHING, noPause);
  await first.attempt.begin(rows);
  const before = await left();
  expect(await attempt.begin(rows.slice(1))).toBe(true);
  await second.finish(await attempt.finish());
  // The outcomes of that attempt are not in its record.
  expect(record.run.attempts).toEqual([]);
  await left();
  // Nor does any write repeat its notes.
  expect(facts.list.known.size).toBe(0);
  clock.now += 4_000_000;
  facts.end([]);
  expect((await left()).length).toBeGreaterThanOrEqual(before.length - 1);
});

test('What an attempt has reserved, and may not send because a Retry has barred it, is free for other executions', async () => {
  const { shared, facts, left } = setUp();
  const open = () => new Reservations(facts, 1);
  const journal = new Journal(new DeliveryRecord({}, 0), ledgerOf(facts), { open, isAsked: true });
  const [rows, again] = [rowsUpTo(2), rowsUpTo(2)];
  await journal.recall(intentOf(rows), noPause);
  const reservations = journal.reservationsOf('account');
  expect(await journal.beforeRequest(rows.slice(0, 1), reservations)).toBe('leave');
  const other = elsewhere(shared);
  await begun(other, again, again.slice(1), undefined, true);
  const refused = await journal.beforeRequest(rows.slice(1), reservations);
  expect(refused).toEqual(failure('anotherAttempt'));
  for (const row of rows.slice(1)) settle(row, failed(refused as Failure));
  await journal.finish(rows, () => ({ account: 'account' }));
  await left();
  expect([...(await new Reservations(other, 1).find(again)).keys()]).toEqual(again.slice(0, 1));
});

const unsure = async (all: readonly string[]) => await Promise.resolve(Object.assign(new Set(all), { isUnsure: true }));
test.each([refuse, unsure])('After a note that failed, an attempt begins nothing, and the list stays', async (add) => {
  const { shared, run, left } = setUp();
  const facts = run({ add: jest.fn(shared.add).mockImplementationOnce(add) });
  const rows = rowsUpTo(2);
  await (await attemptAt(elsewhere(shared), rows, 64)).attempt.begin(rows);
  const before = await left();
  const { attempt: refused } = await attemptAt(facts, rows, 64);
  for (const row of rows) await expect(refused.begin([row])).rejects.toThrow(add === refuse ? 'ECONNRESET' : 'stored');
  for (const row of rows) settle(row, failed(failure('notReserved')));
  refused.settled(rows);
  await refused.finish();
  await run({}).store({ noted: [] });
  expect(await left()).toEqual(before);
});

test('However often writes fail, what leaves is noted, with its attempt and plan, and nothing is written for ever', async () => {
  const random = seededRandom(jest.getSeed());
  for (let history = 0; history < 400; history += 1) {
    const pauses = async () => {
      for (let left = random() * 12; left > 1; left -= 1) await noPause();
    };
    let isLocked = false;
    const missing: string[] = [];
    const add = async (given: readonly string[]) => {
      await pauses();
      clock.now += random() * 3_000;
      if (random() < 0.3) isLocked = !isLocked;
      return await (isLocked ? refuse() : shared.add(given));
    };
    const { shared, clock, facts, left } = setUp({ add });
    const rows = rowsUpTo(9);
    const { attempt, pages, begun, plan } = await attemptAt(facts, rows, 4, ['of an earlier attempt']);
    const request = async (row: Row) => {
      for (let pause = random() * 8; pause > 1; pause -= 1) await pauses();
      const isTaken = await attempt.begin([row]).catch(() => null);
      const noted = isTaken === false ? [begun, ...plan, pages[row.page]?.fact ?? ''] : [];
      missing.push(...noted.filter((fact) => !shared.entries.includes(fact)));
      settle(row, isTaken === false ? SENT : failed(failure('notReserved')));
      attempt.settled([row]);
    };
    await Promise.all(rows.map(request));
    const ended = await attempt.finish();
    facts.end(ended.begun, ended.details);
    await left();
    const sent = rows.filter(({ outcome }) => outcome === SENT);
    const needed = sent.flatMap(({ page }) => [begun, pages[page]?.fact ?? '']);
    missing.push(...needed.filter((fact) => !shared.entries.includes(fact)));
    expect([missing, facts.list.known.size]).toEqual([[], 0]);
  }
});

test('An attempt finds a page barred, even if the note before it fails meanwhile', async () => {
  const writes = [async () => await noPause().then(noPause).then(noPause).then(refuse)];
  const { shared, facts } = setUp({ add: async (given) => await (writes.shift()?.() ?? shared.add(given)) });
  const rows = rowsUpTo(2);
  const { attempt, pages } = await attemptAt(facts, rows, 1);
  shared.entries = pages.map(({ fact }) => `${fact}?`);
  const failed = attempt.begin(rows.slice(0, 1));
  await noPause();
  const barred = attempt.begin(rows.slice(1));
  await expect(failed).rejects.toThrow('ECONNRESET');
  expect(await barred).toBe(true);
});

test('The page of another attempt stays as it is, even if another execution has sent its message', async () => {
  const { shared, facts, left } = setUp();
  const [row] = rowsUpTo(1) as [Row];
  await (await attemptAt(elsewhere(shared), [row], 1)).attempt.begin([row]);
  const before = await left();
  const { attempt } = await attemptAt(facts, [row], 1);
  expect(await attempt.begin([row])).toBe(true);
  settle(row, { kind: 'skipped', reason: 'sent_before' });
  attempt.settled([row]);
  expect(await left()).toEqual(before);
});

test('A page that a later attempt has barred is barred for each of its requests', async () => {
  const { shared, facts } = setUp();
  const { pages, attempt } = await attemptAt(facts, rowsUpTo(20), 4, ['a page that it bars']);
  const [page, other] = [pages.find(({ rows }) => rows.length > 1), pages.at(-1)];
  expect(page).not.toBe(other);
  expect(await attempt.begin(other?.rows ?? [])).toBe(false);
  const later = elsewhere(shared);
  await later.store({ barred: page === undefined ? [] : [page.fact] });
  const [one, two] = page?.rows.map((row) => [row]) ?? [];
  expect(await attempt.begin(one ?? [])).toBe(true);
  expect(await attempt.begin(two ?? [])).toBe(true);
  await attempt.finish();
  expect(facts.list.known.size).toBe(0);
});

test('What a Retry has barred stays barred, though it has sent nothing and takes back all else', async () => {
  const { shared, facts } = setUp();
  const [rows, again] = [rowsUpTo(2), rowsUpTo(2)];
  const { attempt } = await ledgerOf(facts).lookUp(rows, NOTHING, noPause);
  await attempt.begin(rows.slice(0, 1));
  const { end } = await begun(elsewhere(shared), again, again.slice(1), undefined, true);
  await end(failed(failure('stopped')));
  expect(await attempt.begin(rows.slice(1))).toBe(true);
});

test('A page that an earlier attempt has begun or sent can no longer be barred, even if removals wait', async () => {
  const before = [...claimed('begun'), 'sent'];
  const { shared, facts, left } = setUp({}, { entries: before });
  for (const page of ['begun', 'sent']) {
    const writing = facts.store({ noted: ['another'] });
    await noPause();
    facts.change({ facts: ['another'], to: 'unknown' });
    expect(await facts.store({ barred: [page] }, [page])).toBe(true);
    await writing;
  }
  expect(await left()).toEqual(before);
  expect(await facts.store({ barred: ['free'] }, ['free'])).toBe(false);
  shared.entries = [];
  // What another process has overwritten is barred again.
  await facts.store({ noted: ['another'] });
  expect(await left()).toEqual(['another', 'free?']);
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

test('What the list has stays as it is, whether a run claims it or is uncertain about it', async () => {
  const [sent, begun] = [['sent'], claimed('begun')];
  const { shared, facts, left } = setUp({}, { entries: [...sent, ...begun], isShared: true });
  expect(await facts.claim(['sent', 'begun', 'order'])).toEqual(['noted', 'open', 'unknown']);
  expect(await left()).toEqual([...begun, ...sent]);
  shared.entries = sent;
  await facts.note({ noted: [], open: ['sent', 'order'] });
  expect(await left()).toEqual([...claimed('order'), 'sent']);
  // No write repeats what no run has.
  expect(facts.list.known.size).toBe(0);
});

test('What is given up and then noted after all is noted for other processes as well, and nothing else is left of it', async () => {
  const { facts, left } = setUp({}, { isShared: true });
  await facts.claim(['order']);
  facts.change({ facts: ['order'], to: 'unknown' });
  await facts.note({ noted: ['order'], open: [] });
  expect(await left()).toEqual(['order']);
});

test('A claim that another process overwrites is not taken for one of others, though this process writes meanwhile', async () => {
  let isFirst = true;
  const waitForOthers = async () => {
    if (isFirst) {
      shared.entries = [];
      await run({}).store({ noted: ['of another run'] });
    }
    isFirst = false;
  };
  const { shared, facts, run, left } = setUp({ waitForOthers });
  expect(await facts.claim(['order'])).toEqual(['unknown']);
  expect(await left()).toEqual([...claimed('order'), 'of another run'].toSorted());
});

test.each([
  ['sent', 'noted'],
  ['uncertain', undefined],
] as const)('What others rely on, and is %s, is repeated until no process can overwrite it', async (_what, to) => {
  const { shared, clock, facts, left } = setUp({ beforeAdd: () => (clock.now += 1) }, { isShared: true });
  await facts.claim(['order']);
  facts.change({ facts: ['order'], to });
  const isKept = async () => {
    await facts.note({ noted: ['another'], open: [] });
    return facts.list.known.has('order');
  };
  expect(await isKept()).toBe(true);
  clock.now += 1_998;
  // Another process may have read the list before this write began.
  expect(await isKept()).toBe(true);
  shared.entries = [];
  // It was overwritten all the same, so the next write must find it.
  expect([await isKept(), await isKept()]).toEqual([true, false]);
  // The run's end, and an hour, change nothing.
  facts.end(['order']);
  clock.now += 4_000_000;
  facts.end([]);
  expect(await left()).toContain('order');
});

test.each([
  ['what executions have sent is known for good', true, 'noted'],
  ['what a Retry needs may be forgotten meanwhile, so it is asked for each time', false, 'unknown'],
])('Of the facts in the list, %s', async (_what, isShared, state) => {
  const { shared, facts } = setUp({}, { entries: ['fact'], isShared });
  expect(await facts.ask(['fact'])).toEqual(['noted']);
  // The question leaves nothing.
  expect(shared.entries).toEqual(['fact']);
  shared.entries = [];
  expect(await facts.ask(['fact'])).toEqual([state]);
});

test('A process keeps 20,000 of the messages that were sent in its memory, the newest', () => {
  const { facts } = setUp();
  for (let order = 0; order <= 20_000; order += 1) facts.list.keep(`order ${order}`);
  const { forGood } = facts.list;
  expect([forGood.size, forGood.has('order 0')]).toEqual([20_000, false]);
});

test('A process shortens the list when it starts and each time that it has added a thousand entries, if no run relies on it', async () => {
  let isShortening = false;
  const shorten = jest.fn(async () => {
    isShortening = true;
    await later();
    isShortening = false;
  });
  const { facts, left } = setUp({ shorten, beforeAdd: () => expect(isShortening).toBe(false) });
  const added: number[] = [];
  for (const names of [['start'], ['start'], Array.from({ length: 1_000 }, (_, index) => `order ${index}`), ['end']]) {
    await facts.store({ noted: names });
    facts.end(names);
    await left();
    added.push(shorten.mock.calls.length);
  }
  expect(added).toEqual([1, 1, 2, 2]);
  await facts.store({ open: ['page'] });
  const more = Array.from({ length: 1_000 }, (_, index) => `more ${index}`);
  await facts.store({ noted: more });
  facts.end(more);
  await left();
  expect(shorten).toHaveBeenCalledTimes(2);
  facts.end(['page']);
  await left();
  expect(shorten).toHaveBeenCalledTimes(3);
});

test('What another run is uncertain about while a claim is looked at again is not called sent', async () => {
  const { facts, run } = setUp({}, { isShared: true });
  const waitForOthers = async () => await facts.note({ noted: [], open: ['order'] });
  expect(await run({ waitForOthers }).claim(['order'])).toEqual(['open']);
});

test('What another run has sent while a claim waited for long is not claimed', async () => {
  const { clock, facts, run } = setUp({}, { isShared: true });
  const waitForOthers = async () => {
    await facts.note({ noted: ['order'], open: [] });
    clock.now += 2_000;
    await facts.note({ noted: ['another'], open: [] });
    expect(facts.list.known.has('order')).toBe(false);
  };
  expect(await run({ waitForOthers }).claim(['order'])).toEqual(['noted']);
});

test.each<[what: string, make: (facts: Facts) => Promise<unknown>]>([
  ['question', async (facts) => await facts.ask(['Ann'])],
  ['claim', async (facts) => await facts.claim(['Ann'])],
])('A %s that was stored, though it was reported as failed, tells nothing', async (_what, make) => {
  const { shared, run } = setUp();
  const twice = async (given: readonly string[]) => await shared.add(given).then(async () => await shared.add(given));
  const facts = run({ add: jest.fn(shared.add).mockImplementationOnce(twice) });
  await expect(make(facts)).rejects.toThrow('had been stored');
});

test('A Retry knows from the record that n8n was killed before an earlier Retry, which could ask nobody', async () => {
  const { shared, facts } = setUp();
  await facts.store({ noted: [facts.of(digestOf('1 0'))] });
  const kept = {};
  for (let retry = 1; retry <= 2; retry += 1) {
    const record = new DeliveryRecord(kept, 0);
    record.open();
    await recalled(shared, rowsUpTo(1), record);
  }
  expect([0, 1].map((run) => new DeliveryRecord(kept, run).run.isLost)).toEqual([true, false]);
});

test('What is claimed before another process’s copy of a question is removed stays', async () => {
  const { shared, facts, run, left } = setUp();
  const claims: Array<ReturnType<Facts['claim']>> = [];
  let asked: readonly string[] | null = null;
  const waitForOthers = async () => {
    if (claims.length === 0) claims.push(facts.claim(['order']));
    await Promise.all(claims);
    shared.entries = [...new Set([...shared.entries, ...(asked ?? [])])];
    asked = [];
  };
  await run({ waitForOthers, beforeAdd: (entries) => (asked ??= entries) }).ask(['order']);
  expect(await Promise.all(claims)).toEqual([['unknown']]);
  expect(await left()).toEqual(claimed('order'));
});

test.each(['open', 'noted'] as const)('What this process has made %s can no longer be barred', async (state) => {
  const { facts, left } = setUp();
  await facts.store({ [state]: ['page'] });
  await expect(facts.store({ noted: ['another attempt'], barred: ['page'] })).rejects.toThrow("can't become barred");
  expect(await left()).toEqual(valuesOf('page', state));
});

test('A fact that its run releases while the list is asked about another one is still what it was', async () => {
  const { facts, run } = setUp();
  await facts.store({ noted: ['sent'] });
  const other = run({ beforeAdd: () => facts.change({ facts: ['sent'] }) });
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

const REFUSED = failed(failure('stopped'));
test.each<[what: string, other: Outcome | null, count: number]>([
  ['the other has no outcome yet, stays open', null, 2],
  ['the other was sent, stays open', SENT, 2],
  ['the other may have been sent, stays open', failed(failure('outcomeUnknown')), 2],
  ['neither was the other, is free again', REFUSED, 0],
])('A page of two messages of which one was not sent, and %s', async (_what, other, count) => {
  const { facts, left } = setUp();
  const rows = rowsUpTo(2);
  const { pages, attempt } = await attemptAt(facts, rows, 64);
  for (const row of rows) expect(await attempt.begin([row])).toBe(false);
  const [refused, last] = rows as [Row, Row];
  settle(refused, REFUSED);
  attempt.settled([refused]);
  if (other !== null) settle(last, other);
  attempt.settled(other === null ? [] : [last]);
  const own = pages.flatMap(({ fact }) => claimed(fact));
  expect((await left()).filter((entry) => own.includes(entry))).toHaveLength(count);
});

test.each<[why: string, changed: Partial<Row>]>([
  ['it is a duplicate', { duplicateOf: rowAt(1) }],
  ['its person has opted out', { outcome: { kind: 'skipped', reason: 'opted_out' } }],
  ['it has an empty field', { outcome: { kind: 'skipped', reason: 'empty_field' } }],
  ['its window is closed', { outcome: { kind: 'skipped', reason: 'outside_window', sendAt: 0 } }],
])('What is kept back because %s keeps nothing else of its page uncertain', async (_why, changed) => {
  const { facts, left } = setUp();
  const rows = [rowAt(0), rowAt(1, changed)] as const;
  const { pages, attempt } = await attemptAt(facts, rows, 64);
  await attempt.begin(rows.slice(0, 1));
  settle(rows[0], SENT);
  attempt.settled(rows);
  const { begun, details } = await attempt.finish();
  facts.end(begun, details);
  expect(await left()).toEqual(expect.arrayContaining(pages.map((page) => page.factWithout(rows.slice(1)))));
  expect(facts.list.known.size).toBe(0);
});

/** The first attempt of a run at these rows, on pages of this usual length. */
async function attemptAt(facts: Facts, rows: readonly Row[], length: number, toBar: readonly string[] = []) {
  const notes = notesOf(facts, 'run', 1, await pagesOf(rows, length, noPause), length);
  return { ...notes, attempt: new Attempt(facts, notes, toBar, { attempts: [] }) };
}

/** What a Retry of an execution, in a process of its own, knows about messages that a first attempt was to send. */
async function recalled(list: ListStorage, rows: readonly Row[], record = new DeliveryRecord({}, 0)) {
  await new Journal(record, ledgerOf(elsewhere(list), record, true)).recall(intentOf(rows), noPause);
  return rows.map(({ outcome }) => outcome?.kind ?? null);
}

const ledgerOf = (facts: Facts, record = new DeliveryRecord({}, 0), isRetry = false) =>
  new CrashLedger(facts, { lineage: '1', ordinal: 0 }, record, { isRetry, followsKill: isRetry });

/** An attempt that has begun some of its messages: whether another process has, and how it ends. */
async function begun(facts: Facts, rows: readonly Row[], own: readonly Row[], ...more: [DeliveryRecord?, boolean?]) {
  const ledger = ledgerOf(facts, ...more);
  const { attempt } = await ledger.lookUp(rows, NOTHING, noPause);
  const isTaken = await attempt.begin(own);
  const end = async (outcome: Outcome) => {
    for (const row of own) settle(row, outcome);
    attempt.settled(own);
    await ledger.finish(await attempt.finish());
  };
  return { isTaken, end };
}

test('A message that the execution has as uncertain, and the list as sent, was sent', async () => {
  const { shared, facts } = setUp();
  const rows = rowsUpTo(1);
  await (await begun(facts, rows, rows)).end(SENT);
  const record = new DeliveryRecord({}, 0);
  record.note(rowsUpTo(1), failed(failure('outcomeUnknown')));
  expect(await recalled(shared, rowsUpTo(1), record)).toEqual(['sent']);
});

test.each([
  ['how long the pages were', 0],
  ['which attempts there were', 1],
])('Nothing is sent again of a shorter list if n8n is also killed while a Retry asks %s', async (_what, earlier) => {
  const { shared, facts } = setUp();
  const rows = rowsUpTo(300);
  await begun(facts, rows, rows.slice(0, 100));
  let questions = 0;
  const killed = new Promise<void>((resolve) => {
    const remove = async (entries: readonly string[]) => {
      if (entries.length >= LENGTHS.length) questions += 1;
      if (questions <= earlier) await shared.remove(entries);
      else await new Promise(() => resolve());
    };
    void recalled({ ...shared, remove }, rowsUpTo(300));
  });
  await killed;
  expect(new Set((await recalled(shared, rowsUpTo(240))).slice(0, 100))).toEqual(new Set(['uncertain']));
});

test.each([
  ['the one before it', 1, 1],
  ['four before it, at the end of a question,', 4, 4],
])('A Retry asks about a later attempt if %s sent nothing and took back its number', async (_what, killed, idle) => {
  const { shared } = setUp();
  const messages = killed + idle + 1;
  /** An attempt in a process of its own, which begins with this message. */
  const beginning = async (index: number) => {
    const rows = rowsUpTo(messages);
    const isRetry = shared.entries.length > 0;
    const facts = elsewhere(shared);
    const { end } = await begun(facts, rows, rows.slice(index, index + 1), undefined, isRetry);
    return async (outcome: Outcome) => {
      await end(outcome);
      for (let turn = 0; turn < 20; turn += 1) await facts.list.turns.last;
      expect(facts.list.known.size).toBe(0);
    };
  };
  const ends: Array<Awaited<ReturnType<typeof beginning>>> = [];
  for (let index = 0; index < messages; index += 1) ends.push(await beginning(index));
  await ends.pop()?.(SENT);
  for (const end of ends.slice(killed)) await end(failed(failure('stopped')));
  const [uncertain, none] = [Array<string>(killed).fill('uncertain'), Array<null>(idle).fill(null)];
  expect(await recalled(shared, rowsUpTo(messages))).toEqual([...uncertain, ...none, 'sent']);
});

test('A Retry finds no other attempt in what the one before it takes back, and the record names all that have sent', async () => {
  const { facts } = setUp();
  const attemptAt = async (index: number, outcome: Outcome, record: DeliveryRecord) => {
    const rows = rowsUpTo(250);
    const { isTaken, end } = await begun(facts, rows, rows.slice(index, index + 1), record, index > 0);
    await end(outcome);
    return isTaken;
  };
  const record = new DeliveryRecord({}, 0);
  expect(await attemptAt(0, SENT, record)).toBe(false);
  const idle = new DeliveryRecord({}, 0);
  expect(await attemptAt(1, failed(failure('stopped')), idle)).toBe(false);
  expect(await attemptAt(1, SENT, record)).toBe(false);
  expect([idle, record].map(({ run }) => run.attempts)).toEqual([[], [1, 2]]);
});

test('What is left of runs goes after an hour, or after 500 others', async () => {
  const { clock, facts, left } = setUp();
  for (let run = 0; run < 600; run += 1) {
    await facts.store({ noted: [`run ${run}`] });
    facts.end([`run ${run}`]);
  }
  expect(new Set(await left())).toEqual(new Set(Array.from({ length: 500 }, (_, index) => `run ${index + 100}`)));
  clock.now += 3_600_000;
  facts.end([]);
  expect(await left()).toEqual([]);
});

test('Of the details that runs have left, 8,000 stay, of the latest runs', async () => {
  const { facts, left } = setUp();
  const detailsOf = (run: string) => Array.from({ length: 5_000 }, (_, index) => `${run} ${index}`);
  for (const run of ['A', 'B']) {
    await facts.store({ noted: [run, ...detailsOf(run)] });
    facts.end([run], detailsOf(run));
  }
  while (facts.list.known.size > 0) await facts.list.turns.last;
  expect(new Set(await left())).toEqual(new Set(['A', 'B', ...detailsOf('B')]));
});

test.each([
  ['knows is in the execution as well, because its notes go', false, 'uncertain'],
  ["can't be asked about is not in the execution, so the next Retry asks again", true, null],
])('What the list %s', async (_what, isLocked, outcome) => {
  const { shared, facts } = setUp();
  const rows = rowsUpTo(1);
  await begun(facts, rows, rows);
  const kept = {};
  const list = isLocked ? { ...shared, add: refuse } : shared;
  expect(await recalled(list, rowsUpTo(1), new DeliveryRecord(kept, 0))).toEqual(['uncertain']);
  const [row] = rowsUpTo(1) as [Row];
  await new Journal(new DeliveryRecord(kept, 0)).recall(intentOf([row]), noPause);
  expect(row.outcome?.kind ?? null).toBe(outcome);
});

test('After a kill, a number that can no longer be read is uncertain: it may be that of somebody who got a message', async () => {
  const { shared, facts } = setUp();
  const rows = rowsUpTo(2);
  await begun(facts, rows, rows.slice(0, 1));
  const broken = rowAt(0, { person: '', defect: failure('phoneEmpty') });
  expect(await recalled(shared, [broken, rowAt(1)])).toEqual(['uncertain', null]);
});

test('A plan that another process has overwritten is missed, though a killed question has left its entries', async () => {
  const { shared, facts } = setUp();
  const rows = rowsUpTo(1);
  await begun(facts, rows, rows);
  const { plan, plannedForNobody } = notesOf(facts, digestOf('1 0'), 1, await pagesOf(rows, 1, noPause), 1);
  const kept = shared.entries.filter((entry) => !plan.includes(entry));
  expect(kept).toHaveLength(shared.entries.length - 3);
  shared.entries = [...kept, ...claimed(plannedForNobody)];
  expect(await recalled(shared, rowsUpTo(1))).toEqual(['uncertain']);
});

test('What a run has left stays at the end of another run that relies on it, however long ago the first one ended', async () => {
  const { clock, facts, run, left } = setUp();
  await facts.store({ noted: ['started'] });
  facts.end(['started']);
  clock.now += 4_000_000;
  await run({}).store({ noted: ['started'] });
  run({}).end(['started']);
  expect(await left()).toEqual(['started']);
});

test('Of what a run has left, the note that it has started goes first: without it, silence proves nothing', async () => {
  const removed: string[] = [];
  const { clock, facts, left } = setUp({ beforeRemove: (entries) => removed.push(entries.join(' ')) });
  const rows = rowsUpTo(250);
  const ledger = ledgerOf(facts);
  const { attempt } = await ledger.lookUp(rows, NOTHING, noPause);
  await attempt.begin(rows);
  await ledger.finish(await attempt.finish());
  clock.now += 3_600_000;
  facts.end([]);
  expect(await left()).toEqual([]);
  expect(removed.length).toBeGreaterThan(1);
  expect(removed[0]?.split(' ')[0]).toBe(facts.of(digestOf('1 0')));
});
