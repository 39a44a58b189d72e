import { MAX_BATCH_SIZE } from '../nodes/MessagingSend/api/endpoints';
import { leastTime, LIMIT, MINUTE } from './leastTime';
import { atMost, type Goal, type Measurements, median, type Series } from './measurements';
import type { Options } from './options';
import type { PacedTask } from './pacedWorker';
import { startWorker } from './processes';
import { withSandbox } from './sandbox';

/** A minute, or shorter, but not by much: the sandbox's Retry-After is in whole seconds. */
const windowFor = (trueMinutes: boolean) => (trueMinutes ? MINUTE : 15_000);

const LATENCY = 50;
const BATCHES = 120;

/** Time over the least possible time for several processes that share a key and know nothing of each other. */
export async function sharedKey({ rounds, trueMinutes, log }: Options): Promise<Measurements> {
  const window = windowFor(trueMinutes);
  const series: Series[] = [];
  const goals: Goal[] = [];
  for (const count of [2, 4]) {
    const contender = `${count} processes`;
    const workers = Array.from({ length: count }, () => startWorker<PacedTask, number>('pacedWorker.ts'));
    const ratios: number[] = [];
    const refused: number[] = [];
    try {
      // The first round is a warm-up.
      for (let round = 0; round <= (trueMinutes ? 1 : rounds); round += 1) {
        log(`${contender}: ${round === 0 ? 'warm-up' : `round ${round}`}`);
        await withSandbox({ limit: LIMIT, windowSeconds: window / 1000, latencyMs: LATENCY }, async (sandbox) => {
          const share = round === 0 ? MAX_BATCH_SIZE : (BATCHES * MAX_BATCH_SIZE) / count;
          const sent = await Promise.all(
            workers.map(
              async ({ ask }, index) =>
                await ask({ url: sandbox.url, from: index * share, to: (index + 1) * share, window }),
            ),
          );
          const total = share * count;
          if (sent.reduce((all, each) => all + each) !== total)
            throw new Error(`the node reports ${sent.join(' + ')} sent of ${total}`);
          await sandbox.expectOnce(total);
          if (round === 0) return;
          const received = await sandbox.received();
          ratios.push((received.seconds * 1000) / leastTime(BATCHES, window, LATENCY));
          refused.push(received.refused);
        });
      }
    } finally {
      await Promise.all(workers.map(async ({ stop }) => await stop()));
    }
    const what = `${BATCHES} batches`;
    series.push(
      { case: what, contender, unit: 'x least time', rounds: ratios },
      { case: what, contender, unit: '429s', rounds: refused },
    );
    goals.push(atMost(`${contender} with one key, nothing lost or twice`, median(ratios), 1.25));
  }
  return { series, goals };
}
