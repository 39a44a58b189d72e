/** The service's limit: requests in a minute. */
export const LIMIT = 60;
export const MINUTE = 60_000;

/** The least time for a number of requests, in milliseconds: a window for every 60 before the last, and one latency. */
export function leastTime(batches: number, window: number, latency: number): number {
  return Math.floor((batches - 1) / LIMIT) * window + latency;
}
