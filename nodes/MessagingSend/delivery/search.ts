/** Who is to blame when the service rejects a request: single messages, the request, or the run. */
import { messageFailure } from '../api/answerFailure';
import { type Complaint, readComplaints } from '../api/complaints';
import { addTo } from '../api/objects';
import type { Rejected } from '../api/reply';
import type { Failure } from '../failures/failure';
import { type Batch, type Row, textCount } from '../messages/row';

/** After this many rejections in a row, stop searching: they are not caused by single messages. */
const MAX_REJECTED = 20;

/** Messages that were rejected together, perhaps because of some of them. None has an outcome yet. */
export interface Rejection {
  readonly batch: Batch;
  readonly reply: Rejected;
}

/** The messages that a rejection names as `messages[N]`, counted from 0, with the failure of each. */
export function offendersIn({ batch, reply }: Rejection): ReadonlyMap<Row, Failure> {
  // The service counts each part of a split text as a message.
  const messages = batch.flatMap((row) => Array<Row>(textCount(row)).fill(row));
  const complaints = new Map<Row, Complaint[]>();
  for (const complaint of readComplaints(reply.error)) {
    const row = complaint.index === null ? undefined : messages[complaint.index];
    if (row !== undefined) addTo(complaints, row, complaint);
  }
  return new Map(Array.from(complaints, ([row, own]) => [row, messageFailure(reply.failure, own)]));
}

/**
 * Finds the messages that cause a rejection: sends a batch in halves, and each half that is rejected again in halves.
 * The second half waits until the first is done: its messages must not overtake those to the same number.
 * @param send settles the messages of a batch, or returns why they were rejected
 * @param reject settles rejected messages
 * @param inARow shared by all searches of a run, which take turns; 0 after each accepted request
 */
export async function searchInHalves(
  rejection: Rejection,
  send: (batch: Batch) => Promise<Rejection | null>,
  reject: (rejection: Rejection) => void,
  inARow: { count: number },
): Promise<void> {
  const { batch } = rejection;
  if (batch.length === 1 || inARow.count >= MAX_REJECTED) {
    reject(rejection);
    return;
  }
  const middle = Math.ceil(batch.length / 2);
  for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
    const rejected = inARow.count < MAX_REJECTED ? await send(half) : { ...rejection, batch: half };
    if (rejected === null) continue;
    inARow.count += 1;
    await searchInHalves(rejected, send, reject, inARow);
  }
}
