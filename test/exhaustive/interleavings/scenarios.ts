import { rowAt, rowsUpTo } from '../../unit/samples';
import type { Rule } from './rules';
import type { Scenario } from './world';

/** In requests of one message, one after the other. */
const singly = { batchSize: 1, parallel: 1 };
const two = { ...singly, messages: rowsUpTo(2) };
const three = { ...singly, messages: rowsUpTo(3) };
const one = { ...singly, messages: rowsUpTo(1) };
const once = { ...one, sendOnce: true };
/** Two texts to a phone, whose order changes. */
const toOne = (...texts: string[]) => ({
  ...singly,
  messages: texts.map((text, index) => rowAt(index, { phone: rowAt(0).phone, text })),
});

/** In requests of two messages, one after the other. */
const four = { messages: rowsUpTo(4), batchSize: 2, parallel: 1 };
/** In one request, and on one page. */
const together = { messages: rowsUpTo(3).slice(1), batchSize: 2 };
/** So that pages have several messages. */
const paged = { pageLength: 2 };

const afterKill = { first: two, second: two, secondIs: 'a Retry after a kill' } as const;
const during = { first: two, second: two, secondIs: 'a Retry during the first' } as const;
const another = { first: once, second: once, secondIs: 'another execution' } as const;
const afterEnd = {
  first: { ...two, answers: ['accept', 'lost'] },
  second: two,
  secondIs: 'a Retry after the end',
} as const;

/** With the number of states of each: fewer would mean that something is no longer explored. */
export const SCENARIOS = {
  afterKill: { ...afterKill, states: 153 },
  afterKillUnnoted: { ...afterKill, first: { ...two, isUnnoted: true }, states: 34 },
  afterKillOtherTexts: {
    ...afterKill,
    first: toOne('Text 0', 'Text 1'),
    second: toOne('Text 1', 'Text 0'),
    states: 153,
  },
  afterKillRemoved: {
    ...afterKill,
    second: { ...singly, messages: [rowAt(0), rowAt(2)], answers: ['lost'] },
    third: three,
    states: 290,
  },
  afterKillRefused: { ...afterKill, second: { ...two, answers: ['refuse', 'refuse'] }, third: two, states: 297 },
  afterKillAdded: { ...afterKill, second: { ...singly, messages: [rowAt(0), rowAt(5), rowAt(1)] }, states: 171 },
  afterKillPages: { ...afterKill, ...paged, first: four, second: four, states: 153 },
  afterKillPagesRemoved: {
    ...afterKill,
    ...paged,
    first: four,
    second: { ...four, messages: rowsUpTo(4).toSpliced(1, 1) },
    states: 153,
  },
  afterKillPagesAdded: {
    ...afterKill,
    ...paged,
    first: { ...four, messages: rowsUpTo(4).toSpliced(1, 1) },
    second: four,
    states: 153,
  },
  afterKillPagesKeptBack: {
    ...afterKill,
    ...paged,
    first: { ...four, messages: rowsUpTo(4).toSpliced(1, 1), others: [rowAt(1)] },
    second: { ...four, messages: rowsUpTo(4).toSpliced(1, 1), others: [rowAt(1)] },
    states: 174,
  },
  afterKillPagesReleased: {
    ...afterKill,
    ...paged,
    first: { ...four, messages: rowsUpTo(4).toSpliced(1, 1), others: [rowAt(1)] },
    second: four,
    states: 173,
  },
  afterKillPagesOnce: {
    ...afterKill,
    ...paged,
    first: { ...four, sendOnce: true },
    second: { ...four, sendOnce: true },
    states: 379,
  },
  afterKillOnce: { ...afterKill, second: { ...two, sendOnce: true }, states: 204 },
  afterKillKeptBack: { ...afterKill, second: { ...one, others: [rowAt(1)] }, states: 135 },
  afterKillParallel: { ...afterKill, first: { ...two, parallel: 2 }, second: { ...two, parallel: 2 }, states: 203 },
  afterKillLostWrite: { ...afterKill, hasLostWrite: true, states: 2508 },
  during: { ...during, states: 654 },
  duringParallel: { ...during, first: { ...two, parallel: 2 }, second: { ...two, parallel: 2 }, states: 743 },
  duringOnce: { ...during, first: { ...two, sendOnce: true }, second: two, states: 2434 },
  duringThird: { ...during, first: { ...three, answers: ['lost'] }, second: three, hasThird: true, states: 3366 },
  duringLimit: { ...during, first: { ...two, answers: ['limit'] }, states: 643 },
  duringInProcess: { ...during, isSameProcess: true, states: 32 },
  afterEnd: { ...afterEnd, states: 20 },
  afterEndPages: { ...afterEnd, ...paged, first: { ...together, answers: ['partly'] }, second: together, states: 20 },
  another: { ...another, isSplit: true, states: 19399 },
  anotherInProcess: { ...another, isSameProcess: true, states: 94 },
} as const satisfies Readonly<Record<string, Scenario & { readonly states: number }>>;

/** The scenario in which each rule is missed, and what its story does not tell. */
export const MISSED: Readonly<Record<Rule, readonly [scenario: keyof typeof SCENARIOS, setting: string]>> = {
  start: ['afterKillUnnoted', 'A is a run that notes nothing, such as one in the editor.'],
  note: ['afterKill', ''],
  bar: ['during', 'A is in another process, and goes on when B has asked.'],
  plan: ['afterKillPagesRemoved', 'Before the Retry, text 1 is removed from the list, so text 2 is on another page.'],
  named: [
    'afterKillRemoved',
    'Text 1 is removed before B, and is back in C, a Retry of B. The replies to what B sends are lost.',
  ],
  record: ['afterEnd', 'The reply to text 1 is lost.'],
  again: [
    'another',
    "A and B are two executions under 'Send Once, Also in Later Runs', and both read the list before either writes.",
  ],
  single: ['duringInProcess', 'A and B are in one process.'],
  rest: ['afterKillPagesReleased', 'The user keeps text 1 back in A, and no longer in B.'],
  ask: ['afterKill', ''],
  contained: ['afterEndPages', 'Of the two messages in the request of A, the service sends one.'],
  repeat: ['afterKillLostWrite', 'Another process has read the list before A writes to it.'],
};
