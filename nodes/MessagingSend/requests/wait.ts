import { sleep } from 'n8n-workflow';

/**
 * Waits for so many milliseconds, or until something has happened; throws as soon as the run is stopped.
 */
export type Wait = (what: number | Promise<void>) => Promise<void>;

/**
 * The wait of one run. `sleepWithAbort` is not in every n8n-workflow (not in 2.41), so `sleep`, which
 * is, races with the signal.
 * @param signal its reason is what a wait throws
 */
export function waitUnless(signal: AbortSignal): Wait {
  // One listener for all, and only while somebody waits: Node keeps a signal that is listened to, for as long as it lives.
  const waiting = new Set<() => void>();
  const stopAll = (): void => {
    for (const stop of waiting) stop();
  };
  return async (what) => {
    signal.throwIfAborted();
    const end = typeof what === 'number' ? sleep(what) : what;
    let stop: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    if (waiting.size === 0) signal.addEventListener('abort', stopAll);
    waiting.add(stop);
    try {
      await Promise.race([end, stopped]);
    } finally {
      waiting.delete(stop);
      if (waiting.size === 0) signal.removeEventListener('abort', stopAll);
    }
    signal.throwIfAborted();
  };
}

/**
 * A signal that follows another. Many requests listen for the Stop button at the same time; with a listener each on n8n's
 * one signal, Node would warn of a leak from the eleventh on.
 */
export function follow(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal]);
}
