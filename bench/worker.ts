/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

import { type INodeParameters, type INodeType, NodeHelpers } from 'n8n-workflow';

import { runSteps, type Step } from '../tools/engine/steps';
import { contacts, messagingSend, timeOf } from './contenders';
import { answer } from './processes';
import { RemoteSandbox } from './sandbox';

/** A run of Send Bulk in a process of its own. */
export interface Task {
  /** `time` and `block` in milliseconds, `memory` in KB per item. */
  readonly measure: 'time' | 'memory' | 'block';
  readonly count: number;
  readonly folder: string;
  readonly url: string;
  /** Parameters other than the usual ones. */
  readonly changed?: INodeParameters;
  /** Whether no message can be sent. */
  readonly isRejected?: boolean;
}

/** Long enough for some samples: a block at the very start or end of the node's work counts, too. */
const TICKS_MS = 5;

await answer(async ({ measure, count, folder, url, changed, isRejected = false }: Task) => {
  const sandbox = new RemoteSandbox(url);
  const step: Step = { ...(await messagingSend('sendBulk', folder, changed)), onError: 'continueRegularOutput' };
  if (measure === 'time') return await timeOf([step], contacts(count), sandbox);
  // A first run loads all code.
  await runSteps(contacts(100), [step], sandbox.account);
  await sandbox.reset();
  const run = async (given: Step) => void (await runSteps(contacts(count), [given], sandbox.account));
  const figure = await (measure === 'memory' ? peakMemory(() => run(step)) : longestBlock(step, run));
  await sandbox.expectOnce(isRejected ? 0 : count);
  return measure === 'memory' ? figure / 1024 / count : figure;
});
process.exit();

/** The peak of memory in use, over its level before, in bytes; each value is taken after a garbage collection. */
async function peakMemory(run: () => Promise<void>): Promise<number> {
  const inUse = () => {
    global.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = inUse();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, inUse())), 50);
  await run();
  clearInterval(timer);
  return peak - before;
}

/** The longest time, in milliseconds, for which the node blocked the event loop while it ran. */
async function longestBlock(step: Step, run: (step: Step) => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const type = NodeHelpers.getVersionedNodeType(step.type, step.version);
  const watched: INodeType = {
    ...type,
    customOperations: undefined,
    async execute() {
      delay.enable();
      await setTimeout(TICKS_MS);
      try {
        return (await (type.customOperations?.message?.sendBulk?.call(this) ?? type.execute?.call(this))) ?? [];
      } finally {
        await setTimeout(TICKS_MS);
        delay.disable();
      }
    },
  };
  await run({ ...step, type: watched });
  if (delay.count === 0) throw new Error('the node did not run');
  return delay.max / 1e6;
}
