import { creditsOf, type JsonRecord } from '../api/records';
import type { Rejected, Reply } from '../api/reply';
import { type Credits, type Failure, failure } from '../failures/failure';
import { type Batch, splitBatch } from '../messages/message';
import type { Receipt, Unconfirmed } from '../messages/outcome';

/** A batch that was rejected with INSUFFICIENT_CREDITS: the first messages, which the credits pay for, and the rest. */
export interface Paid {
  readonly paid: Batch;
  readonly unpaid: Batch;
  /** With the figures of the unpaid messages. */
  readonly whyUnpaid: Failure;
}

export function splitByCredits(batch: Batch, { error, failure: why }: Pick<Rejected, 'error' | 'failure'>): Paid {
  const count = batch.messages.length;
  const [paid, unpaid] = splitBatch(batch, affordable(count, error));
  if (why.credits === undefined || paid.messages.length === 0) return { paid, unpaid, whyUnpaid: why };
  const { required, available } = why.credits;
  const costOf = ({ messages }: Batch) => (required * messages.length) / count;
  return { paid, unpaid, whyUnpaid: tooLow(why, { required: costOf(unpaid), available: available - costOf(paid) }) };
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
 * Has every message that the credits do not cover say what all of them need. The service's figures are about the one request
 * that it rejected, and whoever tops up by these runs out of credits again.
 * @param receipts of one account, in the order in which they were settled
 */
export function withCreditsOfRun(receipts: readonly Receipt[]): readonly Receipt[] {
  let unpaid = 0;
  let first: { readonly why: Failure; readonly perMessage: number } | null = null;
  let available = Infinity;
  for (const receipt of receipts) {
    const left = receipt.data?.credits_remaining;
    if (typeof left === 'number') available = Math.min(available, left);
    const why = whyUnpaid(receipt);
    if (why?.credits !== undefined) {
      const { length } = receipt.results;
      first ??= { why, perMessage: why.credits.required / length };
      unpaid += length;
      available = Math.min(available, why.credits.available);
    }
  }
  if (first === null) return receipts;
  const ofAll = tooLow(first.why, { required: Math.ceil(unpaid * first.perMessage), available });
  const corrected: Receipt[] = [];
  for (const receipt of receipts) {
    corrected.push(whyUnpaid(receipt) === null ? receipt : withOutcome(receipt, { kind: 'not_sent', failure: ofAll }));
  }
  return corrected;
}

function withOutcome(receipt: Receipt, outcome: Unconfirmed): Receipt {
  return { ...receipt, results: receipt.results.map(({ message }) => ({ message, outcome })) };
}

/** A request that the credits do not cover is rejected as a whole. */
function whyUnpaid({ results }: Receipt): Failure | null {
  const outcome = results[0]?.outcome;
  return outcome?.kind === 'not_sent' && outcome.failure.credits !== undefined ? outcome.failure : null;
}

/** The service's own words have its own figures. */
function tooLow({ httpStatus }: Failure, credits: Credits): Failure {
  return failure('creditsTooLow', credits, { httpStatus, credits });
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
