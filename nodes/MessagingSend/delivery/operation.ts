import { type Endpoint, MAX_BATCH_SIZE, MAX_CHARACTERS, SEND_MANY, SEND_ONE } from '../api/endpoints';
import type { JsonRecord } from '../api/records';
import { type Message, textsOf } from '../messages/message';
import type { Outcome } from '../messages/outcome';
import { entryOutcome, matchEntries } from './match';
import { outcomeOfParts } from './parts';

/** What differs between Send and Send Bulk. */
export interface SendOperation {
  readonly endpoint: Endpoint;
  /** In texts: one for each message, and one for each part of a split text. */
  readonly maxBatchSize: number;
  /** In Unicode code points; null where none is known. */
  readonly maxCharacters: number | null;
  /** The bodies of the requests that carry these messages, at least one. Each must be accepted before the next is made. */
  readonly bodies: (messages: readonly Message[]) => readonly JsonRecord[];
  /** Reads the outcome of each message from the `data` of these requests, all of them accepted. */
  readonly outcomes: (messages: readonly Message[], answers: readonly JsonRecord[]) => Outcome[];
}

/** One request for each text: the parts of a split text leave one after the other. */
export const SEND: SendOperation = {
  endpoint: SEND_ONE,
  maxBatchSize: 1,
  maxCharacters: MAX_CHARACTERS,
  bodies: (messages) => messages.flatMap(entriesOf),
  outcomes: (messages, answers) => messages.map((message) => outcomeOfParts(message, answers.map(entryOutcome))),
};

export const SEND_BULK: SendOperation = {
  endpoint: SEND_MANY,
  maxBatchSize: MAX_BATCH_SIZE,
  maxCharacters: null,
  bodies: (messages) => [{ messages: messages.flatMap(entriesOf) }],
  outcomes: (messages, [data = {}]) => {
    const texts = messages.flatMap((message) => textsOf(message).map(() => message));
    const outcomes = matchEntries(texts, data);
    let end = 0;
    return messages.map((message) => outcomeOfParts(message, outcomes.slice(end, (end += textsOf(message).length))));
  },
};

function entriesOf(message: Message): JsonRecord[] {
  return textsOf(message).map((text) => ({ phone: message.phone, message: text }));
}
