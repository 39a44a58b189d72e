/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Reads what the node's output reports about each message. */
import { deepStrictEqual, ok } from 'node:assert/strict';

import type { INodeExecutionData } from 'n8n-workflow';

import type { Execution } from '../../support/engine/workflow';
import { detailsOf, textOf } from '../../support/outputs';
import { withoutStamp } from './lists';
import { keptBackBy, placeOf, type RequestedMessage } from './messages';
import type { Settings } from './scenario';

export type Reported =
  | 'sent'
  | 'not_sent'
  | 'uncertain'
  /** As a duplicate. */
  | 'skipped'
  | 'sent_before'
  | 'may_have_been_sent'
  | 'kept_back'
  | 'dry_run'
  | 'nothing';

export type Report = Map<RequestedMessage, Reported>;

/**
 * @param mayBeSent whether a message that can't be sent now may have been sent before @throws unless the output items
 * represent every message once
 */
export function readOutputs(
  settings: Settings,
  messages: readonly RequestedMessage[],
  { outputs }: Execution,
  mayBeSent: boolean,
): Report {
  const { onError, options } = settings;
  deepStrictEqual(outputs.length, onError === 'continueErrorOutput' ? 2 : 1, 'outputs');
  const items = outputs.flat();
  const failed = items.filter(({ json }) => json.error !== undefined);
  const succeeded = items.filter(({ json }) => json.error === undefined);
  if (onError === 'continueErrorOutput')
    deepStrictEqual(outputs, [succeeded, failed], 'an item is on the wrong output');

  const report: Report = new Map(messages.map((message) => [message, 'nothing']));
  readFailed(messages, failed, report, mayBeSent);
  const left = messages.filter((message) => report.get(message) === 'nothing');
  const isUnreported = left.some(({ texts }) => texts === null);
  ok(!isUnreported, "a message that can't be sent has no failed item");
  readMessages(messages, left, succeeded, report);
  const all = [...report.values()];
  ok(!options.dryRun || !all.includes('sent'), 'a dry run reports a message as sent');
  ok(options.duplicateMessages !== 'send' || !all.includes('skipped'), 'a message is skipped with Send');
  const isByOthers = all.includes('sent_before') || all.includes('may_have_been_sent');
  ok(options.duplicateMessages === 'sendOnceEver' || !isByOthers, 'left out because of another execution');
  for (const [message, reported] of report)
    ok(reported !== 'kept_back' || keptBackBy(settings, message) !== null, 'kept back without a reason');
  const represented = new Set(items.map(({ pairedItem }) => linkOf(pairedItem)));
  for (const { item } of messages) ok(represented.has(item), `item ${item} is lost`);
  return report;
}

function readFailed(
  messages: readonly RequestedMessage[],
  failed: readonly INodeExecutionData[],
  report: Report,
  mayBeSent: boolean,
): void {
  const byPlace = new Map(messages.map((message) => [placeOf(message), message]));
  for (const { json, pairedItem } of failed) {
    const details = detailsOf({ json });
    const entry = details.entry === undefined ? null : Number(details.entry);
    const message = byPlace.get(placeOf({ item: linkOf(pairedItem), entry }));
    ok(message, `a failed item represents no message: ${JSON.stringify(json)}`);
    deepStrictEqual(report.get(message), 'nothing', 'a message has two failed items');
    const { outcome } = details;
    ok(outcome === 'not_sent' || outcome === 'uncertain', `outcome ${JSON.stringify(outcome)}`);
    if (message.texts !== null) deepStrictEqual(details.phone, message.input.cleanPhone, 'phone of a failed item');
    else if (!mayBeSent) deepStrictEqual(outcome, 'not_sent');
    report.set(message, outcome);
  }
}

/** One item per message, in the order of the input. A duplicate names the message that was sent in its place. */
function readMessages(
  messages: readonly RequestedMessage[],
  left: readonly RequestedMessage[],
  succeeded: readonly INodeExecutionData[],
  report: Report,
): void {
  deepStrictEqual(
    succeeded.map(({ json, pairedItem }) => [linkOf(pairedItem), json.phone]),
    left.map(({ item, input }) => [item, input.cleanPhone]),
    'output items',
  );
  left.forEach((message, index) => {
    const { status, message: text, sent_before: isSentBefore, reason } = succeeded[index]?.json ?? {};
    const shown = message.texts?.length === 1 ? message.texts[0] : message.input.text.normalize('NFC');
    if (status === 'dry_run') deepStrictEqual(withoutStamp(textOf(text)), shown, 'text of a dry run');
    if (status !== 'skipped') report.set(message, status === 'dry_run' ? status : 'sent');
    else if (reason === 'duplicate') report.set(message, 'skipped');
    else if (reason === 'sent_before' || reason === 'may_have_been_sent') report.set(message, reason);
    else report.set(message, 'kept_back');
    deepStrictEqual(isSentBefore, reason === 'sent_before' ? true : undefined, 'sent_before');
  });
  left.forEach((message, index) => {
    const { reason, duplicate_of: item, duplicate_of_entry: entry = null } = succeeded[index]?.json ?? {};
    if (reason !== 'duplicate') return;
    const original = messages.find((one) => one.item === item && one.entry === entry);
    deepStrictEqual(original?.identity, message.identity, 'left out for a message that is not the same');
    const reported = report.get(original);
    const hasIt = reported === 'sent' || reported === 'dry_run' || reported === 'sent_before';
    ok(hasIt, `left out for a message that is ${reported}`);
  });
}

export function linkOf(pairedItem: INodeExecutionData['pairedItem']): number {
  ok(typeof pairedItem === 'object' && !Array.isArray(pairedItem), 'not one link');
  return pairedItem.item;
}
