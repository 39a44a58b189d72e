/** Longest wait after a 429 that does not say how long; by then every window has passed. */
const WINDOW = 60_000;
const FIRST = 1_000;

/**
 * How long to wait after the service said 429 without saying for how long, in milliseconds: twice as
 * long each time, up to the length of the window, with jitter so that others do not come back at once.
 * @param attempt counted from 0
 * @param random from 0 to 1
 */
export function backOff(attempt: number, random: number): number {
  const longest = Math.min(WINDOW, FIRST * 2 ** Math.min(attempt, 16));
  return Math.round(longest * (0.75 + 0.25 * random));
}

/** The same for a service that could not be reached; null after the last try. */
export function reconnectDelay(attempt: number, random: number): number | null {
  const delays = [250, 1_000];
  const delay = delays[attempt];
  return delay === undefined ? null : Math.round(delay * (0.75 + 0.25 * random));
}
