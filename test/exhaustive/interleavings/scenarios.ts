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
/** Enough that pages have two messages, one of which can be in another request, or not sent. */
const many = { messages: rowsUpTo(253), batchSize: 253 };

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
  afterKill: { ...afterKill, states: 222 },
  afterKillUnnoted: { ...afterKill, first: { ...two, isUnnoted: true }, states: 24 },
  afterKillOtherTexts: {
    ...afterKill,
    first: toOne('Text 0', 'Text 1'),
    second: toOne('Text 1', 'Text 0'),
    states: 202,
  },
  afterKillOnce: { ...afterKill, second: { ...two, sendOnce: true }, states: 250 },
  afterKillKeptBack: { ...afterKill, second: { ...one, others: [rowAt(1)] }, states: 197 },
  afterKillParallel: { ...afterKill, first: { ...two, parallel: 2 }, second: { ...two, parallel: 2 }, states: 322 },
  afterKillLostWrite: { ...afterKill, hasLostWrite: true, states: 4511 },
  afterKillMany: { ...afterKill, first: { ...many, batchSize: 127 }, second: many, states: 219 },
  during: { ...during, states: 635 },
  duringParallel: { ...during, first: { ...two, parallel: 2 }, second: { ...two, parallel: 2 }, states: 1415 },
  duringOnce: { ...during, first: { ...two, sendOnce: true }, second: two, states: 2306 },
  duringThird: { ...during, first: { ...three, answers: ['lost'] }, second: three, hasThird: true, states: 2151 },
  duringLimit: { ...during, first: { ...two, answers: ['limit'] }, states: 652 },
  duringInProcess: { ...during, isSameProcess: true, states: 39 },
  afterEnd: { ...afterEnd, states: 18 },
  afterEndMany: { ...afterEnd, first: { ...many, answers: ['partly'] }, second: many, states: 41 },
  another: { ...another, isSplit: true, states: 34017 },
  anotherInProcess: { ...another, isSameProcess: true, states: 152 },
} as const satisfies Readonly<Record<string, Scenario & { readonly states: number }>>;

/** The scenario in which each rule is missed. */
export const MISSED: Readonly<Record<Rule, keyof typeof SCENARIOS>> = {
  start: 'afterKillUnnoted',
  note: 'afterKill',
  ask: 'afterKill',
  open: 'afterKill',
  bar: 'during',
  texts: 'afterKillOtherTexts',
  contained: 'afterEndMany',
  record: 'afterEnd',
  repeat: 'afterKillLostWrite',
  again: 'another',
  single: 'duringInProcess',
};
