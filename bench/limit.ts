import { contacts, type Options, type RemoteSandbox, type Row, sendingNode, withSandbox } from './measurements';

/**
 * How much longer than the least possible time a run may take, by the time that an answer takes, in milliseconds. With
 * 'Parallel Requests' as it starts, 4 s is the longest with which a minute is still full. A request counts until a
 * minute after its answer, which costs one answer in each window.
 */
const ANSWERS = [
  { latencyMs: 50, atMost: 1.05 },
  { latencyMs: 1_000, atMost: 1.05 },
  { latencyMs: 4_000, atMost: 1.1 },
] as const;

/** The service's limit: requests in a window. */
const LIMIT = 60;
const WINDOW_MS = 60_000;
/** The last batch leaves when the second window ends, so a window that was not full delays it. */
const WINDOWS = 2;
const BATCHES = WINDOWS * LIMIT + 1;

/** The run's time over the least possible time under the real limit. It takes minutes, so one round must do. */
export async function limit({ session }: Options): Promise<Row[]> {
  session.say(`${BATCHES} batches, ${LIMIT} in a minute`);
  const step = await sendingNode('sendBulk', { options: {} });
  // They mostly wait, so they can run at the same time. Each has a key, and with it a limit, of its own.
  return await Promise.all(
    ANSWERS.map(async ({ latencyMs, atMost }, index): Promise<Row> => {
      const service = { limit: LIMIT, windowSeconds: WINDOW_MS / 1000, latencyMs };
      const run = (sandbox: RemoteSandbox) => sandbox.timeOf(step, contacts(BATCHES * 100));
      const time = await withSandbox(run, service, `made-up-key-${index}`);
      const least = WINDOWS * WINDOW_MS + latencyMs;
      return { what: `answers after ${latencyMs} ms`, rounds: [time / least], atMost };
    }),
  );
}
