import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type JsonRecord, type JsonScalar, pick, SEND_FIELDS } from '../../api/records';
import type { Delivered } from '../../delivery/deliver';
import { codePoints } from '../../delivery/longText';
import type { Failure } from '../../failures/failure';
import { type Message, type Origin, textsOf } from '../../messages/message';
import { byOrigin } from '../../messages/order';
import type { Outcome, Receipt, Sent, Skipped, Unconfirmed } from '../../messages/outcome';
import { descriptionOf, messageOf } from './failureText';

/** What the output items of an accepted request look like. */
export type Output =
  /** For each message `{ message_id, status, credits_used, credits_remaining, sent_at, phone }`. */
  | 'send'
  /** For each message `{ message_id, phone, status, batch }`. */
  | 'messages'
  /** For each request the API's `data` and `batch`. */
  | 'batches';

/** Why there is no message ID, where the crash ledger alone knows that a message was sent. */
const ANSWER_LOST = { note: 'Sent before n8n stopped; the response with its ID was lost' };

/**
 * The output items of a delivery, in the order of the input. A message that was not sent has
 * its own item in every kind of output, so that it can be found, filtered and sent again:
 * `{ error, details }` and nothing else, the shape that n8n passes to the error output (and there
 * adds the input item's own fields).
 */
export function outputItems(
  { unsendable, receipts, duplicates, planned }: Delivered,
  output: Output,
): INodeExecutionData[] {
  const items = new OrderedItems();
  for (const draft of unsendable) {
    const outcome: Unconfirmed = { kind: draft.outcome, failure: draft.failure };
    items.add(draft, failed(draft, outcome, { phone: shownPhone(draft.phone) }, messageOf(draft)));
  }
  // Answers to requests that ran at the same time come in any order.
  const ordered = receipts.toSorted((a, b) => compare(a.results[0]?.message, b.results[0]?.message));
  for (const receipt of ordered) {
    addReceipt(receipt, output, items);
  }

  // Finding every message's outcome again is worth it only where there are duplicates.
  const outcomes = outcomesOf(duplicates.length === 0 ? [] : receipts);
  for (const { message, original } of duplicates) {
    items.add(message, duplicateItem(message, original, outcomes.get(original), output));
  }
  for (const { number, messages } of planned) {
    for (const message of messages) {
      items.add(message, linked(plannedJson(message, number), message));
    }
  }
  return items.inOrder();
}

/**
 * Fields that only some outcomes have. The input may have them from an earlier run, as in a loop, and then they are no
 * longer true: n8n would even run a node again whose first item has an error.
 */
const OF_OUTCOMES: ReadonlySet<string> = new Set([
  ...['error', 'details', 'reason', 'sent_before', 'send_at', 'empty_fields', 'test_for', 'note', 'parts'],
  ...['duplicate_of', 'duplicate_of_entry'],
]);

/**
 * Adds the fields of its input item to each item; the node's own win. A failed item keeps its shape: to the error output, n8n
 * adds the fields itself. So does an item of several input items.
 */
export function withInputFields(
  items: readonly INodeExecutionData[],
  inputs: readonly INodeExecutionData[],
): INodeExecutionData[] {
  const all: INodeExecutionData[] = [];
  for (const item of items) {
    const { json, pairedItem } = item;
    const isOfOne = typeof pairedItem === 'object' && !Array.isArray(pairedItem) && json.error === undefined;
    const input = (isOfOne ? inputs[pairedItem.item]?.json : undefined) ?? {};
    const own = Object.fromEntries(Object.entries(input).filter(([name]) => !OF_OUTCOMES.has(name)));
    all.push({ ...item, json: { ...own, ...json } });
  }
  return all;
}

/** Two lists, because an object for each item would take memory in large runs: the origins are there already. */
class OrderedItems {
  private readonly items: INodeExecutionData[] = [];
  private readonly origins: Origin[] = [];
  private isOrdered = true;

  add(origin: Origin, item: INodeExecutionData): void {
    const last = this.origins.at(-1);
    if (last !== undefined && byOrigin(last, origin) > 0) this.isOrdered = false;
    this.items.push(item);
    this.origins.push(origin);
  }

  inOrder(): INodeExecutionData[] {
    if (this.isOrdered) return this.items;
    // The items came in a few lists, each in order: of 200,000, this takes some 15 ms.
    const places = [...this.items.keys()].sort((a, b) => compare(this.origins[a], this.origins[b]));
    const ordered: INodeExecutionData[] = [];
    for (const place of places) {
      const item = this.items[place];
      if (item !== undefined) ordered.push(item);
    }
    return ordered;
  }
}

function addReceipt(receipt: Receipt, output: Output, items: OrderedItems): void {
  const sent: Message[] = [];
  for (const { message, outcome } of receipt.results) {
    if (outcome.kind === 'skipped') {
      items.add(message, linked(skippedJson(output, message, outcome), message));
    } else if (outcome.kind !== 'sent') {
      const { batch } = receipt;
      const details = { phone: phoneOf(message), ...(batch !== null && { batch }), ...testOf(message) };
      items.add(message, failed(message, outcome, details));
    } else if (output === 'batches') {
      sent.push(message);
    } else {
      items.add(message, linked(sentJson(output, receipt, message, outcome), message));
    }
  }
  const [first] = sent;
  if (first === undefined) return;
  const meantFor = first.testFor === undefined ? {} : { test_for: sent.map(({ testFor }) => testFor ?? null) };
  items.add(first, { json: { ...batchJson(receipt), ...meantFor }, pairedItem: itemsOf(sent) });
}

