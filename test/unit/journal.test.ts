/** The journal, killed at every step of the list and of the run, and what the Retries make of it. */
import fc from 'fast-check';

import type { Message } from '../../nodes/MessagingSend/messages/message';
import type { Outcome } from '../../nodes/MessagingSend/messages/outcome';
import {
  type Answer,
  type Execution,
  newExecution,
  type Order,
  type Outcomes,
  type Process,
  retryOf,
  World,
} from '../support/journal';
import { messageAt, messagesUpTo } from './samples';

/** What is untrue of an attempt that ended. */
function faultsOf(world: World, { lineage }: Execution, order: Order, outcomes: Outcomes): string[] {
  const faults: string[] = [];
  const own = world.arrivalsOf.get(lineage) ?? new Map<string, number>();
  for (const message of [...order.accounts.flat(), ...(order.others ?? [])]) {
    const id = world.identify(message);
    const kinds = outcomes.get(id) ?? [];
    const [kind] = kinds;
    if (kinds.length !== 1) faults.push(`${id} has the outcomes ${kinds.join()}`);
    if (kind === 'sent' && !own.has(id)) faults.push(`${id} is sent and did not arrive`);
    if (kind === 'skipped' && !world.arrivals.has(id)) faults.push(`${id} is skipped and did not arrive`);
    if (kind === 'not_sent' && own.has(id)) faults.push(`${id} is not_sent and arrived`);
  }
  return faults;
}

function arrivedTwice(world: World): string[] {
  return [...world.arrivals].filter(([, count]) => count > 1).map(([id, count]) => `${id} arrived ${count} times`);
}

/** Lets an attempt happen; orders after the first are those of Retry On Fail, until everything is sent. */
async function live(world: World, process: Process, execution: Execution, orders: readonly Order[]) {
  const attempt = world.attempt(process, execution);
  const faults: string[] = [];
  let kinds: ReadonlyArray<Outcome['kind']> = [];
  const end = { isOver: false };
  await world.run(
    (async () => {
      for (const order of orders) {
        const outcomes = await attempt.send(order);
        if (outcomes === null) return;
        faults.push(...faultsOf(world, execution, order, outcomes));
        kinds = [...outcomes.values()].flat();
        end.isOver = kinds.every((kind) => kind === 'sent' || kind === 'skipped');
        if (end.isOver) return;
      }
    })(),
  );
  attempt.store();
  return { faults, kinds, isOver: end.isOver && !process.isDead };
}

/** What an attempt is to send, and at which of its steps n8n is killed. */
type Life = readonly [order: Order, killAt?: number];

/** Lets each attempt happen, each as a Retry of the one before. @returns what went wrong, and the steps of the last attempt */
async function faultsOfHistory(...lives: readonly Life[]) {
  const world = new World(idOf);
  const faults: string[] = [];
  let execution = newExecution();
  let process = world.process();
  let uncertain = 0;
  for (const [index, [order, killAt]] of lives.entries()) {
    if (index > 0) execution = retryOf(execution, process.isDead);
    if (index === 0 || process.isDead || killAt !== undefined) process = world.process(killAt);
    const lived = await live(world, process, execution, [order]);
    faults.push(...lived.faults);
    uncertain = lived.kinds.filter((kind) => kind === 'uncertain').length;
    if (order.answers === undefined && lived.kinds.includes('not_sent')) faults.push('something is lost');
  }
  return { faults: [...faults, ...arrivedTwice(world)], steps: process.steps, uncertain };
}

const idOf = ({ text, key }: Message) => key ?? /^Text \d+/.exec(text)?.[0] ?? text;
const order = (messages: readonly Message[], changed: Partial<Order> = {}): Order => ({
  accounts: [messages],
  batchSize: 2,
  ...changed,
});

const FIVE = order(messagesUpTo(5));
const TWICE = order(messagesUpTo(4));
const PARTLY = order(messagesUpTo(5), { answers: ['partly', 'reject', 'accept', 'lostReply'] });

test('After two kills at any two steps, a Retry sends nothing twice and loses nothing', async () => {
  const three = order(messagesUpTo(3), { answers: ['partly'] });
  const { steps } = await faultsOfHistory([three]);
  const faults: string[] = [];
  for (const index of steps.keys()) {
    const first = [three, index + 1] as const;
    const retried = await faultsOfHistory(first, [three]);
    for (const later of retried.steps.keys()) {
      const found = await faultsOfHistory(first, [three, later + 1], [three]);
      faults.push(...found.faults.map((fault) => `killed at ${index + 1} and ${later + 1}: ${fault}`));
    }
  }
  expect(faults).toEqual([]);
});

