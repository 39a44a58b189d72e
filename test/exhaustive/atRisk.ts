import type { Moment } from '../../tools/engine/lifetime';

interface Killed {
  readonly moments: readonly Moment[];
  readonly isRetry: boolean;
  /** Whether it first asks whom other executions have sent what. */
  readonly asksOthers?: boolean;
  readonly mayBeSecondTry?: boolean;
  /** All messages. */
  readonly count: number;
  readonly inFlight: number;
  /** How many messages a round of its loop has; 0 without a loop. */
  readonly round: number;
}

/** How many messages may be uncertain after a kill. */
export function atRisk(killed: Killed): number {
  const { moments, isRetry, asksOthers = false, mayBeSecondTry = false, count, inFlight, round } = killed;
  // Like a Retry, a second try asks what the first one has begun.
  if (mayBeSecondTry && (moments.at(-1) ?? '').includes('writ')) return count;
  // Before the run is noted, only n8n's event log knows of it; and a question that is cut off leaves nothing certain.
  const isNoted = moments.includes(isRetry ? 'leaving' : 'written');
  const isAsking = (isRetry || asksOthers) && !moments.includes('leaving') && moments.includes('writing');
  if (isAsking || (!isRetry && !isNoted)) return count;
  // Answered messages that are not noted as answered are in flight as well; and a Retry asks again in each round.
  return 2 * inFlight + (isRetry ? round : 0);
}
