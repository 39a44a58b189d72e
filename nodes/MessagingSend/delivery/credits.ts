import { creditsOf, type JsonRecord } from '../api/records';
import type { Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import { type Batch, splitBatch } from '../messages/message';

/** Divides a batch that was rejected with INSUFFICIENT_CREDITS: the first messages, which the credits pay for, and the rest. */
export function splitByCredits(batch: Batch, error: JsonRecord): { readonly paid: Batch; readonly unpaid: Batch } {
  const [paid, unpaid] = splitBatch(batch, affordable(batch.messages.length, error));
  return { paid, unpaid };
}

/**
 * How many of `count` messages the credits still pay for, read from an INSUFFICIENT_CREDITS error (API part 7): always
 * fewer than `count`, and 0 if the error does not say.
 */
function affordable(count: number, { required_credits: required, available_credits: available }: JsonRecord): number {
  if (typeof required !== 'number' || typeof available !== 'number' || required <= 0 || available <= 0) return 0;
  // A message costs 1 credit in the document's examples; the error says what it costs here.
  const affordableCount = Math.floor(available / (required / count));
  return Number.isFinite(affordableCount) ? Math.min(count - 1, affordableCount) : 0;
}

/**
 * Reads from the reply to Get Balance why a run must not start; null if the credits cover it.
 * @param required messages to send, at 1 credit each
 */
export function creditsFailure(reply: Reply, required: number): Failure | null {
  if (reply.kind !== 'accepted') {
    const { message: reason, advice, ...details } = reply.failure;
    return failure('creditsNotRead', { reason, advice }, { ...details, scope: 'run', sendAgain: 'safe' });
  }
  const available = creditsOf(reply.data);
  if (available === null) return failure('creditsNotReported');
  const credits = { required, available };
  return available >= required ? null : failure('creditsTooLowForRun', credits, { credits });
}
