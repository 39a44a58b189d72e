import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { loadPackage } from '../test/engine/engine';
import { messagingSend } from './contenders';
import { serve } from './processes';
import { type ScaleTask, WARM_UP } from './scale';
import { contacts, HOLD, run, type Steps } from './workflows';

const CONTENDERS: Readonly<Record<ScaleTask['contender'], Steps>> = {
  send: messagingSend('sendBulk'),
  evaluate: messagingSend('sendBulk', { phone: '={{ $json.phone }}', message: '=Hello {{ $json.name }}' }),
  hold: HOLD,
};

/** Answers bytes or milliseconds. */
serve(async ({ measure, contender, count, url }: ScaleTask) => {
  const steps = CONTENDERS[contender];
  await run(contacts(count, count + WARM_UP), steps, url);
  return measure === 'memory' ? await peakMemory(count, steps, url) : await longestBlock(count, steps, url);
});

/** The most memory in use, items included, over what was in use before; garbage is collected before each look. */
async function peakMemory(count: number, steps: Steps, url: string): Promise<number> {
  const inUse = () => {
    global.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = inUse();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, inUse())), 50);
  await run(contacts(0, count), steps, url);
  clearInterval(timer);
  return peak - before;
}

/** The longest time, in milliseconds, in which nothing else could go on while the node was at work. */
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
      // The end of the node's work counts as well.
      await nextTurn();
      delay.disable();
    }
  };
  await run(contacts(0, count), steps, url);
  return delay.max / 1e6;
}