test('At most two batches for each parallel request are uncertain after a kill at any step', async () => {
  const { steps } = await faultsOfHistory([FIVE]);
  // Before the run is noted, n8n's event log is all there is.
  for (const index of [...steps.keys()].slice(2)) {
    const { uncertain } = await faultsOfHistory([FIVE, index + 1], [FIVE]);
    expect(uncertain).toBeLessThanOrEqual(4);
  }
});

test('Where several messages share a page of the ledger, a Retry after a kill sends nothing twice and loses nothing', async () => {
  const all = order(messagesUpTo(1_001), { batchSize: 100 });
  const answers = Array<Answer[]>(10).fill(['accept', 'lost']).flat();
  const oneByOne = { ...all, batchSize: 1, parallel: 3, answers };
  const faults: string[] = [];
  for (let killAt = 40; killAt < 70; killAt += 1) {
    const found = await faultsOfHistory([oneByOne, killAt], [all]);
    faults.push(...found.faults.map((fault) => `killed at ${killAt}: ${fault}`));
  }
  expect(faults).toEqual([]);
});

test('In a database that is locked during a Retry, nothing is sent twice or reported wrongly', async () => {
  const { steps } = await faultsOfHistory([FIVE]);
  for (const index of steps.keys()) {
    for (const lockedFrom of [0, 3, 8, 15]) {
      const world = new World(idOf);
      const [first, order] = [newExecution(), { ...PARTLY, sendOnce: index % 2 === 1 }];
      const faults: string[] = [];
      const killed = world.process(index + 1);
      faults.push(...(await live(world, killed, first, [FIVE])).faults);
      const [retry, process] = [retryOf(first, true), world.process()];
      process.onStep = (count) => (world.isLocked = count >= lockedFrom);
      faults.push(...(await live(world, process, retry, [order])).faults);
      world.isLocked = false;
      faults.push(...(await live(world, world.process(), retryOf(retry, false), [FIVE])).faults);
      expect([...faults, ...arrivedTwice(world)]).toEqual([]);
    }
  }
});

const choices = fc.array(fc.nat({ max: 9 }), { minLength: 100, maxLength: 300 });
const chosenFrom = (drawnChoices: readonly number[]) => {
  const left = [...drawnChoices];
  return (count: number) => (left.shift() ?? 0) % Math.max(count, 1);
};

