import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { messagingSend } from '../test/support/contenders';
import { runSteps, type Steps } from '../test/support/engine/steps';
import { loadPackage } from '../tools/engine/engine';
import { serve } from './processes';
import { type ScaleTask, WARM_UP } from './scale';
import { contacts, HOLD } from './workflows';

/** Enough for some samples: a block at the very start or end of the node's work counts, too. */
const TICKS_MS = 5;

const [withoutNumbers] = messagingSend('sendBulk', { phone: '={{ $json.name }}', message: '={{ $json.message }}' });

const CONTENDERS: Readonly<Record<ScaleTask['contender'], Steps>> = {
  send: messagingSend('sendBulk'),
  evaluate: messagingSend('sendBulk', { phone: '={{ $json.phone }}', message: '=Hello {{ $json.name }}' }),
  reject: [{ ...withoutNumbers, settings: { onError: 'continueRegularOutput' } }],
  hold: HOLD,
};

/** Reports bytes or milliseconds. */
serve(async ({ measure, contender, count, url }: ScaleTask) => {
  const steps = CONTENDERS[contender];
  await run(count, count + WARM_UP, steps, url);
  return measure === 'memory' ? await peakMemory(count, steps, url) : await longestBlock(count, steps, url);
});

/** The items from one index up to another. */
async function run(from: number, to: number, steps: Steps, url: string): Promise<void> {
  await runSteps(contacts(from, to), steps, url);
}

/** The peak of memory in use, items included, over what was in use before; each value is taken after a garbage collection. */
async function peakMemory(count: number, steps: Steps, url: string): Promise<number> {
  const inUse = () => {
    global.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = inUse();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, inUse())), 50);
  await run(0, count, steps, url);
  clearInterval(timer);
  return peak - before;
}

/** The longest time, in milliseconds, for which the node blocked the event loop while it ran. */
async function longestBlock(count: number, [step]: Steps, url: string): Promise<number> {
  const { node } = await loadPackage();
  const original = node.customOperations?.message?.sendBulk;
  if (original === undefined) throw new Error('the node has no Send Bulk');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const observed = async function (this: IExecuteFunctions) {
    delay.enable();
    await setTimeout(TICKS_MS);
    try {
      return await original.call(this);
    } finally {
      await setTimeout(TICKS_MS);
      delay.disable();
    }
  };
  const type: INodeType = { ...node, customOperations: { message: { sendBulk: observed } } };
  await run(0, count, [{ ...step, type, hasAccount: true }], url);
  if (delay.count === 0) throw new Error('the node did not run');
  return delay.max / 1e6;
}
