import { sleep } from 'n8n-workflow';

/** Waits for a number of milliseconds, or for a promise. Throws as soon as the run is stopped. */
export type Wait = (what: number | Promise<void>) => Promise<void>;

/**
 * The wait of one run. `sleep` races with the signal, because n8n-workflow 2.41 has no `sleepWithAbort`.
 * @param signal its reason is what a wait throws
 */
export function waitUnless(signal: AbortSignal): Wait {
  // One listener for all waits, and only during a wait: Node keeps a signal alive while it has listeners.
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
 * A signal that follows another. Node warns of a leak when a signal has more than ten listeners, and more requests than
 * that listen for the Stop button at once.
 */
export function follow(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal]);
}
