import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { messagingSend } from '../test/support/contenders';
import { loadPackage } from '../test/support/engine/engine';
import { runSteps, type Steps } from '../test/support/engine/steps';
import { serve } from './processes';
import { type ScaleTask, WARM_UP } from './scale';
import { contacts, HOLD } from './workflows';

const CONTENDERS: Readonly<Record<ScaleTask['contender'], Steps>> = {
  send: messagingSend('sendBulk'),
  evaluate: messagingSend('sendBulk', { phone: '={{ $json.phone }}', message: '=Hello {{ $json.name }}' }),
  hold: HOLD,
};

/** Reports bytes or milliseconds. */
serve(async ({ measure, contender, count, url }: ScaleTask) => {
  const steps = CONTENDERS[contender];
  await runSteps(contacts(count, count + WARM_UP), steps, url);
  return measure === 'memory' ? await peakMemory(count, steps, url) : await longestBlock(count, steps, url);
});

/** The peak of memory in use, items included, over what was in use before; each value is taken after a garbage collection. */
async function peakMemory(count: number, steps: Steps, url: string): Promise<number> {
  const inUse = () => {
    global.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = inUse();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, inUse())), 50);
  await runSteps(contacts(0, count), steps, url);
  clearInterval(timer);
  return peak - before;
}

/** The longest time, in milliseconds, for which the node blocked the event loop while it ran. */
async function longestBlock(count: number, steps: Steps, url: string): Promise<number> {
  const { customOperations } = (await loadPackage()).node;
  const operations = customOperations?.message;
  const original = operations?.sendBulk;
  if (operations === undefined || original === undefined) throw new Error('the node has no Send Bulk');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  operations.sendBulk = async function () {
    delay.enable();
    try {
      return await original.call(this);
    } finally {
      // The end of the node's work counts, too.
      await nextTurn();
      delay.disable();
    }
  };
  await runSteps(contacts(0, count), steps, url);
  return delay.max / 1e6;
}
