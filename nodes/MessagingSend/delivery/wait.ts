import { sleep } from 'n8n-workflow';

/**
 * Waits for so many milliseconds, or until something has happened; throws at once when the run is
 * stopped.
 */
export type Wait = (what: number | Promise<void>) => Promise<void>;

/**
 * The wait of one run. `sleepWithAbort` is not in every n8n-workflow (not in 2.41), so `sleep`, which
 * is, races with the signal.
 * @param signal of the Stop button; its reason is what a wait throws
 */
export function waitUnless(signal: AbortSignal | undefined): Wait {
  return async (what) => {
    signal?.throwIfAborted();
    const end = typeof what === 'number' ? sleep(what) : what;
    if (signal === undefined) return await end;

    let stop: () => void = () => {};
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([end, stopped]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
    signal.throwIfAborted();
  };
}
