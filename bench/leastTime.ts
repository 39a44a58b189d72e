/** The service's limit: requests in a minute. */
export const LIMIT = 60;
export const MINUTE = 60_000;

/** The least time for a number of requests, in milliseconds: a window for every 60 before the last, and one latency. */
export function leastTime(batches: number, window: number, latency: number): number {
  return Math.floor((batches - 1) / LIMIT) * window + latency;
}

/** The least time where a slot is free one window after its answer, and the first request goes alone. */
export function leastTimeBySlots(batches: number, window: number, latency: number): number {
  const starts: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const free = (starts[batch - LIMIT] ?? -Infinity) + latency + window;
    starts.push(batch === 0 ? 0 : Math.max(latency, free));
  }
  return (starts.at(-1) ?? 0) + latency;
}