/** A duplicate is skipped, unless its original was not sent or is uncertain: then it has the same failure. */
function duplicateItem(
  message: Message,
  original: Message,
  outcome: Outcome | undefined,
  output: Output,
): INodeExecutionData {
  const entry = original.entry === null ? {} : { duplicate_of_entry: original.entry };
  const duplicate = { duplicate_of: original.item, ...entry };
  if (outcome?.kind === 'not_sent' || outcome?.kind === 'uncertain') {
    return failed(message, outcome, { phone: message.phone, ...duplicate });
  }
  const messageId = outcome?.kind === 'sent' ? outcome.messageId : null;
  return linked({ ...unsentJson(output, message, 'duplicate', messageId), ...duplicate }, message);
}

function skippedJson(output: Output, message: Message, outcome: Skipped): IDataObject {
  const json = unsentJson(output, message, outcome.reason);
  switch (outcome.reason) {
    case 'sent_before':
      return { ...json, sent_before: true };
    case 'empty_field':
      return { ...json, empty_fields: [...(message.empty ?? [])] };
    case 'outside_window':
      return { ...json, send_at: new Date(outcome.sendAt).toISOString() };
    default:
      return json;
  }
}

/** Of a message that was not sent, which is no failure. */
function unsentJson(
  output: Output,
  { phone }: Message,
  reason: Skipped['reason'] | 'duplicate',
  id: JsonScalar = null,
): IDataObject {
  const status = 'skipped';
  return output === 'send'
    ? { message_id: id, status, credits_used: 0, credits_remaining: null, sent_at: null, phone, reason }
    : { message_id: id, phone, status, batch: null, reason };
}

function testOf({ testFor }: Message): { test_for?: string } {
  return testFor === undefined ? {} : { test_for: testFor };
}

function sentJson(output: 'send' | 'messages', { batch, data }: Receipt, message: Message, outcome: Sent): IDataObject {
  const phone = phoneOf(message);
  const json: IDataObject =
    output === 'send'
      ? { ...pick(data ?? {}, SEND_FIELDS), message_id: outcome.messageId, status: outcome.status, phone }
      : { message_id: outcome.messageId, phone, status: outcome.status, batch };
  Object.assign(json, partsOf(message));
  if (message.testFor !== undefined) Object.assign(json, testOf(message));
  return data === null ? { ...json, ...ANSWER_LOST } : json;
}

function plannedJson(message: Message, batch: number): IDataObject {
  const { phone, phoneGiven, text } = message;
  return {
    phone,
    ...testOf(message),
    ...(phoneGiven !== undefined && { phone_given: phoneGiven }),
    message: textsOf(message).length === 1 ? textsOf(message)[0] : text,
    status: 'dry_run',
    batch,
    characters: codePoints(text),
    ...partsOf(message),
  };
}

function batchJson({ batch, results, data }: Receipt): IDataObject {
  if (data === null) {
    const entries = results.flatMap(({ message, outcome }) =>
      outcome.kind === 'sent' ? [{ message_id: null, phone: phoneOf(message), status: outcome.status }] : [],
    );
    const unknown = { credits_used: null, credits_remaining: null };
    return { messages_sent: entries.length, ...unknown, messages: entries, batch, ...ANSWER_LOST };
  }
  // n8n runs a node again whose first item has an error, though all of this was sent.
  const entries = Object.entries(data).filter(([name]) => name !== 'error');
  return { ...(Object.fromEntries(entries) as IDataObject), batch };
}

/** One link for each input item, however many of its messages are in the batch. */
function itemsOf(messages: readonly Message[]): Array<{ item: number }> {
  return [...new Set(messages.map(({ item }) => item))].map((item) => ({ item }));
}

function outcomesOf(receipts: readonly Receipt[]): Map<Message, Outcome> {
  const outcomes = new Map<Message, Outcome>();
  for (const { results } of receipts) {
    for (const { message, outcome } of results) outcomes.set(message, outcome);
  }
  return outcomes;
}

/** In how many parts a text is sent, if in several. */
function partsOf(message: Message): { parts?: number } {
  const { length } = textsOf(message);
  return length === 1 ? {} : { parts: length };
}

/** The item of an input item from which nothing can be sent. */
export function failedItem(item: number, failure: Failure): INodeExecutionData {
  return failed({ item, entry: null }, { kind: 'not_sent', failure }, { phone: null });
}

function failed(
  origin: Origin,
  { kind, failure }: Unconfirmed,
  details: JsonRecord & { phone: string | number | null },
  message = failure.message,
): INodeExecutionData {
  const all = {
    code: failure.code,
    http_status: failure.httpStatus,
    outcome: kind,
    ...(failure.credits && {
      required_credits: failure.credits.required,
      available_credits: failure.credits.available,
    }),
    ...details,
    ...(origin.entry !== null && { entry: origin.entry }),
    description: descriptionOf(failure, kind),
  };
  return linked({ error: message, details: all } as IDataObject, origin);
}

function linked(json: IDataObject, { item }: Origin): INodeExecutionData {
  return { json, pairedItem: { item } };
}

/** null for a message that only the delivery record knows. */
function phoneOf({ phone }: Message): string | null {
  return phone === '' ? null : phone;
}

/** What the user gave as a phone number, if it fits into an item as it is. */
function shownPhone(phone: unknown): string | number | null {
  return typeof phone === 'string' || typeof phone === 'number' ? phone : null;
}

function compare(a: Origin | undefined, b: Origin | undefined): number {
  return a === undefined || b === undefined ? 0 : byOrigin(a, b);
}
