import { type Complaint, readComplaints } from '../api/complaints';
import type { JsonRecord } from '../api/records';
import { type Batch, type Message, textsOf } from '../messages/message';
import { addTo } from '../messages/order';

export type Offenders = ReadonlyMap<Message, readonly Complaint[]>;

/** Divides a batch by whether the error of its rejection names a message as `messages[N]`, counted from 0. */
export function separateOffenders(batch: Batch, error: JsonRecord): { offenders: Offenders; others: Batch } {
  const offenders = new Map<Message, Complaint[]>();
  // The service counts the parts of a long text one by one.
  const messages = batch.messages.flatMap((message) => textsOf(message).map(() => message));
  for (const complaint of readComplaints(error)) {
    const message = complaint.index === null ? undefined : messages[complaint.index];
    if (message !== undefined) addTo(offenders, message, complaint);
  }
  return { offenders, others: { ...batch, messages: batch.messages.filter((message) => !offenders.has(message)) } };
}
