/** The journal, killed at every step of the list and of the run, and what the Retries make of it. */
import fc from 'fast-check';

import type { Message } from '../../nodes/MessagingSend/messages/message';
import {
  type Answer,
  type Attempt,
  type Database,
  type Execution,
  newExecution,
  type Order,
  type Outcomes,
  type Process,
  retryOf,
  World,
} from '../support/journal';
import { messageAt } from './samples';

/** One attempt; several orders are those of Retry On Fail. */
interface Life {
  readonly orders: readonly Order[];
  readonly killAt?: number;
}

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
    if (kind === 'sent_before' && !world.arrivals.has(id)) faults.push(`${id} is sent_before and did not arrive`);
    if (kind === 'not_sent' && own.has(id)) faults.push(`${id} is not_sent and arrived`);
  }
  return faults;
}

function arrivedTwice(world: World): string[] {
  return [...world.arrivals].filter(([, count]) => count > 1).map(([id, count]) => `${id} arrived ${count} times`);
}

async function live(world: World, process: Process, execution: Execution, orders: readonly Order[]): Promise<string[]> {
  const attempt = world.attempt(process, execution);
  const faults: string[] = [];
  await world.run(
    (async () => {
      for (const order of orders) {
        const outcomes = await attempt.send(order);
        if (outcomes !== null) faults.push(...faultsOf(world, execution, order, outcomes));
      }
    })(),
  );
  attempt.store();
  return faults;
}

interface History {
  readonly lives: readonly Life[];
  readonly world?: () => World;
  /** Whether n8n's event log was there after each kill. */
  readonly hasEventLog?: boolean;
  /** Whether each Retry is one of the first execution, not of the latest. */
  readonly fromFirst?: boolean;
}

/** Lets each attempt happen, each as a Retry of the one before. @returns what went wrong, and the steps of the last attempt */
async function faultsOfHistory({ lives, world: newWorld, hasEventLog = true, fromFirst = false }: History) {
  const world = newWorld?.() ?? new World();
  const faults: string[] = [];
  const first = newExecution();
  let [execution, wasKilled] = [first, false];
  let process = world.process();
  for (const [index, { orders, killAt }] of lives.entries()) {
    if (index > 0) execution = retryOf(fromFirst ? first : execution, wasKilled && hasEventLog);
    if (index === 0 || process.isDead || killAt !== undefined) process = world.process(killAt);
    faults.push(...(await live(world, process, execution, orders)));
    wasKilled = process.isDead;
  }
  if (!lives.some(({ orders }) => orders.some(({ sendUncertainAgain }) => sendUncertainAgain))) {
    faults.push(...arrivedTwice(world));
  }
  return { faults, steps: process.steps, world };
}

/** Kills the attempts before the last one at each of their steps. */
async function faultsOfEveryKill(history: History): Promise<string[]> {
  const [{ lives }, faults] = [history, [] as string[]];
  const [first, ...others] = lives;
  if (first === undefined) return [];
  const { steps } = await faultsOfHistory({ ...history, lives: [first] });
  for (const hasEventLog of [true, false]) {
    for (const [index, step] of steps.entries()) {
      const killed = { ...first, killAt: index + 1 };
      const found = await faultsOfHistory({ ...history, hasEventLog, lives: [killed, ...others] });
      faults.push(...found.faults.map((fault) => `killed at ${index + 1} (${step}): ${fault}`));
    }
  }
  return faults;
}

const list = (count: number, changed: Partial<Message> = {}) =>
  Array.from({ length: count }, (_, index) => messageAt(index, changed));
const order = (messages: readonly Message[], changed: Partial<Order> = {}): Order => ({
  accounts: [messages],
  batchSize: 2,
  ...changed,
});
const life = (...orders: Order[]): Life => ({ orders });

const FIVE = order(list(5));
const withTime = (time: string) => list(5).map((message) => ({ ...message, text: `${message.text} at ${time}` }));

const KILLED_ONCE: Array<[title: string, history: History]> = [
  ['nothing else', { lives: [life(FIVE), life(FIVE)] }],
  ['Send Bulk with fewer items per batch', { lives: [life(order(list(5), { batchSize: 4 })), life(FIVE)] }],
  ['Send Bulk instead of Send', { lives: [life(order(list(5), { batchSize: 1 })), life(FIVE)] }],
  ['texts that contain the time', { lives: [life(order(withTime('1'))), life(order(withTime('2'))), life(order(withTime('3')))] }],
];

test.each(KILLED_ONCE)('After a kill at any step, a Retry with %s sends nothing twice and loses nothing', async (_title, history) => {
  expect(await faultsOfEveryKill(history)).toEqual([]);
});

