import { sleep } from 'n8n-workflow';

/**
 * Waits, and ends at once when the run is stopped. `sleepWithAbort` is not in every n8n-workflow
 * (not in 2.41), so `sleep`, which is, races with the signal.
 * @throws the signal's reason when it is aborted
 */
export async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (signal === undefined) return await sleep(milliseconds);

  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([sleep(milliseconds), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
}