test('Two Retries in two processes at the same time send nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(choices, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (drawnChoices, killAt, sendOnce) => {
      const world = new World(idOf, chosenFrom(drawnChoices));
      const first = newExecution();
      await live(world, world.process(killAt), first, [FIVE]);
      const retries = [0, 1].map(
        async () => await live(world, world.process(), retryOf(first, true), [{ ...FIVE, sendOnce }]),
      );
      await Promise.all(retries);
      expect(arrivedTwice(world)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('Of executions with Send Once, one of which is killed, none sends what another may have sent', async () => {
  await fc.assert(
    fc.asyncProperty(choices, fc.integer({ min: 1, max: 60 }), async (drawnChoices, killAt) => {
      const world = new World(idOf, chosenFrom(drawnChoices));
      const order: Order = { ...TWICE, sendOnce: true, answers: ['accept', 'lostReply'] };
      const first = newExecution();
      const other = world.process();
      const faults = await Promise.all([
        live(world, world.process(killAt), first, [order]),
        live(world, other, newExecution(), [order]),
        live(world, other, newExecution(), [order]),
      ]);
      const retried = await live(world, other, retryOf(first, true), [order]);
      expect([...[...faults, retried].flatMap((each) => each.faults), ...arrivedTwice(world)]).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

const usually = <Value>(value: Value, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });

const drawnOrder = fc.record({
  time: usually('', fc.constantFrom(' at 1', ' at 2', ' at 3')),
  isSwapped: usually(false, fc.constant(true)),
  dropped: usually<number | null>(null, fc.nat({ max: 5 })),
  batchSize: usually(2, fc.constantFrom(1, 2, 3, 7, 100)),
  parallel: fc.integer({ min: 1, max: 3 }),
  sendOnce: fc.boolean(),
  sendUncertainAgain: usually(false, fc.constant(true)),
  isCounted: fc.boolean(),
  answers: fc.array(usually<Answer>('accept', fc.constantFrom('partly', 'reject', 'tryLater', 'lost', 'lostReply')), {
    maxLength: 5,
  }),
  isSecondAccountGone: usually(false, fc.constant(true)),
});

const drawn = fc.record({
  rows: fc.array(
    fc.record({
      phone: fc.nat({ max: 4 }),
      hasKey: usually(false, fc.constant(true)),
      account: usually(0, fc.constant(1)),
    }),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
  lives: fc.array(
    fc.record({
      orders: fc.oneof(
        { weight: 4, arbitrary: fc.array(drawnOrder, { minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.array(drawnOrder, { minLength: 2, maxLength: 2 }) },
      ),
      killAt: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 3 }),
      parent: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 3 }) }),
      hasEventLog: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  mayMove: fc.boolean(),
  choices: fc.array(fc.nat({ max: 5 }), { maxLength: 40 }),
});

type Of<Generator> = Generator extends fc.Arbitrary<infer Value> ? Value : never;
type DrawnOrder = Of<typeof drawnOrder>;
type Drawn = Of<typeof drawn>;

function messagesOf(
  { rows, mayMove }: Drawn,
  { time, isSwapped, dropped }: DrawnOrder,
): Array<{ message: Message; account: number }> {
  const isUnique = new Set(rows.map(({ phone }) => phone)).size === rows.length;
  const now = isUnique || !mayMove ? time : '';
  const given = rows.map(({ phone, hasKey }, index) => ({
    ...messageAt(index, { phone: messageAt(phone).phone }),
    text: `Text ${index}${now}`,
    ...(hasKey && { key: `key ${index}` }),
    index,
  }));
  if (isSwapped && mayMove) {
    // The texts of each phone in the other order.
    for (const phone of new Set(given.map((each) => each.phone))) {
      const places = given.flatMap((each, index) => (each.phone === phone ? [index] : []));
      const own = places.map((place) => given[place]).reverse();
      places.forEach((place, index) => {
        const message = own[index];
        if (message !== undefined) given[place] = message;
      });
    }
  }
  const kept = given.filter((_message, index) => !isUnique || index !== dropped);
  return kept.map(({ index: _, ...message }, item) => ({
    message: { ...message, item },
    account: rows[item]?.account ?? 0,
  }));
}

async function faultsOfDrawn(history: Drawn): Promise<string[]> {
  const choices = [...history.choices];
  const world = new World(idOf, (count) => (choices.shift() ?? 0) % Math.max(count, 1));
  const executions: Array<{ execution: Execution; wasKilled: boolean; isOver: boolean }> = [];
  const faults: string[] = [];
  let process = world.process();
  const plain: DrawnOrder = {
    time: '',
    isSwapped: false,
    dropped: null,
    batchSize: 2,
    parallel: 1,
    sendOnce: false,
    sendUncertainAgain: false,
    isCounted: false,
    answers: [],
    isSecondAccountGone: false,
  };
  const lives = [...history.lives, { orders: [plain], killAt: null, parent: 0, hasEventLog: true }];
  for (const [index, { orders, killAt, parent, hasEventLog }] of lives.entries()) {
    const from = executions[Math.max(0, executions.length - 1 - parent)];
    const execution = from === undefined ? newExecution() : retryOf(from.execution, from.wasKilled && hasEventLog);
    process = world.process(killAt ?? undefined);
    const asked = orders.map((each): Order => {
      // The items of Retry On Fail are those of the first try.
      const { isSwapped, dropped } = orders[0] ?? each;
      const messages = messagesOf(history, { ...each, isSwapped, dropped });
      const of = (account: number) => messages.filter((one) => one.account === account).map(({ message }) => message);
      const { isSecondAccountGone: isGone, ...settings } = each;
      const accounts = [of(0), of(1)].filter((list) => list.length > 0);
      return {
        ...settings,
        accounts: isGone ? [of(0)] : accounts.length === 0 ? [[]] : accounts,
        others: isGone ? of(1) : [],
      };
    });
    // n8n offers no Retry of an execution that succeeded.
    if (from?.isOver === true) break;
    const lived = await live(world, process, execution, asked);
    faults.push(...lived.faults.map((fault) => `attempt ${index}: ${fault}`));
    if (index === lives.length - 1 && lived.kinds.includes('not_sent')) faults.push('lost');
    executions.push({ execution, wasKilled: process.isDead, isOver: lived.isOver });
  }
  const mayTwice = history.lives.some(({ orders }) => orders.some((each) => each.sendUncertainAgain));
  return mayTwice ? faults : [...faults, ...arrivedTwice(world)];
}

test('After any history, nothing was sent twice or lost, and every outcome is true', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async (history) => {
      expect(await faultsOfDrawn(history)).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});
