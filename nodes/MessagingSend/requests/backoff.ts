/** The longest wait before another attempt: after it, every window of the limit has passed. */
const MAX_DELAY = 60_000;
const FIRST_DELAY = 1_000;

/** Waits before another attempt to connect: short and few, because a failed attempt costs the service nothing. */
const RECONNECT_DELAYS = [250, 1_000];

/**
 * How long to wait after a 429 without Retry-After, and between probes of a service that is down, in milliseconds. Doubles
 * each time, up to a minute.
 * @param attempt counted from 0
 * @param random from 0 to 1
 */
export function backoffDelay(attempt: number, random: number): number {
  return withJitter(Math.min(MAX_DELAY, FIRST_DELAY * 2 ** attempt), random);
}

/**
 * How long to wait before another attempt to connect, in milliseconds.
 * @returns null after the last attempt
 */
export function reconnectDelay(attempt: number, random: number): number | null {
  const delay = RECONNECT_DELAYS[attempt];
  return delay === undefined ? null : withJitter(delay, random);
}

/** So that clients don't return at the same moment. */
function withJitter(delay: number, random: number): number {
  return Math.round(delay * (0.75 + 0.25 * random));
}
