import { MAX_BATCH_SIZE } from '../nodes/MessagingSend/api/endpoints';
import { leastTime, LIMIT, MINUTE } from './leastTime';
import type { LimitTask } from './limitWorker';
import { atMost, type Goal, type Measurements, type Series } from './measurements';
import type { Options } from './options';
import { startWorker } from './processes';
import { withSandbox } from './sandbox';

/** By the latency of answers, in milliseconds: how much longer than the least time a run may take. */
const ANSWERS = [
  { latency: 50, goal: 1.05 },
  { latency: 1_000, goal: 1.1 },
] as const;

const BATCHES = [61, 180];

/** Time over the least possible time under a limit of 60 requests a minute. It takes minutes, so one round has to do. */
export async function limit({ log }: Options): Promise<Measurements> {
  // They mostly wait, so they can run at the same time.
  const parts = await Promise.all(
    ANSWERS.flatMap((answers) => BATCHES.map(async (batches) => await measure({ ...answers, batches, log }))),
  );
  return { series: parts.flatMap(({ series }) => series), goals: parts.flatMap(({ goals }) => goals) };
}

interface Given extends Pick<Options, 'log'> {
  readonly latency: number;
  readonly goal: number;
  readonly batches: number;
}

async function measure({ latency, goal, batches, log }: Given): Promise<Measurements> {
  const contender = `answers after ${latency} ms`;
  const what = `${batches} batches`;
  const worker = startWorker<LimitTask, unknown>('limitWorker.ts');
  const once = async (count: number) =>
    await withSandbox({ limit: LIMIT, windowSeconds: MINUTE / 1000, latencyMs: latency }, async (sandbox) => {
      await worker.ask({ url: sandbox.url, count });
      await sandbox.expectOnce(count);
      return await sandbox.received();
    });
  try {
    log(`${contender}, ${what}`);
    // All code is loaded before.
    await once(1);
    const { seconds, refused } = await once(batches * MAX_BATCH_SIZE);
    const ratio = (seconds * 1000) / leastTime(batches, MINUTE, latency);
    const series: Series[] = [
      { case: what, contender, unit: 'x least time', rounds: [ratio] },
      { case: what, contender, unit: '429s', rounds: [refused] },
    ];
    const goals: Goal[] = [
      atMost(`${contender}, ${what}`, ratio, goal),
      atMost(`${contender}, ${what}, 429s`, refused, 0),
    ];
    return { series, goals };
  } finally {
    await worker.stop();
  }
}
