/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/**
 * Two attempts at the same messages, step by step, in every possible order: nobody gets a message twice, and each
 * outcome is true. Without any one of the rules, somebody does, or an outcome isn't.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { IS_WHOLE } from '../extent';
import { explore } from './explore';
import { type Rule, RULES } from './rules';
import { MISSED, SCENARIOS } from './scenarios';
import type { Scenario } from './world';

jest.setTimeout(300_000);

/** Its end says who gets a message twice without each rule; written with MESSAGING_SEND_WRITE_STORIES. */
const PAGE = path.join(__dirname, '../../../docs/why-nobody-gets-it-twice.md');
const START = '## The rules\n\n';

/** Fewer states than this share of the expected number would mean that something is no longer explored. */
const MIN_SHARE = 0.9;

/** One of them takes most of the time. */
const scenarios = Object.entries(SCENARIOS).filter(([name]) => IS_WHOLE || name !== 'another');

test.each(scenarios)('In every order of the steps of %s, nothing is sent twice', async (name, scenario) => {
  const { states, story } = await explore(scenario, null, 'depth');
  process.stdout.write(`${name}: ${states} states\n`);
  expect(story?.join(' ') ?? null).toBeNull();
  expect(states).toBeGreaterThanOrEqual(MIN_SHARE * scenario.states);
});

const rules = Object.entries(RULES) as Array<[Rule, string]>;

test('Without any one of the rules, a message is sent twice, or an outcome is untrue', async () => {
  const stories: string[] = [];
  for (const [rule, title] of IS_WHOLE ? rules : rules.slice(0, 4)) {
    const [name, setting] = MISSED[rule];
    const scenario: Scenario = SCENARIOS[name];
    // One attempt after the other has one order, more or less.
    const order = scenario.secondIs === 'a Retry after the end' ? 'single' : 'breadth';
    let story: string[] | null = null;
    for (const wrong of ['twice', 'untrue', 'doubts'] as const) {
      story ??= (await explore(scenario, rule, order, [wrong])).story;
    }
    expect([rule, story]).not.toEqual([rule, null]);
    stories.push(`- **${title}.** ${[setting, ...(story ?? [])].filter(Boolean).join(' ')}\n`);
  }
  const told = stories.join('');
  const parts = () => readFileSync(PAGE, 'utf8').split(START);
  if (process.env.MESSAGING_SEND_WRITE_STORIES !== undefined) writeFileSync(PAGE, [parts()[0], told].join(START));
  expect(IS_WHOLE ? parts()[1] : parts()[1]?.slice(0, told.length)).toBe(told);
});
