import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { pick, scalar, SEND_FIELDS } from '../../api/objects';
import { textOf } from '../../delivery/compose';
import { codePoints } from '../../delivery/longText';
import { SEND, type SendOperation } from '../../delivery/operation';
import type { Failure } from '../../failures/failure';
import { type Failed, type Outcome, type Row, type Skipped, textCount } from '../../messages/row';
import { pause, YIELD_EVERY } from '../execution';
import { descriptionOf } from './sentences';
import type { Charged } from './summary';

/** Explains a missing message ID, if only the crash ledger knows that a message was sent. */
const ANSWER_LOST = { note: 'Sent before n8n stopped; the response with its ID was lost' };

/**
 * One item for each message, in the order of the input: of Send `{ message_id, status, credits_used, credits_remaining,
 * sent_at, phone }`, of Send Bulk `{ message_id, phone, status, batch, credits_remaining }`, of a dry run `{ phone,
 * message, status, reason, phone_given, batch, characters }`. A message that was not sent has only `{ error, details }`,
 * the shape that n8n passes to the error output (where it adds the input item's fields).
 * @param hasOneItem whether the input is a single item: n8n then links all messages of its list to it itself, but would
 * first add the whole list to each that failed
 * @param inputs null if the items have the node's own fields alone
 */
export async function outputItems(
  rows: readonly Row[],
  operation: SendOperation,
  isDryRun: boolean,
  hasOneItem: boolean,
  inputs: Inputs | null,
  charged: Charged | null = null,
): Promise<INodeExecutionData[]> {
  const items: INodeExecutionData[] = [];
  for (const row of rows) {
    const json = jsonOf(row, operation, isDryRun, charged);
    const pairedItem = hasOneItem && row.entry !== null ? undefined : { item: row.item };
    items.push({ json: inputs === null ? json : withInput(json, inputs, row), pairedItem });
    if (items.length % YIELD_EVERY === 0) await pause();
  }
  return items;
}

/** What is needed to give each output item the fields of its input item. */
interface Inputs {
  readonly items: readonly INodeExecutionData[];
  /** Whether n8n passes failed items to an error output. It adds the fields itself, if the items keep their shape. */
  readonly hasErrorOutput: boolean;
}

export function failedItem(item: number, failure: Failure): INodeExecutionData {
  const json = failedJson({ kind: 'not_sent', failure }, null);
  return { json, pairedItem: { item } };
}

/**
 * Fields of outcomes. The input may have them from an earlier run, as in a loop or a table, and then they are no longer
 * true: n8n would even run a node again whose first item has an error.
 */
const OF_OUTCOMES: ReadonlySet<string> = new Set([
  ...['message_id', 'status', 'batch', 'sent_at', 'credits_used', 'credits_remaining', 'phone_given', 'characters'],
  ...['error', 'details', 'reason', 'sent_before', 'send_at', 'empty_fields', 'test_for', 'note', 'parts'],
  ...['duplicate_of', 'duplicate_of_entry'],
]);

/** The longest text that every message of a list gets, in characters. */
const MAX_SHARED = 1_000;

/**
 * Adds the fields of the input item after the node's own, which win. The messages of a list get only single values: with
 * the list itself in each of them, n8n would run out of memory as it shows the output.
 */
function withInput(json: IDataObject, { items, hasErrorOutput }: Inputs, { item, entry }: Row): IDataObject {
  if (hasErrorOutput && json.error !== undefined) return json;
  const isAdded = (value: unknown) => entry === null || (textOf(value)?.length ?? Infinity) <= MAX_SHARED;
  const input = Object.entries(items[item]?.json ?? {});
  const others = input.filter(
    ([name, value]) => !OF_OUTCOMES.has(name) && !Object.hasOwn(json, name) && isAdded(value),
  );
  return { ...json, ...Object.fromEntries(others) };
}

