import { deepStrictEqual, ok } from 'node:assert/strict';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Sandbox, SentMessage } from '../../sandbox/server';
import { KEY } from '../support/account';
import { type Execution, keptIn, retryExecution, runWorkflow, type Setup, stored } from '../support/engine/workflow';
import { accountOf } from '../support/sandbox';
import type { Scenario, Wish } from './scenario';

/** A message that the scenario asks for, by where it comes from. */
interface Asked {
  readonly item: number;
  readonly entry: number | null;
  readonly part: number | null;
  readonly wish: Wish;
  /** Null where it can't be sent. */
  readonly text: string | null;
}

/** What the node said of it. */
type Said = 'sent' | 'not_sent' | 'uncertain' | 'skipped' | 'dry_run' | 'nothing';

/**
 * Lives through a scenario in n8n's engine against the sandbox, and holds the node to its promises
 * after the first run and after every retry.
 * @throws what does not hold
 */
export async function liveThrough(scenario: Scenario, sandbox: Sandbox): Promise<void> {
  sandbox.reset();
  const setup = setupOf(scenario, sandbox);
  const asked = askedOf(scenario);
  let ran: Execution | null = null;
  for (const [index, { faults, credits }] of scenario.rounds.entries()) {
    sandbox.setFaults(faults);
    sandbox.setCredits(credits);
    const before = sandbox.messages().length;
    ran = ran === null ? await runWorkflow(setup) : await retryExecution(ran, setup);

    checkNoSecret(ran);
    if (ran.error === undefined) checkIds(scenario, asked, ran, sandbox.messages());
    const said = ran.error === undefined ? readOutputs(scenario, asked, ran) : readRecord(asked, ran);
    checkSandbox(scenario, asked, said, sandbox.messages(), ran.error !== undefined);
    if (scenario.maxTries === null && scenario.options.uncertain === 'report') {
      checkOrder(asked, sandbox.messages().slice(before));
    }
    if (ran.error === undefined) {
      checkForgotten(said, ran, index);
      return;
    }
  }
}

function setupOf(
  { operation, source, wishes, onError, maxTries, batchSize, options }: Scenario,
  sandbox: Sandbox,
): Setup {
  const fields =
    source === 'items'
      ? { phone: '={{ $json.phone }}', message: '={{ $json.text }}' }
      : { messages: '={{ $json.list }}' };
  const list = (own: Wish[]) => own.map(({ phone, text }) => ({ phone, message: text }));
  return {
    account: accountOf(sandbox),
    items: wishes.map(
      (own): IDataObject =>
        (source === 'items' ? { phone: own[0]?.phone, text: own[0]?.text } : { list: list(own) }) as IDataObject,
    ),
    parameters: {
      resource: 'message',
      operation,
      source,
      ...fields,
      options: { ...options, requestsPerMinute: 1_000_000, longestWait: 0 },
      ...(batchSize !== null && { requestOptions: { batching: { batch: { batchSize, batchInterval: 0 } } } }),
    },
    onError,
    ...(maxTries !== null && { retryOnFail: { maxTries } }),
  };
}

/** The messages that the items come to, in their order, by rules of its own: texts are made so that cuts are plain. */
function askedOf({ operation, source, wishes, options }: Scenario): Asked[] {
  return wishes.flatMap((own, item) =>
    own.flatMap((wish, index): Asked[] => {
      const origin = { item, entry: source === 'json' ? index : null, part: null, wish };
      const length = wish.text.trim() === '' ? 0 : wish.text.length;
      if (wish.cleanPhone === null || length === 0) return [{ ...origin, text: null }];
      if (length <= 1000) return [{ ...origin, text: wish.text }];
      if (options.longMessages === 'fail') return [{ ...origin, text: operation === 'send' ? null : wish.text }];
      if (options.longMessages === 'truncate') return [{ ...origin, text: wish.text.slice(0, 1000) }];
      return Array.from({ length: Math.ceil(length / 1000) }, (_, part) => ({
        ...origin,
        part,
        text: wish.text.slice(1000 * part, 1000 * (part + 1)),
      }));
    }),
  );
}

