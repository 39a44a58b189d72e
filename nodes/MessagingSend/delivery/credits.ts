import type { JsonRecord } from '../api/records';
import type { Reply } from '../api/reply';
import type { Failure } from '../failures/failure';

/**
 * How many of `count` messages the credits still pay for, told from an INSUFFICIENT_CREDITS error
 * (API part 7); always fewer than `count`, and 0 where the error does not say.
 */
export function affordable(
  count: number,
  { required_credits: required, available_credits: available }: JsonRecord,
): number {
  if (typeof required !== 'number' || typeof available !== 'number' || required <= 0 || available <= 0) return 0;
  // A message costs 1 credit in the document's examples; the error tells what it costs here.
  const affordableCount = Math.floor(available / (required / count));
  return Number.isFinite(affordableCount) ? Math.min(count - 1, affordableCount) : 0;
}

/** The credits of a balance record (API 2.1), also where they come as a text of digits; null where it has none. */
export function creditsOf({ credits }: JsonRecord): number | null {
  const value = typeof credits === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(credits) ? Number(credits) : credits;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

const UNKNOWN: Failure = {
  code: 'UNREADABLE_ANSWER',
  httpStatus: null,
  message: 'Nothing was sent, because the service did not report the credits',
  description: 'Try again later, or switch off the option Check Credits First.',
  scope: 'run',
};

/**
 * Why a run must not start, told from the reply to Get Balance; null if its credits cover the run.
 * @param needed messages to send, at 1 credit each
 */
export function creditsFailure(reply: Reply, needed: number): Failure | null {
  if (reply.kind !== 'accepted') {
    return {
      ...reply.failure,
      message: `Nothing was sent, because the credits could not be checked: ${reply.failure.message}`,
      scope: 'run',
    };
  }
  const available = creditsOf(reply.data);
  if (available === null) return UNKNOWN;
  if (available >= needed) return null;
  return {
    code: 'INSUFFICIENT_CREDITS',
    httpStatus: null,
    message: `Not enough credits for the run: ${needed} needed, ${available} available`,
    description: 'Nothing was sent. Top up the account, or switch off the option Check Credits First.',
    scope: 'run',
  };
}
