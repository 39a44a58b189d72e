import { setTimeout as until } from 'node:timers/promises';

/** One call, and how long it took. */
export interface Called<Answer> {
  answer: Answer;
  /** From the time it was due, not from when it could be made: a caller who has to queue waits, too. */
  milliseconds: number;
}

/**
 * Makes calls at a fixed rate, whether or not earlier ones have been answered, and waits for all answers.
 *
 * @param count      how many calls
 * @param perSecond  how many in a second; Infinity for all at the same time
 * @param signal     ends the wait for the next call, with its reason
 */
export async function callAtRate<Answer>(
  count: number,
  perSecond: number,
  call: (index: number) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Array<Called<Answer>>> {
  const begun = performance.now();
  const calls: Array<Promise<Called<Answer>>> = [];
  for (let index = 0; index < count; index += 1) {
    const due = begun + (index / perSecond) * 1000;
    const early = due - performance.now();
    if (early > 1) await until(early, undefined, { signal });
    calls.push(call(index).then((answer) => ({ answer, milliseconds: performance.now() - due })));
  }
  return await Promise.all(calls);
}

/** The latency, in milliseconds, within which this share of the calls was answered. */
export function latencyWithin(share: number, calls: ReadonlyArray<Called<unknown>>): number {
  const sorted = calls.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

/** Summarizes the latencies of calls. */
export function describeLatencies(calls: ReadonlyArray<Called<unknown>>): string {
  const within = (share: number) => `${Math.round(latencyWithin(share, calls))} ms`;
  return `${calls.length} calls: p50 ${within(0.5)}, p95 ${within(0.95)}, p99 ${within(0.99)}, max ${within(1)}`;
}
