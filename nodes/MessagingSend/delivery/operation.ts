import { type Endpoint, MAX_BATCH_SIZE, SEND_MANY, SEND_ONE } from '../api/endpoints';
import type { JsonRecord } from '../api/records';
import type { ApiRequest } from '../api/reply';
import { failure } from '../failures/failure';
import { type Batch, type Outcome, type Row, textsOf } from '../messages/row';
import { matchEntries, NOT_LISTED, singleOutcome } from './match';

/** What differs between Send and Send Bulk. */
export interface SendOperation {
  readonly endpoint: Endpoint;
  /** In texts: a message counts once, or once for each part of its split text. */
  readonly maxBatchSize: number;
  readonly requestFor: (batch: Batch) => ApiRequest;
  /** Reads the outcome of each message from the `data` of the answer. */
  readonly outcomes: (batch: Batch, data: JsonRecord) => readonly Outcome[];
}

export const SEND_BULK: SendOperation = {
  endpoint: SEND_MANY,
  maxBatchSize: MAX_BATCH_SIZE,
  requestFor: (batch) => ({ endpoint: SEND_MANY, body: { messages: entriesOf(batch) } }),
  outcomes: (batch, data) => {
    // The usual case: no text was split.
    if (batch.every(({ parts }) => parts === null)) return matchEntries(batch, data);
    const rows = batch.flatMap((row) => textsOf(row).map(() => row));
    const outcomes = matchEntries(rows, data);
    let end = 0;
    return batch.map((row) => outcomeOfParts(row, outcomes.slice(end, (end += textsOf(row).length))));
  },
};

/** One request for each message. The parts of a split text are in one bulk request, so that they stay together. */
export const SEND: SendOperation = {
  endpoint: SEND_ONE,
  maxBatchSize: 1,
  requestFor: (batch) => {
    const [body, ...others] = entriesOf(batch);
    return others.length === 0 ? { endpoint: SEND_ONE, body } : SEND_BULK.requestFor(batch);
  },
  outcomes: (batch, data) => {
    const isSplit = batch.some((row) => textsOf(row).length > 1);
    return isSplit ? SEND_BULK.outcomes(batch, data) : [singleOutcome(data)];
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

/** Combines the outcomes of a message's parts: sent if all were sent, uncertain if any may have been but not all were. */
function outcomeOfParts(row: Row, outcomes: readonly Outcome[]): Outcome {
  const parts = textsOf(row).length;
  if (parts === 1) return outcomes[0] ?? NOT_LISTED;
  const sent = outcomes.filter((outcome) => outcome.kind === 'sent');
  const unsent = outcomes.filter((outcome) => 'failure' in outcome);
  const worst = unsent.find(({ kind }) => kind === 'uncertain') ?? unsent[0] ?? NOT_LISTED;
  if (sent.length === parts) {
    const messageId = sent.map((part) => part.messageId).join(', ');
    return { kind: 'sent', messageId, status: sent[0]?.status ?? null };
  }
  if (sent.length === 0 && worst.kind === 'not_sent') return worst;
  const { message: reason, scope, httpStatus, serviceSays } = worst.failure;
  const why = failure('partlySent', { sent: sent.length, parts, reason }, { scope, httpStatus, serviceSays });
  return { kind: 'uncertain', failure: why };
}