/** Reads what the output items say of each message; they have to stand for all of them, each once. */
function readOutputs(scenario: Scenario, asked: readonly Asked[], { outputs }: Execution): Map<Asked, Said> {
  const [main = [], errors = []] = outputs;
  deepStrictEqual(outputs.length, scenario.onError === 'continueErrorOutput' ? 2 : 1, 'outputs');
  const failed = [...main, ...errors].filter(({ json }) => json.error !== undefined);
  const went = main.filter(({ json }) => json.error === undefined);
  if (scenario.onError === 'continueErrorOutput')
    ok(
      main.every(({ json }) => json.error === undefined),
      'an error is on the normal output',
    );

  const said = new Map<Asked, Said>(asked.map((one) => [one, 'nothing']));
  const byPlace = new Map(asked.map((one) => [placeOf(one), one]));
  for (const { json, pairedItem } of failed) {
    const details = json.details as IDataObject;
    const part = details.part === undefined ? null : Number(details.part) - 1;
    const one = byPlace.get(
      placeOf({ item: linkOf(pairedItem), entry: (details.entry as number | undefined) ?? null, part }),
    );
    ok(one, `a failed item stands for no message: ${JSON.stringify(json)}`);
    deepStrictEqual(said.get(one), 'nothing', 'a message has two failed items');
    ok(details.outcome === 'not_sent' || details.outcome === 'uncertain', `outcome ${String(details.outcome)}`);
    if (one.text === null) deepStrictEqual(details.outcome, 'not_sent');
    else deepStrictEqual(details.phone, one.wish.cleanPhone, 'phone of a failed item');
    said.set(one, details.outcome);
  }

  const left = asked.filter((one) => said.get(one) === 'nothing');
  ok(
    left.every(({ text }) => text !== null),
    'a message that can not be sent has no failed item',
  );
  if (scenario.options.output === 'batches' && scenario.operation === 'sendBulk' && !scenario.options.dryRun)
    readBatches(left, went, said);
  else readMessages(left, went, said);
  if (scenario.options.dryRun)
    ok(
      left.every((one) => ['dry_run', 'skipped'].includes(said.get(one) ?? '')),
      'a dry run sent',
    );
  const represented = new Set([...went, ...failed].flatMap(({ pairedItem }) => linksOf(pairedItem)));
  for (const { item } of asked) ok(represented.has(item), `item ${item} is lost`);
  return said;
}

/** One item per message, in the order of the input. */
function readMessages(left: readonly Asked[], went: readonly INodeExecutionData[], said: Map<Asked, Said>): void {
  deepStrictEqual(
    went.map(({ json, pairedItem }) => [linkOf(pairedItem), json.phone, json.part ?? null]),
    left.map(({ item, wish, part }, index) => [
      item,
      wish.cleanPhone,
      went[index]?.json.part === undefined && went[index]?.json.status === 'skipped'
        ? null
        : part === null
          ? null
          : part + 1,
    ]),
    'output items',
  );
  left.forEach((one, index) => {
    const status = went[index]?.json.status;
    said.set(one, status === 'skipped' || status === 'dry_run' ? status : 'sent');
  });
}

/** Each id is that of a message to that number, and of that text; no two items have the same. */
function checkIds(
  { options, rounds }: Scenario,
  asked: readonly Asked[],
  { outputs }: Execution,
  messages: readonly SentMessage[],
): void {
  const byId = new Map(messages.map((message) => [message.id, message]));
  // Where the service mixes up its list, two messages to one number can't be told apart.
  const inOrder = !rounds.some(({ faults }) => faults.some(({ kind }) => kind === 'bulk-answer'));
  const seen = new Set<unknown>();
  for (const { json, pairedItem } of outputs[0] ?? []) {
    if (json.status === 'skipped' || typeof json.message_id !== 'number') continue;
    ok(!seen.has(json.message_id), `message_id ${json.message_id} stands in two items`);
    seen.add(json.message_id);
    const message = byId.get(json.message_id);
    ok(
      message !== undefined && message.phone === json.phone,
      `message_id ${json.message_id} is not one of ${String(json.phone)}`,
    );
    const item = linkOf(pairedItem);
    if (inOrder)
      ok(
        asked.some((one) => one.item === item && one.text === message.message),
        `message_id ${json.message_id} is another item's`,
      );
    if (options.output === 'messages' && json.sent_at !== undefined) deepStrictEqual(json.sent_at, message.sent_at);
  }
}

