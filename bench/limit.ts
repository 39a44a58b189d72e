import type { LimitTask } from './limitWorker';
import type { Options, Row } from './measurements';
import { ask } from './processes';
import { withSandbox } from './sandbox';

/** How much longer than the least possible time a run may take, by the time that an answer takes, in milliseconds. */
const ANSWERS = [
  { latencyMs: 50, atMost: 1.05 },
  { latencyMs: 1_000, atMost: 1.1 },
] as const;

/** The service's limit: requests in a window. */
const LIMIT = 60;
const WINDOW_MS = 60_000;
const BATCHES = 180;

/** The run's time over the least possible time under the real limit. It takes minutes, so one round must do. */
export async function limit({ own, before, session }: Options): Promise<Row[]> {
  session.say(`${BATCHES} batches, ${LIMIT} in a minute`);
  const packages = [{ name: '', ...own }, ...(before ? [{ name: ', the package before', ...before }] : [])];
  // They mostly wait, so they can run at the same time.
  return await Promise.all(
    packages.flatMap(({ name, folder }) =>
      ANSWERS.map(async ({ latencyMs, atMost }): Promise<Row> => {
        const what = `answers after ${latencyMs} ms${name}`;
        // One window for every 60 requests before the last, plus one answer.
        const least = Math.floor((BATCHES - 1) / LIMIT) * WINDOW_MS + latencyMs;
        return { what, unit: '', rounds: [(await timeOfRun(folder, latencyMs)) / least], atMost };
      }),
    ),
  );
}

async function timeOfRun(folder: string, latencyMs: number): Promise<number> {
  return await withSandbox({}, async (warmUp) => {
    const service = { limit: LIMIT, windowSeconds: WINDOW_MS / 1000, latencyMs };
    return await withSandbox(service, async (sandbox) => {
      const count = BATCHES * 100;
      const task: LimitTask = { folder, count, warmUpUrl: warmUp.url, url: sandbox.url };
      const time = await ask<number>('limitWorker.ts', { ...task });
      await sandbox.expectOnce(count);
      return time;
    });
  });
}
