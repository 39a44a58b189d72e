import { rowAt, rowsUpTo } from '../../unit/samples';
import type { Order } from './attempts';
import type { Rule } from './rules';
import type { Scenario } from './world';

/** In requests of one message, one after the other. */
const singly = { batchSize: 1, parallel: 1 };
const two = { ...singly, messages: rowsUpTo(2) };
const three = { ...singly, messages: rowsUpTo(3) };
const one = { ...singly, messages: rowsUpTo(1) };
const second = { ...singly, messages: [rowAt(1)] };
/** Once in all executions. */
const once = <Sent extends Order>(order: Sent) => ({ ...order, sendOnce: true });
/** Two texts to a phone, whose order changes. */
const toOne = (...texts: string[]) => ({
  ...singly,
  messages: texts.map((text, index) => rowAt(index, { phone: rowAt(0).phone, text })),
});

/** In requests of two messages, one after the other. */
const four = { messages: rowsUpTo(4), batchSize: 2, parallel: 1 };
/** In one request, and on one page. */
const together = { messages: rowsUpTo(3).slice(1), batchSize: 2 };
const partly = { ...together, answers: ['partly'] } as const;
/** Without the second message; and with it, but kept back. */
const without = { ...four, messages: rowsUpTo(4).toSpliced(1, 1) };
const keeping = { ...without, others: [rowAt(1)] };
const keepingOne = { ...together, messages: [rowAt(2)], others: [rowAt(1)] };

const afterKill = { first: two, second: two, secondIs: 'a Retry after a kill' } as const;
/** With pages of several messages. */
const afterKillPaged = { ...afterKill, pageLength: 2 } as const;
const during = { first: two, second: two, secondIs: 'a Retry during the first' } as const;
const another = { first: once(one), second: once(one), secondIs: 'another execution' } as const;
const afterEnd = {
  first: { ...two, answers: ['accept', 'lost'] },
  second: two,
  secondIs: 'a Retry after the end',
} as const;

