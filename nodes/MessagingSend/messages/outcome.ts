import type { JsonRecord, JsonScalar } from '../api/records';
import type { Failure } from '../failures/failure';
import type { Message } from './message';

/** What became of one message; every message gets exactly one. */
export type Outcome =
  | { readonly kind: 'sent'; readonly messageId: JsonScalar; readonly status: JsonScalar }
  /** It did not go out; sending it again is safe. */
  | { readonly kind: 'not_sent'; readonly failure: Failure }
  /** It may have gone out; sending it again may send it twice. */
  | { readonly kind: 'uncertain'; readonly failure: Failure };

export interface Result {
  readonly message: Message;
  readonly outcome: Outcome;
}

/** What one request did: its messages with their outcomes, and the service's answer if it was accepted. */
export interface Receipt {
  /** Number of the batch whose messages the request carried; null where no request is known. */
  readonly batch: number | null;
  readonly results: readonly Result[];
  /** What is kept of the envelope's `data` (API 2.2, 2.3); null where the service did not accept the request. */
  readonly data: JsonRecord | null;
}
