import { setTimeout as until } from 'node:timers/promises';

import { stopSignal } from './instanceForTests';

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
 */
export async function callAtRate<Answer>(
  count: number,
  perSecond: number,
  call: (index: number) => Promise<Answer>,
): Promise<Array<Called<Answer>>> {
  const begun = performance.now();
  const calls: Array<Promise<Called<Answer>>> = [];
  for (let index = 0; index < count; index += 1) {
    const due = begun + (index / perSecond) * 1000;
    const early = due - performance.now();
    if (early > 1) await until(early, undefined, { signal: stopSignal });
    calls.push(call(index).then((answer) => ({ answer, milliseconds: performance.now() - due })));
  }
  return await Promise.all(calls);
}

/** Summarizes the latencies of calls. */
export function describeLatencies(calls: ReadonlyArray<Called<unknown>>): string {
  const sorted = calls.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  const at = (share: number) => `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)} ms`;
  return `${sorted.length} calls: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)}`;
}
