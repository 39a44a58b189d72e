import { meaningOfEntry, wordsOfEntry } from '../api/answer';
import { isRecord, type JsonRecord, scalar } from '../api/records';
import { serviceTexts } from '../api/serviceText';
import { failure } from '../failures/failure';
import { addTo, type Message } from '../messages/message';
import type { Outcome, Unconfirmed } from '../messages/outcome';

/**
 * The outcome of each message of an accepted bulk request, from its entry in the answer (API 2.3). Entries may be
 * reordered, doubled or missing, so they are matched by phone, then by order. A message without an entry is uncertain.
 */
export function matchEntries(messages: readonly Message[], data: JsonRecord): Outcome[] {
  const entries = uniqueEntries(Array.isArray(data.messages) ? data.messages.filter(isRecord) : []);
  const isInPlace = (entry: JsonRecord, index: number) => [null, messages[index]?.phone].includes(phoneOf(entry));
  // The usual case: one entry for each message, in order.
  if (entries.length === messages.length && entries.every(isInPlace)) return entries.map(entryOutcome);

  const byPhone = new Map<string | null, Outcome[]>();
  for (const entry of entries) addTo(byPhone, phoneOf(entry), entryOutcome(entry));
  const expected = new Map<string, Message[]>();
  for (const message of messages) addTo(expected, message.phone, message);
  for (const [phone, { length }] of expected) {
    // If a number has fewer entries than messages, or entries with different outcomes, nothing tells which entry
    // belongs to which message.
    const outcomes = byPhone.get(phone) ?? [];
    if (outcomes.length < length || outcomes.some(({ kind }) => kind !== outcomes[0]?.kind)) byPhone.delete(phone);
  }
  return messages.map(({ phone }) => byPhone.get(phone)?.shift() ?? NOT_LISTED);
}

/** The outcome of a message, from its entry or the data of a single send (API 2.2). */
export function entryOutcome(entry: JsonRecord): Outcome {
  const kind = meaningOfEntry(entry);
  if (kind === 'sent') return { kind, messageId: scalar(entry, 'message_id'), status: scalar(entry, 'status') };
  const details = { serviceSays: serviceTexts(wordsOfEntry(entry)) };
  return { kind, failure: failure(kind === 'not_sent' ? 'messageNotAccepted' : 'messageUnclear', undefined, details) };
}

/** For a message that the answer to an accepted request does not mention. */
export const NOT_LISTED: Unconfirmed = { kind: 'uncertain', failure: failure('messageNotListed') };

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
