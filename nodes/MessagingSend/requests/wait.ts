import { sleep } from 'n8n-workflow';

/** Time and chance; tests have their own. */
export interface Clock {
  /** In milliseconds; never goes back. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

export const SYSTEM_CLOCK: Clock = { now: () => performance.now(), sleep, random: Math.random };

/** Waits for a number of milliseconds, or for a promise. Throws as soon as the run is stopped. */
export type Wait = (what: number | Promise<unknown>) => Promise<void>;

/**
 * The wait of one run. `sleep` races with the signal, because n8n-workflow 2.41 has no `sleepWithAbort`.
 * @param signal a wait throws its reason
 */
export function waitUnless(signal: AbortSignal, clock: Pick<Clock, 'sleep'> = SYSTEM_CLOCK): Wait {
  // One listener for all waits, and only during a wait: Node keeps a signal alive while it has listeners.
  const waiting = new Set<() => void>();
  const stopAll = (): void => {
    for (const stop of waiting) stop();
  };
  return async (what) => {
    signal.throwIfAborted();
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    if (waiting.size === 0) signal.addEventListener('abort', stopAll);
    waiting.add(stop);
    try {
      await Promise.race([typeof what === 'number' ? clock.sleep(what) : what, stopped]);
    } finally {
      waiting.delete(stop);
      if (waiting.size === 0) signal.removeEventListener('abort', stopAll);
    }
    signal.throwIfAborted();
  };
}

/** Waits before another attempt to connect, in milliseconds: few, because a failed attempt costs the service nothing. */
export const RECONNECT_DELAYS: readonly number[] = [250, 1_000];

/**
 * How long to wait after a 429 without Retry-After, and between probes of a service that is down, in milliseconds.
 * Doubles each time, up to a minute, in which every window of the limit has passed. A quarter is random, so that
 * several processes don't return at the same moment.
 * @param attempt counted from 0
 * @param random from 0 to 1
 */
export function backoffDelay(attempt: number, random: number): number {
  return Math.min(60_000, 1_000 * 2 ** attempt) * (0.75 + 0.25 * random);
}
