/** What must be true after every run of a scenario, whatever happens in it. */
import { deepStrictEqual, ok } from 'node:assert/strict';

import type { SentMessage } from '../../sandbox/server';
import { KEY } from '../support/account';
import { type Execution, keptIn, stored } from '../support/engine/workflow';
import type { RequestedMessage } from './messages';
import { linkOf, type Reported } from './reported';
import type { Input, Scenario } from './scenario';

/** A message_id belongs to a message with the item's phone and text, and no two items have the same one. */
export function checkIds(
  { options, rounds }: Scenario,
  messages: readonly RequestedMessage[],
  { outputs }: Execution,
  arrived: readonly SentMessage[],
): void {
  const byId = new Map(arrived.map((message) => [message.id, message]));
  // If the service reorders its list, two messages to one number can't be told apart.
  const inOrder = !rounds.some(({ faults }) => faults.some(({ kind }) => kind === 'bulk-answer'));
  const seen = new Set<unknown>();
  for (const { json, pairedItem } of outputs[0] ?? []) {
    const { message_id: id, phone, status, sent_at: sentAt } = json;
    if (status === 'skipped' || typeof id !== 'number') continue;
    ok(!seen.has(id), `message_id ${id} is in two items`);
    seen.add(id);
    const message = byId.get(id);
    ok(message !== undefined && message.phone === phone, `message_id ${id} is not one of ${JSON.stringify(phone)}`);
    const item = linkOf(pairedItem);
    ok(
      !inOrder || messages.some((one) => one.item === item && one.text === message.message),
      `message_id ${id} belongs to another item`,
    );
    if (options.output === 'messages' && sentAt !== undefined) deepStrictEqual(sentAt, message.sent_at);
  }
}

/** The messages of a scenario with one phone number and text. */
interface Alike {
  requested: number;
  /** By input, because an input can have several parts that are alike. */
  readonly requestedByInput: Map<Input, number>;
  sent: number;
  uncertain: number;
  skipped: number;
  arrived: number;
}

/** The service has received what the node reports, and nothing that the node does not report. */
export function checkArrivals(
  { options }: Scenario,
  messages: readonly RequestedMessage[],
  report: ReadonlyMap<RequestedMessage, Reported>,
  arrived: readonly SentMessage[],
  stopped: boolean,
): void {
  for (const [key, alike] of groupAlike(messages, report, arrived)) {
    const { requested, requestedByInput, sent, uncertain, skipped } = alike;
    const counts = `${key.slice(0, 40)}: ${sent} reported as sent, ${uncertain} uncertain, ${skipped} skipped, ${alike.arrived} arrived, ${requested} requested`;
    ok(alike.arrived >= sent, `reported as sent, and did not arrive: ${counts}`);
    ok(alike.arrived === 0 || sent + uncertain > 0, `arrived, and not reported: ${counts}`);
    if (skipped > 0 && !options.dryRun) {
      ok(sent > 0 || options.duplicateMessages === 'sendOnce', `skipped without an original: ${counts}`);
    }
    if (options.uncertain === 'sendAgain') continue;
    ok(alike.arrived <= sent + uncertain, `sent, and not reported: ${counts}`);
    const max = options.duplicateMessages === 'sendOnce' ? maxIfSentOnce(requestedByInput) : requested;
    ok(alike.arrived <= max, `sent more often than requested: ${counts}`);
  }
  if (options.dryRun && !stopped) deepStrictEqual(arrived, []);
}

function groupAlike(
  messages: readonly RequestedMessage[],
  report: ReadonlyMap<RequestedMessage, Reported>,
  arrived: readonly SentMessage[],
): Map<string, Alike> {
  const groups = new Map<string, Alike>();
  const groupOf = (phone: string, text: string): Alike => {
    const key = keyOf(phone, text);
    const group = groups.get(key) ?? {
      requested: 0,
      requestedByInput: new Map<Input, number>(),
      sent: 0,
      uncertain: 0,
      skipped: 0,
      arrived: 0,
    };
    groups.set(key, group);
    return group;
  };
  for (const message of messages) {
    const { input, text } = message;
    if (text === null || input.cleanPhone === null) continue;
    const group = groupOf(input.cleanPhone, text);
    group.requested += 1;
    group.requestedByInput.set(input, (group.requestedByInput.get(input) ?? 0) + 1);
    const reported = report.get(message);
    if (reported === 'sent' || reported === 'uncertain' || reported === 'skipped') group[reported] += 1;
  }
  for (const { phone, message } of arrived) groupOf(phone, message).arrived += 1;
  return groups;
}

/** How often a text may arrive if each whole text is sent once: split texts may have parts in common. */
function maxIfSentOnce(requestedByInput: ReadonlyMap<Input, number>): number {
  const byText = new Map<string, number>();
  for (const [{ text }, count] of requestedByInput) byText.set(text, Math.max(byText.get(text) ?? 0, count));
  return [...byText.values()].reduce((total, count) => total + count, 0);
}

/** Messages to one number arrive in the order of the input. */
export function checkOrder(messages: readonly RequestedMessage[], arrived: readonly SentMessage[]): void {
  const indexes = new Map<string, number[]>();
  messages.forEach(({ input, text }, index) => {
    if (text === null || input.cleanPhone === null) return;
    const key = keyOf(input.cleanPhone, text);
    indexes.set(key, [...(indexes.get(key) ?? []), index]);
  });
  const lastOf = new Map<string, number>();
  for (const { phone, message } of arrived) {
    const candidates = indexes.get(keyOf(phone, message));
    if (candidates === undefined) continue;
    // Of several messages with the same text, this is the earliest possible.
    const last = lastOf.get(phone) ?? -1;
    const next = candidates.find((index) => index > last);
    ok(next !== undefined, `a message to ${phone} overtook another: ${message.slice(0, 12)}`);
    lastOf.set(phone, next);
  }
}

function keyOf(phone: string, text: string): string {
  return `${phone} ${text}`;
}

/** Nothing is kept of a run that sent everything. */
export function checkKeptNothing(report: ReadonlyMap<RequestedMessage, Reported>, execution: Execution): void {
  const all = [...report.values()];
  if (all.length > 0 && all.every((reported) => reported === 'sent')) deepStrictEqual(keptIn(execution), {});
}

/** The stored execution has no key, and what the node keeps in it has no phone number and no text. */
export function checkNoSecret(execution: Execution): void {
  const everything = JSON.stringify(stored(execution.run.data));
  ok(!everything.includes(KEY), 'the key is in the stored execution');
  const kept = JSON.stringify(keptIn(execution));
  ok(!/4477009\d{5}|Text \d/.test(kept), 'a phone number or text is in the record');
}
