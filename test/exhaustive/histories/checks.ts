/** What must be true after every run of a scenario, whatever happens in it. */
import { deepStrictEqual, ok } from 'node:assert/strict';

import type { LoggedRequest, SentMessage } from '../../../sandbox/server';
import { KEY } from '../../support/account';
import { type Execution, keptIn, stored } from '../../support/engine/workflow';
import type { Outage } from './faults';
import type { RequestedMessage } from './messages';
import { linkOf, type Reported } from './reported';
import type { Scenario } from './scenario';

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

/** Messages with one account, phone number and text, by what is reported of them. */
interface Alike {
  requested: number;
  sent: number;
  uncertain: number;
  skipped: number;
  arrived: number;
}

/**
 * The service has received what the node reports, and nothing that the node does not report, but for rows that were
 * removed meanwhile.
 * @param most how often each message may arrive, by {@link keyOf}
 */
export function checkArrivals(
  { options }: Scenario,
  report: ReadonlyMap<RequestedMessage, Reported>,
  arrived: readonly SentMessage[],
  most: ReadonlyMap<string, number>,
): void {
  for (const [key, alike] of groupAlike(report, arrived)) {
    const { requested, sent, uncertain, skipped } = alike;
    const counts = `${key.slice(0, 40)}: ${sent} reported as sent, ${uncertain} uncertain, ${skipped} skipped, ${alike.arrived} arrived, ${requested} requested`;
    const removed = Math.max(0, (most.get(key) ?? 0) - requested);
    ok(alike.arrived >= sent, `reported as sent, and did not arrive: ${counts}`);
    ok(alike.arrived === 0 || sent + uncertain + removed > 0, `arrived, and not reported: ${counts}`);
    if (skipped > 0 && !options.dryRun) {
      ok(sent > 0 || options.duplicateMessages === 'sendOnce', `skipped without an original: ${counts}`);
    }
    if (options.uncertain === 'report') {
      ok(alike.arrived <= sent + uncertain + removed, `sent, and not reported: ${counts}`);
    }
  }
}

/** Nothing is sent twice, however often the workflow is retried and whatever the user changes before that. */
export function checkSentOnce(
  { options }: Scenario,
  arrived: readonly SentMessage[],
  most: ReadonlyMap<string, number>,
): void {
  const counts = new Map<string, number>();
  for (const { key, phone, message } of arrived) add(counts, keyOf(key, phone, message), 1);
  for (const [key, count] of counts) {
    ok(most.has(key), `arrived, and nobody asked for it: ${key.slice(0, 40)}`);
    if (options.uncertain === 'sendAgain') continue;
    const max = most.get(key) ?? 0;
    ok(count <= max, `sent more often than requested: ${key.slice(0, 40)}: ${count} arrived, ${max} requested`);
  }
}

/** How often each message may arrive, by {@link keyOf}. */
export function requestedAtMost(
  { options }: Scenario,
  messages: readonly RequestedMessage[],
): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  const seen = new Set<string>();
  for (const { account, input, part, text } of messages) {
    if (text === null || input.cleanPhone === null) continue;
    // A whole text is sent once. Its parts may be alike, and other texts may have them too.
    const own = `${keyOf(account, input.cleanPhone, input.text)} ${part}`;
    if (options.duplicateMessages === 'send' || !seen.has(own)) add(most, keyOf(account, input.cleanPhone, text), 1);
    seen.add(own);
  }
  return most;
}

function groupAlike(
  report: ReadonlyMap<RequestedMessage, Reported>,
  arrived: readonly SentMessage[],
): Map<string, Alike> {
  const groups = new Map<string, Alike>();
  const groupOf = (key: string): Alike => {
    const group = groups.get(key) ?? { requested: 0, sent: 0, uncertain: 0, skipped: 0, arrived: 0 };
    groups.set(key, group);
    return group;
  };
  for (const [{ account, input, text }, reported] of report) {
    if (text === null || input.cleanPhone === null) continue;
    const group = groupOf(keyOf(account, input.cleanPhone, text));
    group.requested += 1;
    if (reported === 'sent' || reported === 'uncertain' || reported === 'skipped') group[reported] += 1;
  }
  for (const { key, phone, message } of arrived) groupOf(keyOf(key, phone, message)).arrived += 1;
  return groups;
}

