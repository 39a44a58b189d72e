import { type Endpoint, MAX_BATCH_SIZE, MAX_CHARACTERS, SEND_MANY, SEND_ONE } from '../api/endpoints';
import type { JsonRecord } from '../api/records';
import type { Message } from '../messages/message';
import type { Outcome } from '../messages/outcome';
import { entryOutcome, matchEntries } from './match';

/** What differs between Send and Send Bulk. */
export interface SendOperation {
  readonly endpoint: Endpoint;
  readonly maxBatchSize: number;
  /** In Unicode code points; null where none is known. */
  readonly maxCharacters: number | null;
  readonly body: (messages: readonly Message[]) => JsonRecord;
  /** Reads the outcome of each message from an accepted reply's `data`, in the order of the messages. */
  readonly outcomes: (messages: readonly Message[], data: JsonRecord) => Outcome[];
}

export const SEND: SendOperation = {
  endpoint: SEND_ONE,
  maxBatchSize: 1,
  maxCharacters: MAX_CHARACTERS,
  body: ([message]) => (message === undefined ? {} : entryOf(message)),
  outcomes: (_messages, data) => [entryOutcome(data)],
};

export const SEND_BULK: SendOperation = {
  endpoint: SEND_MANY,
  maxBatchSize: MAX_BATCH_SIZE,
  maxCharacters: null,
  body: (messages) => ({ messages: messages.map(entryOf) }),
  outcomes: matchEntries,
};

function entryOf({ phone, text }: Message): JsonRecord {
  return { phone, message: text };
}
