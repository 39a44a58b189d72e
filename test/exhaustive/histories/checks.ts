/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** What must be true after every run of a scenario, no matter what happens in it. */
import { deepStrictEqual, ok } from 'node:assert/strict';

import type { SentMessage } from '../../../sandbox/server';
import { KEY } from '../../support/contacts';
import { type Execution, keptIn, stored } from '../../support/engine/workflow';
import { outcomeOf } from '../../support/outputs';
import type { Likeness, RequestedMessage } from './messages';
import { linkOf, type Report, type Reported } from './reported';
import type { Settings } from './scenario';

/**
 * A message_id belongs to a message with the item's phone and text, and no two items have the same one.
 * @param likenessOf null unless the service has always listed messages in order: otherwise, two to one number can't be
 * told apart
 */
export function checkIds(
  messages: readonly RequestedMessage[],
  { outputs }: Execution,
  arrived: readonly SentMessage[],
  likenessOf: Likeness | null,
): void {
  const byId = new Map(arrived.map((message) => [message.id, message]));
  const seen = new Set<unknown>();
  for (const { json, pairedItem } of outputs[0] ?? []) {
    const { message_id: id, phone, status } = json;
    if (status === 'skipped' || typeof id !== 'number') continue;
    ok(!seen.has(id), `message_id ${id} is in two items`);
    seen.add(id);
    const message = byId.get(id);
    ok(message !== undefined && message.phone === phone, `message_id ${id} is not one of ${JSON.stringify(phone)}`);
    const item = linkOf(pairedItem);
    if (likenessOf === null) continue;
    const alike = likenessOf('', message.phone, message.message);
    const isAlike = ({ texts }: RequestedMessage) => likenessOf('', message.phone, texts?.[0] ?? '') === alike;
    const isOwn = messages.some((one) => one.item === item && isAlike(one));
    ok(isOwn, `message_id ${id} belongs to another item`);
  }
}

/** Messages that are alike, by what is reported about them. */
interface Alike {
  sent: number;
  uncertain: number;
  /** By an earlier attempt of the same execution, or by another one; also what may have been. */
  before: number;
  arrived: number;
}

/**
 * The service has received what the node reports, and nothing else, except for messages that the latest attempts no
 * longer ask for.
 * @param reports the latest one of each execution; null if n8n was killed, or the run was stopped
 * @param removed how many messages that may have arrived are no longer asked for, by their likeness
 */
export function checkArrivals(
  reports: ReadonlyArray<Report | null>,
  arrived: readonly SentMessage[],
  removed: ReadonlyMap<string, number>,
  likenessOf: Likeness,
): void {
  const isAllReported = reports.every((report) => report !== null);
  for (const [likeness, alike] of groupAlike(reports, arrived, likenessOf)) {
    const { sent, uncertain, before } = alike;
    const counts = `${likeness.slice(0, 40)}: ${sent} reported as sent, ${uncertain} uncertain, ${before} before, ${alike.arrived} arrived`;
    // What was sent before may have been sent by an earlier attempt of the same execution.
    const most = sent + uncertain + (removed.get(likeness) ?? 0) + before;
    ok(alike.arrived >= sent, `reported as sent, and did not arrive: ${counts}`);
    if (isAllReported) ok(alike.arrived <= most, `arrived, and not reported: ${counts}`);
  }
}

/** What runs asked for, by account and identity. */
type AskedOnce = ReadonlyMap<string, { readonly texts: ReadonlySet<string>; readonly runs: number }>;

/**
 * Nobody is left out for somebody else: whoever is skipped because of another run got that content from that run, or
 * may have. {@link readOutputs} checks the same for duplicates.
 * @param accountOf the sandbox's label of the key that a message is sent with
 * @param isMoved whether a Retry may have had another account: what its execution has sent counts for that one, too
 */
export function checkNobodyLeftOut(
  { options }: Settings,
  report: Report,
  arrived: readonly SentMessage[],
  asked: AskedOnce,
  accountOf: (message: RequestedMessage) => string,
  isMoved: boolean,
): void {
  for (const [message, reported] of report) {
    if (reported !== 'sent_before' && reported !== 'may_have_been_sent') continue;
    const { identity, input } = message;
    // A duplicate shares the outcome of the message in whose place it would be sent, from that one's account.
    const accounts = new Set([...report.keys()].filter((one) => one.identity === identity).map(accountOf));
    const hasGotIt = [...accounts].some((account) => {
      const { texts, runs } = asked.get(`${account} ${identity}`) ?? { texts: new Set(), runs: 0 };
      const isOwn = ({ key, phone }: SentMessage) => (isMoved || key === account) && phone === input.cleanPhone;
      const mayHave = reported === 'may_have_been_sent' && runs > (options.dryRun ? 0 : 1);
      return mayHave || arrived.some((sent) => isOwn(sent) && texts.has(sent.message.trim()));
    });
    ok(hasGotIt, `left out, and did not get it: ${identity.slice(0, 40)}, ${reported}`);
  }
}

