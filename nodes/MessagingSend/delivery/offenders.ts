import { type Complaint, messageIndex, readComplaints } from '../api/complaints';
import type { JsonRecord } from '../api/records';
import type { Batch, Message } from '../messages/message';
import { addTo } from '../messages/order';

export type Offenders = ReadonlyMap<Message, readonly Complaint[]>;

/** Divides a batch by whether the error names a message; see {@link findOffenders}. */
export function separateOffenders(batch: Batch, error: JsonRecord): { offenders: Offenders; others: Batch } {
  const offenders = findOffenders(batch.messages, error);
  return { offenders, others: { ...batch, messages: batch.messages.filter((message) => !offenders.has(message)) } };
}

/**
 * The messages that a VALIDATION_ERROR for a bulk request complains about, with the complaints: named
 * by index (`messages.3.phone` in any notation, counted from 0), or by the phone number in the text.
 * Empty where the details name none.
 */
export function findOffenders(messages: readonly Message[], error: JsonRecord): Offenders {
  const offenders = new Map<Message, Complaint[]>();
  for (const complaint of readComplaints(error)) {
    const index = messageIndex(complaint);
    const named = index === null ? mentionedIn(complaint, messages) : [messages[index]];
    for (const message of named) {
      if (message !== undefined) addTo(offenders, message, complaint);
    }
  }
  return offenders;
}

function mentionedIn({ path, text }: Complaint, messages: readonly Message[]): Message[] {
  const numbers = new Set([...path.map(String), ...text.split(/\D+/)].filter((part) => /^\d{7,15}$/.test(part)));
  return numbers.size === 0 ? [] : messages.filter(({ phone }) => numbers.has(phone));
}