/** One item per request: all that is left is in one of them. */
function readBatches(left: readonly Asked[], went: readonly INodeExecutionData[], said: Map<Asked, Said>): void {
  const skipped = went.filter(({ json }) => json.status === 'skipped');
  const batches = went.filter(({ json }) => json.status !== 'skipped');
  const items = [...new Set(batches.flatMap(({ pairedItem }) => linksOf(pairedItem)))];
  for (const item of items)
    ok(
      left.some((one) => one.item === item),
      `item ${item} is linked to a request, and has no message in it`,
    );
  const numbers = batches.map(({ json }) => json.batch as number);
  ok(
    numbers.every((number) => Number.isInteger(number) && number > 0),
    'batch numbers',
  );
  // A skipped message follows one with its phone and text; each item of theirs says of which item.
  const copies = skipped.map(({ pairedItem, json }) => ({ item: linkOf(pairedItem), phone: json.phone }));
  for (const one of left) {
    const copy = copies.findIndex(({ item, phone }) => item === one.item && phone === one.wish.cleanPhone);
    const repeats = left.some(
      (other) =>
        other !== one &&
        said.get(other) !== 'nothing' &&
        other.wish.cleanPhone === one.wish.cleanPhone &&
        other.text === one.text,
    );
    if (copy !== -1 && repeats) copies.splice(copy, 1);
    said.set(one, copy !== -1 && repeats ? 'skipped' : 'sent');
  }
  deepStrictEqual(copies, [], 'skipped items that stand for no message');
}

/** After an error, what n8n keeps is what the node knows: the messages that were sent, and those that may have been. */
function readRecord(asked: readonly Asked[], ran: Execution): Map<Asked, Said> {
  const said = new Map<Asked, Said>(asked.map((one) => [one, 'nothing']));
  const byPlace = new Map(asked.map((one) => [placeOf(one), one]));
  const note = (place: string, outcome: Said) => {
    const one = byPlace.get(place);
    ok(one, `the record speaks of ${place}, which is no message`);
    said.set(one, outcome);
  };
  const lines = ((keptIn(ran).deliveries ?? {}) as Record<string, string[]>)['0'] ?? [];
  for (const text of lines.flatMap((joined) => joined.split('\n'))) {
    const line = JSON.parse(text) as { s?: string[][]; u?: string[][] };
    for (const [place = ''] of line.u ?? []) note(place, 'uncertain');
    for (const [place = ''] of line.s ?? []) note(place, 'sent');
  }
  return said;
}

/** How often a text may arrive where each whole text goes out once: split texts may have parts in common. */
function onceForEachText(inWish: ReadonlyMap<Asked['wish'], number>): number {
  const byText = new Map<unknown, number>();
  for (const [{ text }, count] of inWish) byText.set(text, Math.max(byText.get(text) ?? 0, count));
  return [...byText.values()].reduce((total, count) => total + count, 0);
}