function jsonOf(row: Row, operation: SendOperation, isDryRun: boolean, charged: Charged | null): IDataObject {
  const { outcome, testFor } = row;
  if (outcome === null) throw new Error('a message has no outcome');
  if ('failure' in outcome) return failedJson(outcome, row, charged);
  const isPlan = isDryRun && outcome.kind !== 'sent';
  const json = isPlan ? plannedJson(row, outcome) : messageJson(row, outcome, operation);
  const length = textCount(row);
  if (length > 1 && (isPlan || outcome.kind === 'sent')) json.parts = length;
  if (testFor !== null) json.test_for = testFor;
  if (outcome.kind === 'skipped') Object.assign(json, detailsOf(row, outcome));
  else if (outcome.kind === 'sent' && row.data === null) Object.assign(json, ANSWER_LOST);
  return json;
}

/** For Send, it includes the answer to the message's own request. */
function messageJson(row: Row, outcome: Outcome, operation: SendOperation): IDataObject {
  const { phone, batch, data } = row;
  if (outcome.kind !== 'sent') {
    const original = row.duplicateOf?.outcome;
    const json = { message_id: original?.kind === 'sent' ? original.messageId : null, phone, status: 'skipped' };
    if (operation === SEND) return { ...pick({ credits_used: 0 }, SEND_FIELDS), ...json };
    return { ...json, batch: null, credits_remaining: null };
  }
  const { messageId, status } = outcome;
  if (operation === SEND) return { ...pick(data ?? {}, SEND_FIELDS), message_id: messageId, phone, status };
  const remaining = data === null ? null : scalar(data, 'credits_remaining');
  return { message_id: messageId, phone, status, batch, credits_remaining: remaining };
}

/** Why a message was deliberately not sent, which isn't a failure. */
function detailsOf({ empty, duplicateOf }: Row, outcome: Skipped): IDataObject {
  return {
    reason: outcome.reason,
    ...(outcome.reason === 'sent_before' && { sent_before: true }),
    ...(outcome.reason === 'empty_field' && { empty_fields: [...empty] }),
    ...(outcome.reason === 'outside_window' && { send_at: new Date(outcome.sendAt).toISOString() }),
    ...(duplicateOf && originOf(duplicateOf)),
  };
}

function originOf({ item, entry }: Row): IDataObject {
  return { duplicate_of: item, ...(entry !== null && { duplicate_of_entry: entry }) };
}

/** All items of a dry run have the same fields: n8n's table shows a missing one as "undefined", in red. */
function plannedJson({ phone, phoneGiven, text, parts, batch }: Row, outcome: Outcome): IDataObject {
  const isPlanned = outcome.kind === 'planned';
  const shown = parts?.length === 1 ? (parts[0] ?? text) : text;
  return {
    phone,
    message: shown,
    status: isPlanned ? 'dry_run' : 'skipped',
    reason: isPlanned ? 'would_be_sent' : null,
    phone_given: textOf(phoneGiven) ?? phone,
    batch: isPlanned ? batch : null,
    characters: codePoints(shown),
  };
}

function failedJson({ kind, failure }: Failed, row: Row | null, charged: Charged | null = null): IDataObject {
  const { code, httpStatus, credits } = failure;
  const { phone = null, phoneGiven = null, defect = null, testFor = null, batch = null, entry = null } = row ?? {};
  const given = typeof phoneGiven === 'boolean' ? null : scalar({ phoneGiven }, 'phoneGiven');
  return {
    error: failure.message,
    details: {
      code,
      http_status: httpStatus,
      outcome: kind,
      ...(credits && { required_credits: credits.required, available_credits: credits.available }),
      phone: defect === null ? phone : given,
      ...(batch !== null && { batch }),
      ...(testFor !== null && { test_for: testFor }),
      ...(row?.duplicateOf && originOf(row.duplicateOf)),
      ...(entry !== null && { entry }),
      ...(charged && row?.isUnanswered && { unanswered: charged.of, unanswered_charged: charged.used }),
      description: descriptionOf(failure, kind),
    },
  };
}
