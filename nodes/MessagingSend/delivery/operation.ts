import { meaningOfEntry, wordsOfEntry } from '../api/answer';
import { MAX_BATCH_SIZE, SEND_MANY, SEND_ONE } from '../api/endpoints';
import { addTo, isNumber, isObject, type JsonObject, scalar } from '../api/objects';
import type { ApiRequest } from '../api/reply';
import { serviceTexts } from '../api/serviceText';
import { failure } from '../failures/failure';
import { type Batch, failed, type Outcome, type Row, textCount } from '../messages/row';

/** What differs between Send and Send Bulk. */
export interface SendOperation {
  /** In texts: a message counts once, or once for each part of its split text. */
  readonly maxBatchSize: number;
  readonly requestFor: (batch: Batch) => ApiRequest;
  /** Reads the outcome of each message from the `data` of the answer. */
  readonly outcomes: (batch: Batch, data: JsonObject) => readonly Outcome[];
}

export const SEND_BULK: SendOperation = {
  maxBatchSize: MAX_BATCH_SIZE,
  requestFor: (batch) => ({ endpoint: SEND_MANY, body: { messages: entriesOf(batch) } }),
  outcomes: (batch, data) => {
    // The usual case: no text was split.
    if (batch.every(({ parts }) => parts === null)) return matchEntries(batch, data);
    const rows = batch.flatMap((row) => Array<Row>(textCount(row)).fill(row));
    const outcomes = matchEntries(rows, data);
    let end = 0;
    return batch.map((row) => outcomeOfParts(row, outcomes.slice(end, (end += textCount(row)))));
  },
};

/** One request for each message. The parts of a split text are in one bulk request, so that they stay together. */
export const SEND: SendOperation = {
  maxBatchSize: 1,
  requestFor: (batch) => {
    const [body, ...others] = entriesOf(batch);
    return others.length === 0 ? { endpoint: SEND_ONE, body } : SEND_BULK.requestFor(batch);
  },
  outcomes: (batch, data) => {
    const isSplit = batch.some((row) => textCount(row) > 1);
    return isSplit ? SEND_BULK.outcomes(batch, data) : confirmed([meaning(data)], data);
  },
};

function entriesOf(batch: Batch): JsonObject[] {
  const entries: JsonObject[] = [];
  for (const { phone, text, parts } of batch) {
    for (const message of parts ?? [text]) entries.push({ phone, message });
  }
  return entries;
}

/** Combines the outcomes of a message's parts: sent if all were sent, uncertain if any may have been but not all were. */
function outcomeOfParts(row: Row, outcomes: readonly Outcome[]): Outcome {
  const parts = textCount(row);
  if (parts === 1) return outcomes[0] ?? NOT_LISTED;
  const sent = outcomes.filter((outcome) => outcome.kind === 'sent');
  const unsent = outcomes.filter((outcome) => 'failure' in outcome);
  const worst = unsent.find(({ kind }) => kind === 'uncertain') ?? unsent[0] ?? NOT_LISTED;
  if (sent.length === parts) {
    const ids = sent.flatMap(({ messageId }) => messageId ?? []);
    return { kind: 'sent', messageId: ids.join(', ') || null, status: sent[0]?.status ?? null };
  }
  if (sent.length === 0 && worst.kind === 'not_sent') return worst;
  const { message: reason, serviceSays } = worst.failure;
  return failed(failure('partlySent', { sent: sent.length, parts, reason }, { serviceSays }));
}

/**
 * The outcome of each message of an accepted bulk request, from its entry in the answer (API 2.3). Entries may be
 * reordered, doubled or missing, so they are matched by phone, then by order. A message without an entry is uncertain.
 */
export function matchEntries(batch: Batch, data: JsonObject): readonly Outcome[] {
  const listed = Array.isArray(data.messages) ? data.messages.filter(isObject) : [];
  const mayShareEntries = batch.some(({ isOneOfSeveral, parts }) => isOneOfSeveral || parts !== null);
  // Where each message has another number, entries that are as many and in place can't be doubled.
  const entries = mayShareEntries || listed.length !== batch.length ? uniqueEntries(listed) : listed;
  const areInPlace = entries.every((entry, index) => {
    const expected = batch[index]?.phone;
    return entry.phone === expected || [null, expected].includes(phoneOf(entry));
  });
  // The usual case: one entry for each message, in order.
  if (entries.length === batch.length && areInPlace) return confirmed(entries.map(meaning), data);

  const byPhone = new Map<string | null, Outcome[]>();
  for (const entry of entries) addTo(byPhone, phoneOf(entry), meaning(entry));
  const expected = new Map<string, Row[]>();
  for (const row of batch) addTo(expected, row.phone, row);
  for (const [phone, { length }] of expected) {
    // If a number has fewer entries than messages, or entries with different outcomes, nothing tells which entry
    // belongs to which message.
    const outcomes = byPhone.get(phone) ?? [];
    if (outcomes.length < length || outcomes.some(({ kind }) => kind !== outcomes[0]?.kind)) byPhone.delete(phone);
  }
  const outcomes = batch.map(({ phone }) => byPhone.get(phone)?.shift() ?? NOT_LISTED);
  return confirmed(outcomes, data);
}

function meaning(entry: JsonObject): Outcome {
  const kind = meaningOfEntry(entry);
  if (kind === 'sent') return { kind, messageId: scalar(entry, 'message_id'), status: scalar(entry, 'status') };
  const details = { serviceSays: serviceTexts(wordsOfEntry(entry)) };
  return failed(failure(kind === 'not_sent' ? 'messageNotAccepted' : 'messageUnclear', undefined, details));
}

/** Fewer messages sent, or credits used, than entries that say "sent": which of them are true is unknown. */
function confirmed(outcomes: readonly Outcome[], { messages_sent: sent, credits_used: used }: JsonObject) {
  const count = Math.min(...[sent, used].filter(isNumber));
  if (outcomes.length <= count) return outcomes;
  const isContradicted = outcomes.filter(({ kind }) => kind === 'sent').length > count;
  return isContradicted ? outcomes.map((outcome) => (outcome.kind === 'sent' ? UNCLEAR : outcome)) : outcomes;
}

const UNCLEAR = failed(failure('messageUnclear'));

/** For a message that the answer to an accepted request does not mention. */
export const NOT_LISTED = failed(failure('messageNotListed'));

/**
 * Leaves out doubled entries: those with the same phone and message_id are about one message. If one says that it was
 * sent, and another doesn't, both stay: nothing tells which is true.
 */
function uniqueEntries(entries: JsonObject[]): JsonObject[] {
  const byIdentity = new Map<unknown, JsonObject>();
  for (const entry of entries) {
    const id = scalar(entry, 'message_id');
    byIdentity.set(id === null ? entry : `${id} ${scalar(entry, 'phone')} ${meaningOfEntry(entry)}`, entry);
  }
  return [...byIdentity.values()];
}

/** The digits of an entry's phone, which may be a number, or a text with + or 00. */
function phoneOf({ phone }: JsonObject): string | null {
  if (typeof phone !== 'string' && typeof phone !== 'number') return null;
  return String(phone).replace(/\D/g, '').replace(/^00/, '');
}