/** What was said is what happened, and nothing happened of which nothing was said. */
function checkSandbox(
  { options }: Scenario,
  asked: readonly Asked[],
  said: ReadonlyMap<Asked, Said>,
  messages: readonly SentMessage[],
  stopped: boolean,
): void {
  const groups = new Map<
    string,
    {
      sent: number;
      uncertain: number;
      skipped: number;
      asked: number;
      arrived: number;
      inWish: Map<Asked['wish'], number>;
    }
  >();
  const groupOf = (phone: string, text: string) => {
    const key = `${phone} ${text}`;
    const group = groups.get(key) ?? {
      sent: 0,
      uncertain: 0,
      skipped: 0,
      asked: 0,
      arrived: 0,
      inWish: new Map<Asked['wish'], number>(),
    };
    groups.set(key, group);
    return group;
  };
  for (const one of asked) {
    if (one.text === null || one.wish.cleanPhone === null) continue;
    const group = groupOf(one.wish.cleanPhone, one.text);
    group.asked += 1;
    group.inWish.set(one.wish, (group.inWish.get(one.wish) ?? 0) + 1);
    const outcome = said.get(one);
    if (outcome === 'sent' || outcome === 'uncertain' || outcome === 'skipped') group[outcome] += 1;
  }
  for (const { phone, message } of messages) groupOf(phone, message).arrived += 1;

  for (const [key, { sent, uncertain, skipped, asked: wanted, arrived, inWish }] of groups) {
    const told = `${key.slice(0, 40)}: ${sent} said to be sent, ${uncertain} uncertain, ${skipped} skipped, ${arrived} arrived, ${wanted} asked for`;
    ok(arrived >= sent, `said to be sent, and not there: ${told}`);
    ok(arrived === 0 || sent + uncertain > 0, `there, and not said: ${told}`);
    if (skipped > 0 && !options.dryRun)
      ok(sent > 0 || options.duplicateMessages === 'sendOnce', `skipped without an original: ${told}`);
    if (options.uncertain === 'sendAgain') continue;
    ok(arrived <= sent + uncertain, `sent, and not said: ${told}`);
    const most = options.duplicateMessages === 'sendOnce' ? onceForEachText(inWish) : wanted;
    ok(arrived <= most, `sent more often than asked for: ${told}`);
  }
  if (options.dryRun && !stopped) deepStrictEqual(messages, []);
}

/** Messages to one number arrive in the order of the input. */
function checkOrder(asked: readonly Asked[], messages: readonly SentMessage[]): void {
  const places = new Map<string, number[]>();
  asked.forEach(({ wish, text }, index) => {
    const key = `${wish.cleanPhone} ${text}`;
    places.set(key, [...(places.get(key) ?? []), index]);
  });
  const last = new Map<string, number>();
  for (const { phone, message } of messages) {
    const [place, ...others] = places.get(`${phone} ${message}`) ?? [];
    if (place === undefined) continue;
    // The same text twice: the earliest it can be.
    const from = last.get(phone) ?? -1;
    const next = [place, ...others].find((candidate) => candidate > from);
    ok(next !== undefined, `a message to ${phone} overtook another: ${message.slice(0, 12)}`);
    last.set(phone, next);
  }
}

/** Nothing is kept of what went well, and of a failed run neither key nor number nor text. */
function checkForgotten(said: ReadonlyMap<Asked, Said>, ran: Execution, _round: number): void {
  const outcomes = [...said.values()];
  if (outcomes.length > 0 && outcomes.every((outcome) => outcome === 'sent')) deepStrictEqual(keptIn(ran), {});
}

function checkNoSecret(ran: Execution): void {
  const everything = JSON.stringify(stored(ran.run.data));
  ok(!everything.includes(KEY), 'the key is in the stored run');
  const kept = JSON.stringify(keptIn(ran));
  ok(!/4477009\d{5}|Text \d/.test(kept), 'a number or text is in the record');
}

function placeOf({ item, entry, part }: Pick<Asked, 'item' | 'entry' | 'part'>): string {
  return part === null ? (entry === null ? `${item}` : `${item}.${entry}`) : `${item}.${entry ?? ''}.${part}`;
}

function linkOf(pairedItem: INodeExecutionData['pairedItem']): number {
  const [item, ...others] = linksOf(pairedItem);
  deepStrictEqual(others, [], 'more than one link');
  ok(item !== undefined, 'no link');
  return item;
}

function linksOf(pairedItem: INodeExecutionData['pairedItem']): number[] {
  return [pairedItem ?? []].flat().map((link) => (typeof link === 'number' ? link : link.item));
}
