import { REQUESTS_PER_MINUTE } from '../api/endpoints';

/** How many requests of a run may be in flight at the same time: an outage makes the messages of all of them uncertain. */
export const PARALLEL_REQUESTS = 16;

/** By when the requests that a window allows should be answered, as a share of the window. */
const SHARE = 1 / 3;

/**
 * The same where the user sets none: more for a service that takes longer than 5 s to answer, because those few would
 * not use up its limit for most of a minute.
 * @param answerTime what the latest answer took, as a share of the window
 */
export function parallelFor(answerTime: number): number {
  const needed = Math.ceil((REQUESTS_PER_MINUTE * answerTime) / SHARE);
  return Math.min(REQUESTS_PER_MINUTE, Math.max(PARALLEL_REQUESTS, needed));
}
