import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type JsonRecord, type JsonScalar, pick, scalar, SEND_FIELDS } from '../../api/records';
import type { Delivered } from '../../delivery/deliver';
import { codePoints } from '../../delivery/longText';
import { SEND, type SendOperation } from '../../delivery/operation';
import type { Failure } from '../../failures/failure';
import { byOrigin, type Message, type Origin, textsOf } from '../../messages/message';
import type { Outcome, Receipt, Skipped, Unconfirmed } from '../../messages/outcome';
import { descriptionOf } from './sentences';
import { outcomesOfOriginals, type SkipReason } from './summary';

/** Explains a missing message ID, if only the crash ledger knows that a message was sent. */
const ANSWER_LOST = { note: 'Sent before n8n stopped; the response with its ID was lost' };

interface MessageItem extends INodeExecutionData {
  readonly pairedItem: { readonly item: number };
}

/**
 * One item for each message, in the order of the input: of Send `{ message_id, status, credits_used, credits_remaining,
 * sent_at, phone }`, of Send Bulk `{ message_id, phone, status, batch }`, of a dry run `{ phone, message, status,
 * reason, phone_given, batch, characters }`. A message that was not sent has only `{ error, details }`, the shape that
 * n8n passes to the error output (where it adds the input item's fields).
 */
export function outputItems(delivered: Delivered, operation: SendOperation, isDryRun = false): MessageItem[] {
  const { unsendable, receipts, duplicates, planned } = delivered;
  const items: Array<readonly [Origin, MessageItem]> = [];
  const skipped = (message: Message, reason: SkipReason, id: JsonScalar = null) =>
    isDryRun
      ? plannedJson(message, { status: 'skipped', reason, batch: null })
      : skippedJson(operation, message, reason, id);
  const add = (origin: Origin, json: IDataObject) => items.push([origin, { json, pairedItem: { item: origin.item } }]);

  for (const draft of unsendable) {
    const phone = typeof draft.phone === 'boolean' ? null : scalar({ phone: draft.phone }, 'phone');
    add(draft, failedJson(draft, { kind: draft.outcome, failure: draft.failure }, { phone }));
  }
  for (const receipt of receipts) {
    for (const { message, outcome } of receipt.results) {
      if (outcome.kind !== 'skipped') add(message, jsonOf(operation, receipt, message, outcome));
      else add(message, { ...skipped(message, outcome.reason), ...detailsOfSkipped(message, outcome) });
    }
  }
  const outcomes = outcomesOfOriginals(delivered);
  for (const { message, original } of duplicates) {
    const place = {
      duplicate_of: original.item,
      ...(original.entry !== null && { duplicate_of_entry: original.entry }),
    };
    const outcome = outcomes.get(original);
    if (outcome !== undefined && 'failure' in outcome) {
      add(message, failedJson(message, outcome, { phone: message.phone, ...place }));
    } else {
      const id = outcome?.kind === 'sent' ? outcome.messageId : null;
      add(message, { ...skipped(message, 'duplicate', id), ...place });
    }
  }
  for (const { number, messages } of planned) {
    for (const message of messages) {
      add(message, plannedJson(message, { status: 'dry_run', reason: 'would_be_sent', batch: number }));
    }
  }
  // Answers to requests that ran at the same time can come in any order.
  return items.sort(([a], [b]) => byOrigin(a, b)).map(([, item]) => item);
}

export function failedItem(item: number, failure: Failure): INodeExecutionData {
  const json = failedJson({ item, entry: null }, { kind: 'not_sent', failure }, { phone: null });
  return { json, pairedItem: { item } };
}

/**
 * Fields of outcomes. The input may have them from an earlier run, as in a loop or a table, and then they are no longer true:
 * n8n would even run a node again whose first item has an error.
 */
const OF_OUTCOMES: ReadonlySet<string> = new Set([
  ...['message_id', 'status', 'batch', 'sent_at', 'credits_used', 'credits_remaining', 'phone_given', 'characters'],
  ...['error', 'details', 'reason', 'sent_before', 'send_at', 'empty_fields', 'test_for', 'note', 'parts'],
  ...['duplicate_of', 'duplicate_of_entry'],
]);

