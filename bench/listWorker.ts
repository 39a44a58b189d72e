import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

import { type INodeType, NodeHelpers } from 'n8n-workflow';

import { itemsNode, runSteps, type Step } from '../tools/engine/steps';
import { contacts, messagingSend } from './contenders';
import { answer } from './processes';
import { RemoteSandbox } from './sandbox';

export interface ListTask {
  readonly measure: 'memory' | 'block';
  /** `hold` only holds the items; `reject` has only invalid numbers; for `evaluate`, n8n evaluates each text. */
  readonly contender: 'send' | 'evaluate' | 'reject' | 'hold';
  readonly count: number;
  readonly folder: string;
  readonly url: string;
}

/** Long enough for some samples: a block at the very start or end of the node's work counts, too. */
const TICKS_MS = 5;

/** Passes on its items after a second, in which their memory can be measured. */
const holder: INodeType = {
  description: { ...itemsNode([]).description, displayName: 'Hold', name: 'hold', inputs: ['main'] },
  async execute() {
    return await setTimeout(1_000, [this.getInputData()]);
  },
};

const STEPS: Readonly<Record<ListTask['contender'], (folder: string) => Promise<Step>>> = {
  send: async (folder) => await messagingSend('sendBulk', folder),
  evaluate: async (folder) => await messagingSend('sendBulk', folder, { message: '=Hello {{ $json.name }}' }),
  reject: async (folder) => ({
    ...(await messagingSend('sendBulk', folder, { phone: '={{ $json.name }}' })),
    onError: 'continueRegularOutput',
  }),
  hold: async () => await Promise.resolve({ name: 'Hold', type: holder }),
};

/** Reports kilobytes per item, or milliseconds. */
await answer(async ({ measure, contender, count, folder, url }: ListTask) => {
  const sandbox = new RemoteSandbox(url);
  const step = await STEPS[contender](folder);
  // A first run loads all code.
  await runSteps(contacts(100), [step], sandbox.account);
  await sandbox.reset();
  const run = async (given: Step) => void (await runSteps(contacts(count), [given], sandbox.account));
  const figure =
    measure === 'memory'
      ? (await peakMemory(async () => await run(step))) / 1024 / count
      : await longestBlock(step, run);
  await sandbox.expectOnce(contender === 'send' || contender === 'evaluate' ? count : 0);
  return figure;
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
