import { performance } from 'node:perf_hooks';

import { editFields, messagingSend } from '../test/support/contenders';
import { runSteps, type Steps } from '../test/support/engine/steps';
import { atMost, type Goal, inTurn, type Measurements, ratio, type Series } from './measurements';
import type { Options } from './options';
import { withSandbox } from './sandbox';
import { contacts } from './workflows';

const COUNT = 10_000;

const CASES = {
  'two plain expressions': { phone: '={{ $json.phone }}', message: '={{ $json.message }}' },
  'a text with an expression in it': { phone: '={{ $json.phone }}', message: '=Hello {{ $json.name }}' },
};

/**
 * Compares Send Bulk with n8n's Edit Fields over the same items and expressions. The time is the time that the process
 * works; the time that it waits for the service's answers has its own row.
 */
export async function floor({ rounds, log }: Options): Promise<Measurements> {
  return await withSandbox({}, async (sandbox) => {
    const series: Series[] = [];
    const goals: Goal[] = [];
    const items = contacts(0, COUNT);
    for (const [name, values] of Object.entries(CASES)) {
      const waiting: number[] = [];
      const measure = async (steps: Steps): Promise<{ active: number; idle: number }> => {
        await sandbox.reset();
        const before = performance.eventLoopUtilization();
        await runSteps(items, steps, sandbox.url);
        return performance.eventLoopUtilization(before);
      };
      const measured = await inTurn(
        { case: name, unit: 'ms' },
        [
          {
            name: 'Send Bulk',
            run: async () => {
              const { active, idle } = await measure(messagingSend('sendBulk', values));
              await sandbox.expectOnce(COUNT);
              waiting.push(idle);
              return active;
            },
          },
          { name: 'Edit Fields', run: async () => (await measure(editFields(values))).active },
        ],
        rounds,
        log,
      );
      // The first one belongs to the warm-up.
      series.push(...measured, {
        case: name,
        contender: 'Send Bulk, waiting for answers',
        unit: 'ms',
        rounds: waiting.slice(1),
      });
      const [bulk, edit] = measured;
      if (bulk === undefined || edit === undefined) throw new Error('a contender is missing');
      goals.push(atMost(`Send Bulk over Edit Fields, ${name}`, ratio(bulk, edit), 1));
    }
    return { series, goals };
  });
}
