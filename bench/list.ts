/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

import { type INodeType } from 'n8n-workflow';

import type { Step } from '../tools/engine/steps';
import { contacts, type Options, type Row, sendingNode, withSandbox } from './measurements';

const MANY = 200_000;
/** How long a run with this many messages may make other workflows of its n8n wait, in milliseconds. */
const LONGEST_BLOCK = 100;
/** Long enough for some samples: a block at the very start or end of the node's work counts, too. */
const TICKS_MS = 5;

/** The runs whose blocks are measured. */
const BLOCKING = [
  { name: '' },
  { name: ', n8n evaluates each text', changed: { message: '=Hello {{ $json.name }}' } },
  { name: ', no number can be sent to', changed: { phone: '={{ $json.name }}' }, arriving: 0 },
];

/** Memory per item, and how long a run blocks the event loop. */
export async function list({ rounds, own: { folder }, session }: Options): Promise<Row[]> {
  return await withSandbox(async (sandbox) => {
    const rows: Row[] = [];
    const measure = async (row: Omit<Row, 'rounds'>, once: () => Promise<number>) => {
      session.say(row.what);
      const figures: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        session.signal.throwIfAborted();
        // What an earlier run left must not be collected in this one.
        global.gc?.();
        figures.push(await once());
      }
      rows.push({ ...row, rounds: figures });
    };
    const usual = await sendingNode('sendBulk', folder);
    // A first run loads all code.
    await sandbox.timeOf(usual, contacts(100));
    await measure({ what: 'peak memory', unit: 'KB/item' }, async () => {
      const items = contacts(MANY);
      return (await peakMemory(() => sandbox.timeOf(usual, items))) / 1024 / MANY;
    });
    for (const { name, changed, arriving = MANY } of BLOCKING) {
      const what = `longest block, ${MANY.toLocaleString('en')} items${name}`;
      const { step, longestBlock } = watched(await sendingNode('sendBulk', folder, changed));
      await measure({ what, unit: 'ms', atMost: LONGEST_BLOCK }, async () => {
        await sandbox.timeOf(step, contacts(MANY), arriving);
        return longestBlock();
      });
    }
    return rows;
  });
}

/** The peak of memory in use, over its level before, in bytes; each value is taken after a garbage collection. */
async function peakMemory(run: () => Promise<unknown>): Promise<number> {
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

/** A step, and the longest time in milliseconds for which its last run blocked the event loop. */
function watched(step: Step): { step: Step; longestBlock: () => number } {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const { type } = step;
  const execute: INodeType['execute'] = async function () {
    delay.reset();
    delay.enable();
    await setTimeout(TICKS_MS);
    try {
      return (await (type.customOperations?.message?.sendBulk?.call(this) ?? type.execute?.call(this))) ?? [];
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
