import { type Endpoint, MAX_BATCH_SIZE, MAX_CHARACTERS, SEND_MANY, SEND_ONE } from '../api/endpoints';
import { isNumber, type JsonRecord } from '../api/records';
import { type Failure, failure } from '../failures/failure';
import { type Message, textsOf } from '../messages/message';
import type { Outcome } from '../messages/outcome';
import { entryOutcome, matchEntries, NOT_LISTED } from './match';

/** What differs between Send and Send Bulk. */
export interface SendOperation {
  readonly endpoint: Endpoint;
  /** In texts: a message counts once, or once for each part of its split text. */
  readonly maxBatchSize: number;
  /** In Unicode code points; null if the API has no limit. */
  readonly maxCharacters: number | null;
  /** The bodies of the requests for these messages, at least one. Each must be accepted before the next is made. */
  readonly bodies: (messages: readonly Message[]) => readonly JsonRecord[];
  /** Reads the outcome of each message from the `data` of these requests, if all were accepted. */
  readonly outcomes: (messages: readonly Message[], answers: readonly JsonRecord[]) => Outcome[];
}

/** One request for each text: the parts of a split text are sent one after the other. */
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
    // The usual case: no text was split.
    if (messages.every(({ parts }) => parts === undefined)) return matchEntries(messages, data);
    const texts = messages.flatMap((message) => textsOf(message).map(() => message));
    const outcomes = matchEntries(texts, data);
    let end = 0;
    return messages.map((message) => outcomeOfParts(message, outcomes.slice(end, (end += textsOf(message).length))));
  },
};

function entriesOf(message: Message): JsonRecord[] {
  return textsOf(message).map((text) => ({ phone: message.phone, message: text }));
}

/**
 * Combines the outcomes of a message's parts: sent if all were sent, uncertain if any may have been but not all were.
 * @param outcomes of the parts, up to the first that was not sent
 */
function outcomeOfParts(message: Message, outcomes: readonly Outcome[]): Outcome {
  const parts = textsOf(message).length;
  if (parts === 1) return outcomes[0] ?? NOT_LISTED;
  const sent = outcomes.filter((outcome) => outcome.kind === 'sent');
  const unsent = outcomes.filter((outcome) => 'failure' in outcome);
  const worst = unsent.find(({ kind }) => kind === 'uncertain') ?? unsent[0];
  if (sent.length === parts) {
    const messageId = sent.map((part) => part.messageId).join(', ');
    return { kind: 'sent', messageId, status: sent[0]?.status ?? null };
  }
  if (sent.length === 0 && worst?.kind === 'not_sent') return worst;
  return { kind: 'uncertain', failure: partlySent(sent.length, parts, (worst ?? NOT_LISTED).failure) };
}

/** @param why the next part was not sent, or may not have been */
export function partlySent(sent: number, parts: number, why: Failure): Failure {
  const { message: reason, scope, httpStatus, serviceSays } = why;
  return failure('partlySent', { sent, parts, reason }, { scope, httpStatus, serviceSays });
}

/** Combines the answers to the parts of a text, without the entries of messages: the outcomes contain what they say. */
export function combined(answers: readonly JsonRecord[]): JsonRecord {
  const { messages, ...data } = answers.at(-1) ?? {};
  if (answers.length < 2) return data;
  const used = answers.map(({ credits_used: credits }) => credits).filter(isNumber);
  return { ...data, credits_used: used.reduce((sum, credits) => sum + credits, 0) };
}
