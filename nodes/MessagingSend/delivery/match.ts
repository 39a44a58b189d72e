import { meaningOfEntry, wordsOfEntry } from '../api/answer';
import { addTo, isNumber, isRecord, type JsonRecord, scalar } from '../api/records';
import { serviceTexts } from '../api/serviceText';
import { failure } from '../failures/failure';
import type { Batch, Failed, Outcome, Row } from '../messages/row';

/**
 * The outcome of each message of an accepted bulk request, from its entry in the answer (API 2.3). Entries may be
 * reordered, doubled or missing, so they are matched by phone, then by order. A message without an entry is uncertain.
 */
export function matchEntries(batch: Batch, data: JsonRecord): readonly Outcome[] {
  const listed = Array.isArray(data.messages) ? data.messages.filter(isRecord) : [];
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

/** The outcome of a message, from the data of a single send (API 2.2). */
export function singleOutcome(data: JsonRecord): Outcome {
  return confirmed([meaning(data)], data)[0] ?? NOT_LISTED;
}

function meaning(entry: JsonRecord): Outcome {
  const kind = meaningOfEntry(entry);
  if (kind === 'sent') return { kind, messageId: scalar(entry, 'message_id'), status: scalar(entry, 'status') };
  const details = { serviceSays: serviceTexts(wordsOfEntry(entry)) };
  return { kind, failure: failure(kind === 'not_sent' ? 'messageNotAccepted' : 'messageUnclear', undefined, details) };
}

/** Fewer messages sent, or credits used, than entries that say "sent": which of them are true is unknown. */
function confirmed(outcomes: readonly Outcome[], { messages_sent: sent, credits_used: used }: JsonRecord) {
  const count = Math.min(...[sent, used].filter(isNumber));
  if (outcomes.length <= count) return outcomes;
  const isContradicted = outcomes.filter(({ kind }) => kind === 'sent').length > count;
  return isContradicted ? outcomes.map((outcome) => (outcome.kind === 'sent' ? UNCLEAR : outcome)) : outcomes;
}

const UNCLEAR: Failed = { kind: 'uncertain', failure: failure('messageUnclear') };

/** For a message that the answer to an accepted request does not mention. */
export const NOT_LISTED: Failed = { kind: 'uncertain', failure: failure('messageNotListed') };

/** Leaves out doubled entries: those with the same phone and message_id are about one message. */
function uniqueEntries(entries: JsonRecord[]): JsonRecord[] {
  const byIdentity = new Map<unknown, JsonRecord>();
  for (const entry of entries) {
    const id = scalar(entry, 'message_id');
    byIdentity.set(id === null ? entry : `${id} ${scalar(entry, 'phone')}`, entry);
  }
  return [...byIdentity.values()];
}

/** The digits of an entry's phone, which may be a number, or a text with + or 00. */
function phoneOf({ phone }: JsonRecord): string | null {
  if (typeof phone !== 'string' && typeof phone !== 'number') return null;
  return String(phone).replace(/\D/g, '').replace(/^00/, '');
}
