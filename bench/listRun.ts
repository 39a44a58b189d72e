/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** One run of `list`, in a process of its own: garbage of anything else would count as a block. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

import { getOneMessage, sendMessage } from 'execa';
import { type INodeParameters, type INodeType } from 'n8n-workflow';

import type { Step } from '../tools/engine/steps';
import { API_KEY } from '../tools/n8n/instance';
import { contacts, RemoteSandbox, sendingNode } from './measurements';

/** Long enough for some samples: a block at the very start or end of the node's work counts, too. */
const TICKS_MS = 5;

export interface Task {
  readonly measures: 'memory' | 'block';
  readonly url: string;
  readonly folder: string;
  readonly count: number;
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

/** A step, and the longest time in milliseconds for which its last run blocked the event loop. */
function watched(step: Step): { step: Step; longestBlock: () => number } {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const { type } = step;
  const execute: INodeType['execute'] = async function () {
    delay.reset();
    delay.enable();
    await setTimeout(TICKS_MS);
    try {
      return (await type.customOperations?.message?.sendBulk?.call(this)) ?? [];
    } finally {
      await setTimeout(TICKS_MS);
      delay.disable();
    }
  };
  return {
    step: { ...step, type: { ...type, customOperations: undefined, execute } },
    longestBlock: () => delay.max / 1e6,
  };
}

const { measures, url, folder, count, changed, arriving = count } = (await getOneMessage()) as Task;
const sandbox = new RemoteSandbox(url, API_KEY);
// A first run loads all code.
await sandbox.timeOf(await sendingNode('sendBulk', folder), contacts(100));
const { step, longestBlock } = watched(await sendingNode('sendBulk', folder, changed));
const items = contacts(count);
if (measures === 'memory') await sendMessage(await peakMemory(() => sandbox.timeOf(step, items)));
else {
  await sandbox.timeOf(step, items, arriving);
  await sendMessage(longestBlock());
}
process.exit();
