import { LIMITER_KINDS, type LimiterKind } from '../sandbox/limiter';
import { atMost, type Goal, type Measurements, median, type Series } from './measurements';
import type { Options } from './options';
import type { PacedTask } from './pacedWorker';
import { startWorker } from './processes';
import { type Received, withSandbox } from './sandbox';

const MINUTE = 60_000;
/** How many times shorter a minute and the latency of answers are, unless limits are measured in real minutes. */
const SHORTENED = 6;
/** Requests per window. */
const LIMIT = 60;

const BATCHES = [1, 60, 61, 180];
const PER_BATCH = 100;
/** The latency of answers in milliseconds, and the highest ratio that meets the goal. */
const ANSWERS = [
  { latency: 50, goal: 1.05 },
  { latency: 1_000, goal: 1.1 },
  { latency: 3_000, goal: null },
];

/** Time over the least possible time under a limit of 60 requests per window, with each limiter. */
export async function limit({ rounds, trueMinutes, log }: Options): Promise<Measurements> {
  const series: Series[] = [];
  const goals: Goal[] = [];
  for (const limiter of LIMITER_KINDS) {
    // They mostly wait, so they can run at the same time.
    const measured = await Promise.all(
      ANSWERS.map(async ({ latency, goal }) => {
        const all = await measure(limiter, latency, trueMinutes, trueMinutes ? 1 : rounds, log);
        const judged = all.map((each) =>
          each.unit === '429s'
            ? atMost(`${each.contender}, 429s`, Math.max(...each.rounds), 0)
            : goal === null
              ? []
              : atMost(`${each.contender}, ${each.case}`, median(each.rounds), goal),
        );
        return { all, judged: judged.flat() };
      }),
    );
    series.push(...measured.flatMap(({ all }) => all));
    goals.push(...measured.flatMap(({ judged }) => judged));
  }
  return { series, goals };
}

async function measure(
  limiter: LimiterKind,
  latency: number,
  trueMinutes: boolean,
  rounds: number,
  log: (line: string) => void,
): Promise<Series[]> {
  const contender = `${limiter}, answers after ${latency} ms`;
  const window = trueMinutes ? MINUTE : MINUTE / SHORTENED;
  // Without a window to wait for, nothing needs to be shortened.
  const latencyFor = (batches: number) => (trueMinutes || batches <= LIMIT ? latency : Math.round(latency / SHORTENED));
  const worker = startWorker<PacedTask, number>('pacedWorker.ts');
  const once = async (batches: number): Promise<Received> =>
    await withSandbox(
      { limit: LIMIT, limiter, windowSeconds: window / 1000, latencyMs: latencyFor(batches) },
      async (sandbox) => {
        await worker.ask({ url: sandbox.url, from: 0, to: batches * PER_BATCH, window });
        await sandbox.expectOnce(batches * PER_BATCH);
        return await sandbox.received();
      },
    );
  try {
    log(`${contender}: warm-up`);
    await once(1);
    const series: Series[] = [];
    let refused = 0;
    for (const batches of BATCHES) {
      const ratios: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        log(`${contender}: ${batches} batches, round ${round} of ${rounds}`);
        const received = await once(batches);
        ratios.push((received.seconds * 1000) / leastTime(batches, window, latencyFor(batches)));
        refused += received.refused;
      }
      series.push({
        case: batches === 1 ? '1 batch' : `${batches} batches`,
        contender,
        unit: 'x least time',
        rounds: ratios,
      });
    }
    return [...series, { case: 'all of these', contender, unit: '429s', rounds: [refused] }];
  } finally {
    await worker.stop();
  }
}

/** A window for every 60 requests before the last, and the latency of the last answer; in milliseconds. */
export function leastTime(batches: number, window: number, latency: number): number {
  return Math.floor((batches - 1) / LIMIT) * window + latency;
}
