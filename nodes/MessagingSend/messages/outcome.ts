import type { JsonRecord, JsonScalar } from '../api/records';
import type { Failure } from '../failures/failure';
import type { Batch, Message } from './message';

/** What happened to one message; every message has exactly one. */
export type Outcome = Sent | Skipped | Unconfirmed;

export type Skipped =
  | { readonly kind: 'skipped'; readonly reason: 'sent_before' | 'empty_field' | 'opted_out' | 'test_run' }
  /** `sendAt`: when the window opens next, in milliseconds since 1970. */
  | { readonly kind: 'skipped'; readonly reason: 'outside_window'; readonly sendAt: number };

export interface Sent {
  readonly kind: 'sent';
  readonly messageId: JsonScalar;
  readonly status: JsonScalar;
}

/** The message was not sent, or nobody knows whether it was. */
export interface Unconfirmed {
  /** `not_sent`: sending it again is safe. `uncertain`: it may have been sent, so sending it again may send it twice. */
  readonly kind: 'not_sent' | 'uncertain';
  readonly failure: Failure;
}

/** Whether the message must not be sent again. */
export function mayBeSent(outcome: Outcome): outcome is Sent | Unconfirmed {
  return outcome.kind === 'sent' || outcome.kind === 'uncertain';
}

export interface Result {
  readonly message: Message;
  readonly outcome: Outcome;
}

/** What one request did: its messages with their outcomes, and the service's answer if it was accepted. */
export interface Receipt {
  /** The number of the batch in the request; null if no request is known. */
  readonly batch: number | null;
  readonly results: readonly Result[];
  /** What is kept of the envelope's `data` (API 2.2, 2.3); null if the service did not accept the request. */
  readonly data: JsonRecord | null;
}

/** The receipt of a batch whose messages all have the same outcome, without an answer from the service. */
export function receiptOf({ number, messages }: Batch, outcome: Outcome): Receipt {
  return { batch: number, results: messages.map((message) => ({ message, outcome })), data: null };
}