/** The first line of the hint counts the items that were sent, not sent or uncertain, unless it gives one reason for all of them. */
export function checkHint({ run, outputs }: Execution): void {
  const [{ message: hint } = { message: '' }] = run.data.resultData.runData.Send?.at(-1)?.hints ?? [];
  const outcomes = outputs.flat().map(outcomeOf);
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  const others = ['not_sent', 'uncertain', 'skipped', 'dry_run'].map(count);
  const [notSent, uncertain] = others;
  if (hint.startsWith('Nothing was sent')) deepStrictEqual(notSent, outcomes.length, hint);
  if (outcomes.length === 0 || hint.startsWith('Nothing was sent')) return;
  const told = [/(\d+) sent/, /(\d+) (?:not sent|can't be sent)/, /(\d+) uncertain \(/].map((pattern) =>
    Number(pattern.exec(hint)?.[1] ?? 0),
  );
  deepStrictEqual(told, [others.reduce((left, each) => left - each, outcomes.length), notSent, uncertain], hint);
}

/** Nothing is sent twice, no matter how often the workflow is retried and what the user changes before that. */
export function checkSentOnce(
  arrived: readonly SentMessage[],
  most: ReadonlyMap<string, number>,
  likenessOf: Likeness,
): void {
  const counts = new Map<string, number>();
  for (const { key, phone, message } of arrived) {
    const likeness = likenessOf(key, phone, message);
    counts.set(likeness, (counts.get(likeness) ?? 0) + 1);
  }
  for (const [likeness, count] of counts) {
    const max = most.get(likeness);
    ok(max !== undefined, `arrived, and nobody asked for it: ${likeness.slice(0, 40)}`);
    ok(count <= max, `sent more often than requested: ${likeness.slice(0, 40)}: ${count} arrived, ${max} requested`);
  }
}

function groupAlike(
  reports: ReadonlyArray<Report | null>,
  arrived: readonly SentMessage[],
  likenessOf: Likeness,
): Map<string, Alike> {
  const groups = new Map<string, Alike>();
  const groupOf = (likeness: string): Alike => {
    const group = groups.get(likeness) ?? { sent: 0, uncertain: 0, before: 0, arrived: 0 };
    groups.set(likeness, group);
    return group;
  };
  for (const [{ account, input, texts }, reported] of reports.flatMap((report) => [...(report ?? [])])) {
    const kind = COUNTED[reported];
    if (input.cleanPhone === null || kind === undefined) continue;
    for (const text of texts ?? []) groupOf(likenessOf(account, input.cleanPhone, text))[kind] += 1;
  }
  for (const { key, phone, message } of arrived) groupOf(likenessOf(key, phone, message)).arrived += 1;
  return groups;
}

const COUNTED: Partial<Record<Reported, keyof Alike>> = {
  sent: 'sent',
  uncertain: 'uncertain',
  sent_before: 'before',
  may_have_been_sent: 'before',
};

export function checkOrder(messages: readonly RequestedMessage[], arrived: readonly SentMessage[]): void {
  const indexes = new Map<string, number[]>();
  let index = 0;
  for (const { account, input, texts } of messages) {
    for (const text of texts ?? []) {
      const key = `${account} ${input.cleanPhone} ${text}`;
      indexes.set(key, [...(indexes.get(key) ?? []), (index += 1)]);
    }
  }
  const lastOf = new Map<string, number>();
  for (const { key, phone, message } of arrived) {
    const candidates = indexes.get(`${key} ${phone} ${message}`);
    if (candidates === undefined) continue;
    // Of several messages with the same text, this is the earliest possible.
    const next = candidates.find((index) => index > (lastOf.get(`${key} ${phone}`) ?? -1));
    ok(next !== undefined, `a message to ${phone} overtook another: ${message.slice(0, 12)}`);
    lastOf.set(`${key} ${phone}`, next);
  }
}

/** Once the service works, everything that can be sent is sent, unless that could be the second time. */
export function checkNothingLost(report: Report): void {
  for (const [{ input, texts }, reported] of report)
    ok(texts === null || reported !== 'not_sent', `not sent, although the service works: ${input.text.slice(0, 12)}`);
}

export function checkKeptNothing(report: Report, execution: Execution, wasKilled: boolean): void {
  const all = [...report.values()];
  // An outage is kept until a request is accepted.
  const kept = Object.keys(keptIn(execution)).filter((name) => !name.startsWith('outage '));
  const isExpected = kept.every((name) => wasKilled && name === 'interrupted');
  if (all.length > 0 && all.every((reported) => reported === 'sent')) ok(isExpected, `kept: ${kept.join(', ')}`);
}

/** The stored execution has no key except one in an item, and the node keeps no phone number or text in it. */
export function checkNoSecret({ accounts }: Settings, execution: Execution): void {
  const everything = JSON.stringify(stored(execution.run.data));
  ok(accounts > 1 || !everything.includes(KEY), 'the key is in the stored execution');
  const kept = JSON.stringify(keptIn(execution));
  ok(!/4477009\d{5}|(Text|Key) \d|summer-campaign/.test(kept), 'a phone number, text or key is in the record');
  ok(!kept.includes(KEY), 'the key is in the record');
}
