import { messagesUpTo } from '../../unit/samples';
import { explore, shortestStory } from './explore';
import type { Rule } from './rules';
import type { Scenario } from './world';

const TWO = { accounts: [messagesUpTo(2)], batchSize: 1, parallel: 1 };
const ONCE = { ...TWO, accounts: [messagesUpTo(1)], sendOnce: true };

const SCENARIOS: readonly Scenario[] = [
  { title: 'kill', first: TWO, second: TWO, secondIs: 'a Retry after a kill' },
  { title: 'during', first: TWO, second: TWO, secondIs: 'a Retry during the first' },
  { title: 'during, same', first: TWO, second: TWO, secondIs: 'a Retry during the first', isSameProcess: true },
  { title: 'end', first: { ...TWO, answers: ['accept', 'lost'] }, second: TWO, secondIs: 'a Retry after the end' },
  { title: 'once', first: ONCE, second: ONCE, secondIs: 'another execution', isSplit: true },
  { title: 'once, same', first: ONCE, second: ONCE, secondIs: 'another execution', isSameProcess: true },
  { title: 'lost', first: TWO, second: TWO, secondIs: 'a Retry after a kill', hasLostWrite: true },
];

test.each(SCENARIOS)(
  '$title',
  async (scenario) => {
    const began = Date.now();
    const { states, story } = await explore(scenario);
    console.log(scenario.title, states, Date.now() - began, story);
  },
  600_000,
);

const RULES: Array<[Rule, string]> = [
  ['ask', 'kill'],
  ['note', 'kill'],
  ['bar', 'during'],
  ['open', 'kill'],
  ['again', 'once'],
  ['single', 'during, same'],
  ['record', 'end'],
  ['repeat', 'lost'],
  ['run', 'kill'],
  ['contained', 'kill'],
];
test.each(RULES)(
  '%s %s',
  async (rule, title) => {
    const scenario = SCENARIOS.find((each) => each.title === title);
    if (scenario) console.log(rule, await shortestStory(scenario, rule));
  },
  600_000,
);