/** Messages from one account to one number arrive in the order of the input. */
export function checkOrder(messages: readonly RequestedMessage[], arrived: readonly SentMessage[]): void {
  const indexes = new Map<string, number[]>();
  messages.forEach(({ account, input, text }, index) => {
    if (text === null || input.cleanPhone === null) return;
    const key = keyOf(account, input.cleanPhone, text);
    indexes.set(key, [...(indexes.get(key) ?? []), index]);
  });
  const lastOf = new Map<string, number>();
  for (const { key, phone, message } of arrived) {
    const candidates = indexes.get(keyOf(key, phone, message));
    if (candidates === undefined) continue;
    // Of several messages with the same text, this is the earliest possible.
    const last = lastOf.get(`${key} ${phone}`) ?? -1;
    const next = candidates.find((index) => index > last);
    ok(next !== undefined, `a message to ${phone} overtook another: ${message.slice(0, 12)}`);
    lastOf.set(`${key} ${phone}`, next);
  }
}

function keyOf(account: string, phone: string, text: string): string {
  return `${account} ${phone} ${text}`;
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/**
 * An outage costs no more than the requests in flight when it begins: one, until a message was accepted. If only sending is
 * down, two more follow, each after the balance. All attempts of Retry On Fail together cost no more.
 * @param requests of one execution
 */
export function checkRisk({ options }: Scenario, { balanceWorks }: Outage, requests: readonly LoggedRequest[]): void {
  for (const account of new Set(requests.map(({ key }) => key))) {
    const sending = requests.filter(({ key, endpoint }) => key === account && endpoint !== 'balance');
    const first = sending.findIndex(({ fault }) => fault !== null);
    const inFlight = sending.slice(0, first).some(({ status }) => status === 201) ? options.parallelRequests : 1;
    const hit = sending.filter(({ fault }) => fault !== null).length;
    const most = inFlight + (balanceWorks ? 2 : 0);
    ok(hit <= most, `an outage hit ${hit} requests with messages, not at most ${most}`);
  }
}

/** One text that is refused keeps no other from being sent. */
export function checkOthersSent(report: ReadonlyMap<RequestedMessage, Reported>, refusedText: string): void {
  const isRefused = ({ text }: RequestedMessage) => text === null || text.includes(refusedText);
  // Several refusals in a row may be about the whole run.
  if ([...report.keys()].filter(({ text }) => text?.includes(refusedText)).length > 1) return;
  for (const [message, reported] of report) {
    ok(
      isRefused(message) || reported !== 'not_sent',
      `not sent, because another one was refused: ${message.input.text.slice(0, 12)}`,
    );
  }
}

/** Once the service works, everything that can be sent is sent, unless that could be the second time. */
export function checkNothingLost(report: ReadonlyMap<RequestedMessage, Reported>): void {
  for (const [{ input, text }, reported] of report) {
    ok(text === null || reported !== 'not_sent', `not sent, although the service works: ${input.text.slice(0, 12)}`);
  }
}

/** Nothing is kept of a run that sent everything. */
export function checkKeptNothing(report: ReadonlyMap<RequestedMessage, Reported>, execution: Execution): void {
  const all = [...report.values()];
  // An outage is kept until a request is accepted.
  const { outages: _, ...kept } = keptIn(execution);
  if (all.length > 0 && all.every((reported) => reported === 'sent')) deepStrictEqual(kept, {});
}

/** The stored execution has no key but one in an item, and what the node keeps in it has no phone number and no text. */
export function checkNoSecret({ accounts }: Scenario, execution: Execution): void {
  const everything = JSON.stringify(stored(execution.run.data));
  ok(accounts > 1 || !everything.includes(KEY), 'the key is in the stored execution');
  const kept = JSON.stringify(keptIn(execution));
  ok(!/4477009\d{5}|Text \d/.test(kept), 'a phone number or text is in the record');
  ok(!kept.includes(KEY), 'the key is in the record');
}
