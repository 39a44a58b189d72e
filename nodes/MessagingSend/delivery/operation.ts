import { type Endpoint, MAX_BATCH_SIZE, SEND_MANY, SEND_ONE } from '../api/endpoints';
import { isNumber, type JsonRecord } from '../api/records';
import { type Failure, failure } from '../failures/failure';
import { type Batch, type Outcome, type Row, textsOf } from '../messages/row';
import { matchEntries, NOT_LISTED, singleOutcome } from './match';

/** What differs between Send and Send Bulk. */
export interface SendOperation {
  readonly endpoint: Endpoint;
  /** In texts: a message counts once, or once for each part of its split text. */
  readonly maxBatchSize: number;
  /** The bodies of the requests for these messages, at least one. Each must be accepted before the next is made. */
  readonly bodies: (batch: Batch) => readonly JsonRecord[];
  /** Reads the outcome of each message from the `data` of these requests, if all were accepted. */
  readonly outcomes: (batch: Batch, answers: readonly JsonRecord[]) => readonly Outcome[];
}

/** One request for each text: the parts of a split text are sent one after the other. */
export const SEND: SendOperation = {
  endpoint: SEND_ONE,
  maxBatchSize: 1,
  bodies: entriesOf,
  outcomes: (batch, answers) => batch.map((row) => outcomeOfParts(row, answers.map(singleOutcome))),
};

export const SEND_BULK: SendOperation = {
  endpoint: SEND_MANY,
  maxBatchSize: MAX_BATCH_SIZE,
  bodies: (batch) => [{ messages: entriesOf(batch) }],
  outcomes: (batch, [data = {}]) => {
    // The usual case: no text was split.
    if (batch.every(({ parts }) => parts === null)) return matchEntries(batch, data);
    const outcomes = matchEntries(
      batch.flatMap((row) => textsOf(row).map(() => row)),
      data,
    );
    let end = 0;
    return batch.map((row) => outcomeOfParts(row, outcomes.slice(end, (end += textsOf(row).length))));
  },
};

function entriesOf(batch: Batch): JsonRecord[] {
  const entries: JsonRecord[] = [];
  for (const { phone, text, parts } of batch) {
    if (parts === null) entries.push({ phone, message: text });
    else for (const part of parts) entries.push({ phone, message: part });
  }
  return entries;
}

/**
 * Combines the outcomes of a message's parts: sent if all were sent, uncertain if any may have been but not all were.
 * @param outcomes of the parts, up to the first that was not sent
 */
function outcomeOfParts(row: Row, outcomes: readonly Outcome[]): Outcome {
  const parts = textsOf(row).length;
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

/** The answers to the parts of a text as one, without the entries of messages: the outcomes contain what they say. */
export function joinAnswers(answers: readonly JsonRecord[]): JsonRecord {
  const { messages, ...data } = answers.at(-1) ?? {};
  if (answers.length < 2) return data;
  const used = answers.map(({ credits_used: credits }) => credits).filter(isNumber);
  return { ...data, credits_used: used.reduce((sum, credits) => sum + credits, 0) };
}