interface Drawn {
  readonly rows: ReadonlyArray<{ readonly phone: number; readonly hasKey: boolean; readonly account: number }>;
  readonly lives: readonly DrawnLife[];
  /** Whether texts change their places; else they may contain the time. */
  readonly mayMove: boolean;
  readonly choices: readonly number[];
}

interface DrawnLife {
  readonly orders: readonly DrawnOrder[];
  readonly killAt: number | null;
  readonly parent: number;
  readonly hasEventLog: boolean;
}

interface DrawnOrder {
  readonly time: string;
  readonly isSwapped: boolean;
  readonly dropped: number | null;
  readonly batchSize: number;
  readonly parallel: number;
  readonly sendOnce: boolean;
  readonly sendUncertainAgain: boolean;
  readonly isCounted: boolean;
  readonly answers: readonly Answer[];
  readonly isSecondAccountGone: boolean;
}

const usually = <Value>(value: Value, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });

const drawnOrder: fc.Arbitrary<DrawnOrder> = fc.record({
  time: usually('', fc.constantFrom(' at 1', ' at 2', ' at 3')),
  isSwapped: usually(false, fc.constant(true)),
  dropped: usually<number | null>(null, fc.nat({ max: 5 })),
  batchSize: usually(2, fc.constantFrom(1, 2, 3, 7, 100)),
  parallel: fc.integer({ min: 1, max: 3 }),
  sendOnce: fc.boolean(),
  sendUncertainAgain: usually(false, fc.constant(true)),
  isCounted: fc.boolean(),
  answers: fc.array(
    usually<Answer>('accept', fc.constantFrom('partly', 'reject', 'tryLater', 'lost', 'lostReply')),
    { maxLength: 5 },
  ),
  isSecondAccountGone: usually(false, fc.constant(true)),
});

const drawn: fc.Arbitrary<Drawn> = fc.record({
  rows: fc.array(fc.record({ phone: fc.nat({ max: 4 }), hasKey: usually(false, fc.constant(true)), account: usually(0, fc.constant(1)) }), {
    minLength: 1,
    maxLength: 6,
  }),
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

const idOf = ({ text, key }: Message) => key ?? /^Text \d+/.exec(text)?.[0] ?? text;

function messagesOf({ rows, mayMove }: Drawn, { time, isSwapped, dropped }: DrawnOrder): Array<{ message: Message; account: number }> {
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
  return kept.map(({ index: _, ...message }, item) => ({ message: { ...message, item }, account: rows[item]?.account ?? 0 }));
}

async function faultsOfDrawn(history: Drawn, log?: (line: string) => void): Promise<string[]> {
  const choices = [...history.choices];
  const world = new World(idOf, {}, (count) => (choices.shift() ?? 0) % Math.max(count, 1));
  const executions: Array<{ execution: Execution; wasKilled: boolean }> = [];
  const faults: string[] = [];
  let process = world.process();
  const plain: DrawnOrder = { time: '', isSwapped: false, dropped: null, batchSize: 2, parallel: 1, sendOnce: false, sendUncertainAgain: false, isCounted: false, answers: [], isSecondAccountGone: false };
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
      return { ...settings, accounts: isGone ? [of(0)] : accounts.length === 0 ? [[]] : accounts, others: isGone ? of(1) : [] };
    });
    const attempt: Attempt = world.attempt(process, execution);
    let isOver = false;
    await world.run(
      (async () => {
        for (const each of asked) {
          const outcomes = await attempt.send(each);
          if (outcomes === null) return;
          log?.(`${index}: ${JSON.stringify([...outcomes])}`);
          for (const fault of faultsOf(world, execution, each, outcomes)) faults.push(`attempt ${index}: ${fault}`);
          const kinds = [...outcomes.values()].flat();
          if (index === lives.length - 1 && kinds.includes('not_sent')) faults.push('lost');
          isOver = kinds.every((kind) => kind === 'sent' || kind === 'sent_before');
          if (isOver) return;
        }
      })(),
    );
    attempt.store();
    log?.(`${index}: ${process.steps.join(', ')}; ${JSON.stringify([...world.arrivals])}`);
    executions.push({ execution, wasKilled: process.isDead });
    if (isOver && !process.isDead) break;
  }
  const mayTwice = history.lives.some(({ orders }) => orders.some((each) => each.sendUncertainAgain));
  return mayTwice ? faults : [...faults, ...arrivedTwice(world)];
}

test('After any history, nothing was sent twice or lost, and every outcome is true', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async (history) => {
      expect(await faultsOfDrawn(history)).toEqual([]);
    }),
    { numRuns: Number(process.env.RUNS ?? 1000) },
  );
}, 300_000);

test('replay', async () => {
  const text = process.env.CASE;
  if (text === undefined) return;
  const lines: string[] = [];
  const faults = await faultsOfDrawn(JSON.parse(text) as Drawn, (line) => lines.push(line));
  console.log([...lines, ...faults].join('\n'));
});
