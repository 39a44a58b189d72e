import { MAX_BATCH_SIZE } from '../nodes/MessagingSend/api/endpoints';
import { messagingSend } from '../test/support/contenders';
import { runSteps, type Steps } from '../test/support/engine/steps';
import { bareNode } from './bareNode';
import { atMost, type Goal, inTurn, type Measurements, ratio, ratios, type Series, warmUpsFor } from './measurements';
import type { Options } from './options';
import { withSandbox } from './sandbox';
import { contacts } from './workflows';

/** Short runs vary more and are cheaper to repeat. Of only 3 runs, the median would be chance. */
const CASES = [
  { operation: 'sendBulk', count: 100, repeated: 12, goal: null },
  { operation: 'sendBulk', count: 1_000, repeated: 12, goal: 1.5 },
  { operation: 'sendBulk', count: 10_000, repeated: 10, goal: 1.2 },
  { operation: 'sendBulk', count: 50_000, repeated: 5, goal: 1.2 },
  { operation: 'send', count: 1_000, repeated: 4, goal: 1.1 },
] as const;
const NAMES = { sendBulk: 'Send Bulk', send: 'Send' };
const BATCH_SIZE = { sendBulk: MAX_BATCH_SIZE, send: 1 };

/** The node's time divided by that of a bare node, which makes the same requests and output without any checks. */
export async function bare({ rounds, log }: Options): Promise<Measurements> {
  return await withSandbox({}, async (sandbox) => {
    const series: Series[] = [];
    const goals: Goal[] = [];
    for (const { operation, count, repeated, goal } of CASES) {
      const items = contacts(0, count);
      const contender = (name: string, steps: Steps) => ({
        name,
        run: async () => {
          await sandbox.reset();
          const started = performance.now();
          await runSteps(items, steps, sandbox.url);
          const time = performance.now() - started;
          await sandbox.expectOnce(count);
          return time;
        },
      });
      const name = NAMES[operation];
      const of = { case: `${name}, ${count.toLocaleString('en')} items`, unit: 'ms' };
      const size = BATCH_SIZE[operation];
      const [own, loop, faster] = await inTurn(
        of,
        [
          contender(name, messagingSend(operation)),
          contender('bare loop', [bareNode(size)]),
          contender('bare loop without redirects', [bareNode(size, { disableFollowRedirect: true })]),
        ],
        rounds * repeated,
        log,
        warmUpsFor(count),
      );
      if (own === undefined || loop === undefined || faster === undefined) throw new Error('a contender is missing');
      series.push(own, loop, faster, ratios(own, loop), ratios(own, faster));
      if (goal !== null) goals.push(atMost(`${of.case}, over a bare loop`, ratio(own, loop), goal));
    }
    return { series, goals };
  });
}
