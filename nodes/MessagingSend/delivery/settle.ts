import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Failure } from '../api/failure';
import { pick, SEND_FIELDS, type JsonRecord } from '../api/records';
import type { Delivered } from './deliver';
import type { Message, Origin } from './message';
import type { Outcome, Receipt } from './outcome';

/** What the output items of an accepted request look like. */
export type Output =
  /** For each message `{ message_id, status, credits_used, credits_remaining, sent_at, phone }`. */
  | 'send'
  /** For each message `{ message_id, phone, status, batch }`. */
  | 'messages'
  /** For each request the API's `data` and `batch`. */
  | 'batches';

type Settled = Origin & { readonly data: INodeExecutionData };
type Sent = Extract<Outcome, { kind: 'sent' }>;

/**
 * The output items of a delivery, in the order of the input. A message that was not sent has an
 * item of its own in every kind of output, so that it can be told apart, filtered and sent again:
 * `{ error, details }` and nothing else, the shape that n8n passes to the error output (and there
 * adds the input item's own fields).
 */
export function settle({ unsendable, receipts }: Delivered, output: Output): INodeExecutionData[] {
  const settled: Settled[] = unsendable.map((draft) =>
    failed(draft, draft.failure, { outcome: 'not_sent', phone: shownPhone(draft.phone) }),
  );
  for (const receipt of receipts) {
    const sent: Message[] = [];
    for (const { message, outcome } of receipt.results) {
      if (outcome.kind !== 'sent') {
        const details = { outcome: outcome.kind, phone: message.phone, batch: receipt.batch };
        settled.push(failed(message, outcome.failure, details));
      } else if (output === 'batches') {
        sent.push(message);
      } else {
        settled.push(place(message, sentJson(output, receipt, message, outcome), { item: message.item }));
      }
    }
    const [first] = sent;
    if (first !== undefined) settled.push(place(first, batchJson(receipt), itemsOf(sent)));
  }
  return settled.sort(byOrigin).map(({ data }) => data);
}

function sentJson(output: 'send' | 'messages', { batch, data }: Receipt, { phone }: Message, outcome: Sent): IDataObject {
  if (output === 'send') return { ...pick(data ?? {}, SEND_FIELDS), phone };
  return { message_id: outcome.messageId, phone, status: outcome.status, batch };
}

function batchJson({ batch, data }: Receipt): IDataObject {
  return { ...(data as IDataObject | null), batch };
}

/** One link for each input item, however many of its messages are in the batch. */
function itemsOf(messages: readonly Message[]): Array<{ item: number }> {
  return [...new Set(messages.map(({ item }) => item))].map((item) => ({ item }));
}

function failed(
  origin: Origin,
  { code, httpStatus, message, description }: Failure,
  details: JsonRecord & { outcome: 'not_sent' | 'uncertain' },
): Settled {
  const entry = origin.entry === null ? {} : { entry: origin.entry };
  const json = { error: message, details: { code, http_status: httpStatus, ...details, ...entry, description } };
  return place(origin, json as IDataObject, { item: origin.item });
}

function place({ item, entry }: Origin, json: IDataObject, pairedItem: INodeExecutionData['pairedItem']): Settled {
  return { item, entry, data: { json, pairedItem } };
}

/** What the user gave as a phone number, if it can stand in an item as it is. */
function shownPhone(phone: unknown): string | number | null {
  return typeof phone === 'string' || typeof phone === 'number' ? phone : null;
}

function byOrigin(a: Origin, b: Origin): number {
  return a.item - b.item || (a.entry ?? 0) - (b.entry ?? 0);
}
