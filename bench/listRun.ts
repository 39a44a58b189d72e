/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** One run of `list`, in a process of its own: garbage of anything else would count as a block. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

import { getOneMessage, sendMessage } from 'execa';
import type { INodeParameters, INodeType } from 'n8n-workflow';

import { contacts, sendingNode, withSandbox } from './measurements';

const MANY = 200_000;
/** Long enough for some samples: a block at the very start or end of the node's work counts, too. */
const TICKS_MS = 5;

export interface Task {
  /** By default, the longest block in milliseconds; or the peak of memory in use in KB per item. */
  readonly measures?: 'memory';
  readonly changed?: INodeParameters;
  readonly arriving?: number;
}

/** The peak of memory in use, over its level before, in bytes; each value is taken after a garbage collection. */
async function peakMemory(run: () => Promise<unknown>): Promise<number> {
  const inUse = () => {
    global.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = inUse();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, inUse())), 1000);
  await run();
  clearInterval(timer);
  return peak - before;
}

const { measures, changed, arriving = MANY } = (await getOneMessage()) as Task;
const figure = await withSandbox(async (sandbox) => {
  // A first run loads all code.
  await sandbox.timeOf(await sendingNode('sendBulk'), contacts(100));
  const step = await sendingNode('sendBulk', changed);
  const items = contacts(MANY);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const execute: INodeType['execute'] = async function () {
    delay.enable();
    await setTimeout(TICKS_MS);
    const output = await step.type.customOperations?.message?.sendBulk?.call(this);
    await setTimeout(TICKS_MS);
    delay.disable();
    return output ?? [];
  };
  const watched = { ...step, type: { ...step.type, customOperations: undefined, execute } };
  const run = () => sandbox.timeOf(watched, items, arriving);
  if (measures === 'memory') return (await peakMemory(run)) / 1024 / MANY;
  await run();
  return delay.max / 1e6;
});
await sendMessage(figure);
process.exit();