/** With the number of states of each: fewer would mean that something is no longer explored. */
export const SCENARIOS = {
  afterKill: { ...afterKill, states: 172 },
  afterKillOne: { ...afterKill, first: one, second: one, states: 91 },
  afterKillUnnoted: { ...afterKill, first: { ...one, isUnnoted: true }, second: one, states: 36 },
  afterKillOtherTexts: {
    ...afterKill,
    first: toOne('Text 0', 'Text 1'),
    second: toOne('Text 1', 'Text 0'),
    states: 172,
  },
  afterKillRemoved: {
    ...afterKill,
    second: { ...singly, messages: [rowAt(0), rowAt(2)], answers: ['lost'] },
    third: three,
    states: 347,
  },
  afterKillReplaced: { ...afterKill, first: one, second: { ...second, answers: ['lost'] }, third: two, states: 200 },
  afterKillNumber: { ...afterKill, second: { ...singly, messages: [rowAt(0), rowAt(5)] }, states: 184 },
  afterKillText: { ...afterKill, second: { ...singly, messages: [rowAt(0), rowAt(1, { text: 'New' })] }, states: 172 },
  afterKillRefused: { ...afterKill, second: { ...two, answers: ['refuse', 'refuse'] }, third: two, states: 325 },
  afterKillAdded: { ...afterKill, second: { ...singly, messages: [rowAt(0), rowAt(5), rowAt(1)] }, states: 202 },
  afterKillPages: { ...afterKillPaged, first: four, second: four, states: 172 },
  afterKillPagesRemoved: { ...afterKillPaged, first: four, second: without, states: 181 },
  afterKillPagesShorter: {
    ...afterKillPaged,
    first: together,
    second: { ...together, messages: [rowAt(2)] },
    states: 100,
  },
  afterKillPagesAdded: { ...afterKillPaged, first: without, second: four, states: 181 },
  afterKillPagesNumber: {
    ...afterKillPaged,
    first: four,
    second: { ...four, messages: rowsUpTo(4).with(1, rowAt(5, { item: 1 })) },
    states: 181,
  },
  afterKillPagesKeptBack: { ...afterKillPaged, first: keeping, second: keeping, states: 191 },
  afterKillPageKeptBack: { ...afterKillPaged, first: keepingOne, second: keepingOne, states: 97 },
  afterKillPageOther: {
    ...afterKillPaged,
    first: keepingOne,
    second: { ...together, messages: [rowAt(1)], others: [rowAt(2)] },
    states: 91,
  },
  afterKillPageLaterKeptBack: { ...afterKillPaged, first: together, second: keepingOne, states: 100 },
  afterKillPageReleased: { ...afterKillPaged, first: keepingOne, second: together, states: 91 },
  afterKillPagesReleased: { ...afterKillPaged, first: keeping, second: four, states: 190 },
  afterKillPagesOnceKeptBack: { ...afterKillPaged, first: once(keeping), second: once(keeping), states: 416 },
  afterKillPagesOnceReleased: { ...afterKillPaged, first: once(keeping), second: once(four), states: 440 },
  afterKillPagesOnce: { ...afterKillPaged, first: once(four), second: once(four), states: 396 },
  afterKillOnce: { ...afterKill, second: once(two), states: 224 },
  afterKillKeptBack: { ...afterKill, second: { ...one, others: [rowAt(1)] }, states: 163 },
  afterKillParallel: { ...afterKill, first: { ...two, parallel: 2 }, second: { ...two, parallel: 2 }, states: 226 },
  afterKillLostWrite: { ...afterKill, first: three, second: three, hasLostWrite: true, states: 5440 },
  during: { ...during, states: 936 },
  duringParallel: { ...during, first: { ...two, parallel: 2 }, second: { ...two, parallel: 2 }, states: 831 },
  duringOnce: { ...during, first: once(two), second: two, states: 3051 },
  duringThird: { ...during, first: { ...three, answers: ['lost'] }, second: three, hasThird: true, states: 4848 },
  duringLimit: { ...during, first: { ...two, answers: ['limit'] }, states: 903 },
  duringInProcess: { ...during, isSameProcess: true, states: 32 },
  afterEnd: { ...afterEnd, states: 22 },
  afterEndPages: { ...afterEnd, pageLength: 2, first: partly, second: together, states: 22 },
  another: { ...another, isSplit: true, states: 19_399 },
  anotherInProcess: { ...another, isSameProcess: true, states: 94 },
} as const satisfies Readonly<Record<string, Scenario & { readonly states: number }>>;

/** The scenario in which each rule is missed, and what its story does not tell. */
export const MISSED: Readonly<Record<Rule, readonly [scenario: keyof typeof SCENARIOS, setting: string]>> = {
  start: ['afterKillUnnoted', 'A sends a single message, and notes nothing.'],
  note: ['afterKillOne', 'A has planned a page with Ann.'],
  bar: ['during', "n8n takes A's worker for dead, but it is only slow."],
  plan: [
    'afterKillPagesShorter',
    'Before the Retry, Ben is removed from the list, so Cleo is on another page, which B takes for planned.',
  ],
  named: [
    'afterKillReplaced',
    "A sends to Ann, B only to Ben, C to both. C takes B's number, 2, for two attempts, and doesn't ask about A.",
  ],
  record: ['afterEnd', "Ben's request gets no answer. The execution contains A, so B doesn't ask the list."],
  again: ['another', 'A and B are executions on two workers, and both read the list before either writes.'],
  repeat: ['afterKillLostWrite', 'A sends to Ann, Ben and Cleo.'],
  single: ['duringInProcess', 'A is still running, in the same process.'],
  rest: ['afterKillPageReleased', 'Ben has opted out before A, and is back before B.'],
  ask: ['afterKill', 'A is to send to Ann, then to Ben.'],
  contained: ['afterEndPages', "The service rejects Cleo's message, so A is retried."],
  end: ['afterKillPageKeptBack', 'Ben has opted out.'],
};
