import { creditsOf } from '../api/records';
import type { Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';

/**
 * Reads from the reply to Get Balance why a run must not start; null if the credits cover it.
 * @param required texts to send, at 1 credit each
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
