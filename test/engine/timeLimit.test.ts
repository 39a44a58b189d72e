/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** The time that n8n allows an expression. n8n's server keeps to it with an engine of its own, as these tests do. */
import type * as Runtime from '@n8n/expression-runtime';
import { TimeoutError } from '@n8n/expression-runtime';
import { Expression, LoggerProxy } from 'n8n-workflow';

import { contacts, listOf } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { detailsOf, hintsOf } from '../support/outputs';
import { SEND_AND_WAIT, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';

const { run, requests } = nodeForTests({ onError: 'continueErrorOutput' });

/** As `Expression.initExpressionEngine` does with an `import`, which modules that Jest loads can't have. */
const { createRequire } = process.getBuiltinModule('node:module');
const runtime = createRequire(__filename)('@n8n/expression-runtime') as typeof Runtime;
const evaluator = new runtime.ExpressionEvaluator({
  createBridge: () => new runtime.QuickJsBridge({ timeout: 1000, memoryLimit: 128, logger: LoggerProxy }),
  maxCodeCacheSize: 10,
  logger: LoggerProxy,
});
const evaluate = evaluator.evaluate.bind(evaluator);
evaluator.evaluate = (...given) => {
  try {
    return evaluate(...given);
  } catch (error) {
    // n8n-workflow, which Jest has loaded, knows only this one.
    throw error instanceof runtime.TimeoutError ? new TimeoutError(error.message, {}) : error;
  }
};
const server = Expression as unknown as { vmEvaluator: typeof evaluator | undefined };
beforeAll(async () => {
  await evaluator.initialize();
  server.vmEvaluator = evaluator;
  Expression.setExpressionEngine('quickjs');
});
afterAll(async () => {
  server.vmEvaluator = undefined;
  Expression.setExpressionEngine('legacy');
  await evaluator.dispose();
});

const ENDLESS = '={{ (() => { while (true); })() }}';

test.each([
  ['Messages', { ...SEND_LIST, messages: ENDLESS }],
  ['Message', { ...SEND_BULK, message: ENDLESS }],
  ['Phone', { ...SEND_AND_WAIT, sendTo: ENDLESS }],
])("An expression in '%s' that takes longer than n8n allows says so, and what to do", async (name, parameters) => {
  const [item] = (await run({ items: contacts(1), parameters })).outputs.flat();
  expect(item?.json.error).toBe(`An expression in '${name}' runs into a limit of n8n: Expression timed out`);
  expect(detailsOf(item).description).toContain('{{ $json.list }}');
  expect(requests()).toEqual([]);
});

test('A list of 50,000 entries is read within the limit where an expression only names it', async () => {
  const items = [{ body: { messages: listOf(50_000) } }];
  for (const messages of ['={{ $json.body }}', '={{ $json["body"].messages }}']) {
    const ran = await run({ items, parameters: withOptions({ ...SEND_LIST, messages }, { dryRun: true }) });
    expect(hintsOf(ran)[0]?.message).toMatch(/^50000 people would get this message/);
  }
});
