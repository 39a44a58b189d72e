import { MAX_BATCH_SIZE } from '../nodes/MessagingSend/api/endpoints';
import { PARALLEL_REQUESTS } from '../nodes/MessagingSend/requests/traffic';
import { LIMITER_KINDS, type LimiterKind } from '../sandbox/limiter';
import { leastTime, leastTimeBySlots, LIMIT, MINUTE } from './leastTime';
import { atMost, type Goal, type Measurements, median, type Series } from './measurements';
import type { Options } from './options';
import type { PacedTask } from './pacedWorker';
import { startWorker } from './processes';
import { type Received, withSandbox } from './sandbox';

/** By this factor, minutes and latencies are shortened, unless limits are measured in real minutes. */
const SHORTENED = 6;

/** How much longer than the best time a run may take. */
interface Aim {
  readonly batches: number;
  /** What the best time is: by the service's limit, by the pacer's slots, or by 16 requests at the same time. */
  readonly bestBy: 'service' | 'slots' | 'parallel';
  /** The highest ratio that meets the goal; null for a figure alone. */
  readonly goal: number | null;
}

const within = (goal: number | null): Aim[] => [
  { batches: 1, bestBy: 'parallel', goal: null },
  { batches: 60, bestBy: 'parallel', goal: null },
  { batches: 61, bestBy: 'service', goal },
  { batches: 180, bestBy: 'service', goal },
];

/** By the latency of answers, in milliseconds. */
const ANSWERS: ReadonlyArray<{ readonly latency: number; readonly aims: readonly Aim[] }> = [
  { latency: 50, aims: within(1.05) },
  { latency: 1_000, aims: within(1.1) },
  { latency: 3_000, aims: within(null) },
  { latency: 20_000, aims: [{ batches: 180, bestBy: 'slots', goal: 1.1 }] },
];

/** Time over the best possible time under a limit of 60 requests per window, with each limiter. */
export async function limit({ rounds, trueMinutes, log }: Options): Promise<Measurements> {
  const series: Series[] = [];
  const goals: Goal[] = [];
  for (const limiter of LIMITER_KINDS) {
    // They mostly wait, so they can run at the same time.
    const measured = await Promise.all(
      ANSWERS.map(async (answers) => await measure({ limiter, ...answers, trueMinutes, rounds, log })),
    );
    for (const each of measured) {
      series.push(...each.series);
      goals.push(...each.goals);
    }
  }
  return { series, goals };
}

interface Given extends Pick<Options, 'log' | 'rounds' | 'trueMinutes'> {
  readonly limiter: LimiterKind;
  readonly latency: number;
  readonly aims: readonly Aim[];
}

async function measure({ limiter, latency, aims, trueMinutes, rounds, log }: Given): Promise<Measurements> {
  const contender = `${limiter}, answers after ${latency} ms`;
  const window = trueMinutes ? MINUTE : MINUTE / SHORTENED;
  // Without a window to wait for, nothing needs to be shortened.
  const latencyFor = (batches: number) => (trueMinutes || batches <= LIMIT ? latency : Math.round(latency / SHORTENED));
  const worker = startWorker<PacedTask, number>('pacedWorker.ts');
  const once = async (batches: number): Promise<Received> =>
    await withSandbox(
      { limit: LIMIT, limiter, windowSeconds: window / 1000, latencyMs: latencyFor(batches) },
      async (sandbox) => {
        await worker.ask({ url: sandbox.url, from: 0, to: batches * MAX_BATCH_SIZE, window });
        await sandbox.expectOnce(batches * MAX_BATCH_SIZE);
        return await sandbox.received();
      },
    );
  try {
    log(`${contender}: warm-up`);
    await once(1);
    const series: Series[] = [];
    const goals: Goal[] = [];
    let refused = 0;
    for (const { batches, bestBy, goal } of aims) {
      const best = bestTime(bestBy, batches, window, latencyFor(batches));
      const measured: number[] = [];
      const count = trueMinutes ? 1 : rounds;
      for (let round = 1; round <= count; round += 1) {
        log(`${contender}: ${batches} batches, round ${round} of ${count}`);
        const received = await once(batches);
        measured.push((received.seconds * 1000) / best);
        refused += received.refused;
      }
      const what = batches === 1 ? '1 batch' : `${batches} batches`;
      series.push({ case: what, contender, unit: `x best by ${bestBy}`, rounds: measured });
      if (goal !== null) goals.push(atMost(`${contender}, ${what}`, median(measured), goal));
    }
    series.push({ case: 'all of these', contender, unit: '429s', rounds: [refused] });
    return { series, goals: [...goals, atMost(`${contender}, 429s`, refused, 0)] };
  } finally {
    await worker.stop();
  }
}

function bestTime(by: Aim['bestBy'], batches: number, window: number, latency: number): number {
  switch (by) {
    case 'service':
      return leastTime(batches, window, latency);
    case 'slots':
      return leastTimeBySlots(batches, window, latency);
    case 'parallel':
      return Math.ceil(batches / PARALLEL_REQUESTS) * latency;
  }
}