/**
 * Adds the fields of its input item to each item, after the node's own, which win.
 * @param hasErrorOutput to which n8n passes failed items, if they keep their shape, and adds the fields itself
 */
export function withInputFields(
  items: readonly MessageItem[],
  inputs: readonly INodeExecutionData[],
  hasErrorOutput: boolean,
): INodeExecutionData[] {
  return items.map((item) => {
    if (hasErrorOutput && item.json.error !== undefined) return item;
    const input = Object.entries(inputs[item.pairedItem.item]?.json ?? {});
    const others = input.filter(([name]) => !OF_OUTCOMES.has(name) && !(name in item.json));
    return { ...item, json: { ...item.json, ...Object.fromEntries(others) } };
  });
}

function jsonOf(
  operation: SendOperation,
  receipt: Receipt,
  message: Message,
  outcome: Exclude<Outcome, Skipped>,
): IDataObject {
  const { batch, data } = receipt;
  // A message that only the delivery record knows may have none.
  const phone = message.phone === '' ? null : message.phone;
  if ('failure' in outcome) {
    const details = { phone, ...(batch !== null && { batch }), ...testOf(message) };
    return failedJson(message, outcome, details);
  }
  const { messageId, status } = outcome;
  const json = messageJson(operation, { message_id: messageId, phone, status, batch }, data ?? {});
  return { ...json, ...partsOf(message), ...testOf(message), ...(data === null && ANSWER_LOST) };
}

function detailsOfSkipped(message: Message, outcome: Skipped): IDataObject {
  return {
    ...(outcome.reason === 'sent_before' && { sent_before: true }),
    ...(outcome.reason === 'empty_field' && { empty_fields: [...(message.empty ?? [])] }),
    ...(outcome.reason === 'outside_window' && { send_at: new Date(outcome.sendAt).toISOString() }),
  };
}

/** For a message that was deliberately not sent, which isn't a failure. */
function skippedJson(operation: SendOperation, { phone }: Message, reason: SkipReason, id: JsonScalar) {
  const json = { message_id: id, phone, status: 'skipped', batch: null };
  return { ...messageJson(operation, json, { credits_used: 0 }), reason };
}

/** @param data the answer to the request of one message */
function messageJson(operation: SendOperation, json: IDataObject, data: JsonRecord): IDataObject {
  if (operation !== SEND) return json;
  const { batch, ...own } = json;
  return { ...pick(data, SEND_FIELDS), ...own };
}

/** All items of a dry run have the same fields: n8n's table shows a missing one as "undefined", in red. */
function plannedJson(
  message: Message,
  {
    status,
    reason,
    batch,
  }: { status: 'dry_run' | 'skipped'; reason: SkipReason | 'would_be_sent'; batch: number | null },
): IDataObject {
  const { phone, phoneGiven, text } = message;
  const [only, ...more] = textsOf(message);
  const shown = only === undefined || more.length > 0 ? text : only;
  return {
    phone,
    message: shown,
    status,
    reason,
    phone_given: phoneGiven ?? phone,
    batch,
    characters: codePoints(shown),
    ...partsOf(message),
    ...testOf(message),
  };
}

function failedJson(
  origin: Origin,
  { kind, failure }: Unconfirmed,
  details: IDataObject & { phone: JsonScalar },
): IDataObject {
  const { code, httpStatus, credits } = failure;
  return {
    error: failure.message,
    details: {
      code,
      http_status: httpStatus,
      outcome: kind,
      ...(credits && { required_credits: credits.required, available_credits: credits.available }),
      ...details,
      ...(origin.entry !== null && { entry: origin.entry }),
      description: descriptionOf(failure, kind),
    },
  };
}

function testOf({ testFor }: Message): { test_for?: string } {
  return testFor === undefined ? {} : { test_for: testFor };
}

function partsOf(message: Message): { parts?: number } {
  const { length } = textsOf(message);
  return length === 1 ? {} : { parts: length };
}
