import { type Sandbox } from '../../sandbox/server';
import { asArray, isObject, type JsonObject } from '../../tools/json';
import { type Execution, type NodeRun, type OutputItem } from '../../tools/n8n/execution';
import { SENDER } from '../support/n8n/workflow';
import { batchSizeOf, type Campaign } from './campaign';
import { indexOf, type SeenRequest, type Traffic } from './traffic';

/** An answer that came this long before n8n was killed, in ms, has been noted. */
const NOTED_AFTER_MS = 100;

/** On a busy machine it may take so long, in ms; but then no more requests wait for it than may run at the same time. */
const NOTED_LATE_MS = 1000;

/** What left before a kill arrives within this time, in ms; n8n's next start takes longer. */
const ARRIVES_WITHIN_MS = 1000;

/** Faults after which the outcome of a request's messages is unknown. */
const UNCERTAIN_FAULTS = ['html', 'reset-after', 'reset-during', 'half-body'];

/** In how many messages the reports of a campaign and the sandbox differ; each is 0 if all is well. */
export interface Findings {
  /** Reported as sent and not received; without an outcome; or not sent, though nothing kept it from being sent. */
  lost: number;
  /** Received twice. */
  twice: number;
  /** Reported as not sent and received, or with the ID of another message. */
  untrue: number;
  /** Reported as uncertain, though its request was neither in flight at a kill nor left uncertain by the service. */
  beyond: number;
}

/** What a campaign has been through so far. */
export interface History {
  readonly campaign: Campaign;
  readonly traffic: Traffic;
  readonly sandbox: Sandbox;
  /** The time of each kill, in ms since 1970. */
  readonly kills: readonly number[];
  /** From this time on, in ms since 1970, the judged execution can't know what was sent. */
  readonly unknownFrom: number;
  /** Whether the judged execution repeats something: a Retry, or Retry On Fail. */
  readonly isRepeated: boolean;
}

type Outcome = 'sent' | 'not_sent' | 'uncertain';

/** What one run of the node reports. */
interface RunReport {
  /** The indexes of its messages. */
  readonly messages: readonly number[];
  /** Of the messages that it names. */
  readonly outcomes: ReadonlyMap<number, Outcome>;
  readonly wrongIds: number;
  /** What the error of a run that ended with one says; null for any other run. */
  readonly counts: { readonly sent: number; readonly total: number; readonly uncertain: number } | null;
}

/**
 * Compares what an execution reports with what the sandbox has received by now.
 *
 * @returns what differs, and how many messages are uncertain
 */
export function judge(execution: Execution, history: History): Findings & { uncertain: number } {
  const received = receivedCounts(history.sandbox);
  const isReceived = (index: number) => received.has(index);
  const { explained: explainedInAll, unseen, budget } = uncertainty(history);
  const findings = { lost: 0, twice: 0, untrue: 0, beyond: 0, uncertain: 0 };
  let neverLeft = 0;
  for (const { messages, outcomes, wrongIds, counts } of readRuns(execution, history)) {
    findings.untrue += wrongIds;
    const explained = new Set([...explainedInAll, ...indistinguishable(messages, unseen, history)]);
    const having = (outcome: Outcome) => messages.filter((index) => outcomes.get(index) === outcome);
    if (counts === null) {
      findings.lost += having('sent').filter((index) => !isReceived(index)).length;
      findings.lost += messages.filter((index) => !outcomes.has(index)).length;
      findings.untrue += having('not_sent').filter(isReceived).length;
      if (history.campaign.faults.length === 0)
        findings.lost += having('not_sent').filter((index) => !isReceived(index)).length;
      const uncertain = having('uncertain');
      findings.uncertain += uncertain.length;
      neverLeft += uncertain.filter((index) => unseen(index) && !explained.has(index)).length;
      findings.beyond += uncertain.filter((index) => !explained.has(index) && !unseen(index)).length;
      continue;
    }
    const arrived = messages.filter(isReceived).length;
    findings.uncertain += counts.uncertain;
    findings.lost += Math.max(0, counts.sent - arrived);
    findings.untrue += Math.max(0, arrived - counts.sent - counts.uncertain);
    if (history.campaign.faults.length === 0) findings.lost += counts.total - counts.sent - counts.uncertain;
    const explainable = messages.filter((index) => explained.has(index)).length;
    neverLeft += Math.min(messages.filter(unseen).length, Math.max(0, counts.uncertain - explainable));
    findings.beyond += Math.max(0, counts.uncertain - explainable - messages.filter(unseen).length);
  }
  findings.beyond += Math.max(0, neverLeft - budget);
  findings.twice = [...received.values()].filter((count) => count > 1).length;
  return findings;
}

function receivedCounts(sandbox: Sandbox): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { message } of sandbox.messages()) {
    const index = indexOf(message);
    counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  return counts;
}

/**
 * What may be uncertain: messages in requests that were in flight at a kill or sent again in parts, that the service left uncertain, or that
 * the execution can't know of. A request that n8n was about to make at a kill has never reached the sandbox: of those
 * there are no more than free slots.
 */
function uncertainty(history: History): {
  explained: ReadonlySet<number>;
  unseen: (index: number) => boolean;
  budget: number;
} {
  const { campaign, traffic, kills, unknownFrom } = history;
  const explained = new Set<number>();
  const seen = new Set<number>();
  const inFlight = new Set(kills.flatMap((at) => [...requestsInFlight(history, at), ...batchesInParts(history, at)]));
  for (const request of traffic.requests()) {
    const { logged, messages } = request;
    for (const index of messages) seen.add(index);
    const { fault, status, started_at } = logged;
    const isUnknown = Date.parse(started_at) >= unknownFrom;
    const isUncertain =
      fault !== null && (UNCERTAIN_FAULTS.includes(fault) || (fault === 'status' && Number(status) >= 500));
    if (isUncertain || isUnknown || inFlight.has(request)) for (const index of messages) explained.add(index);
    // This fault leaves out the first entry of the answer.
    if (fault === 'bulk-answer') for (const index of messages.slice(0, 1)) explained.add(index);
  }
  const slots = kills.map((at) => {
    const open = traffic.requests().filter(({ logged }) => isOpen(logged, at, at)).length;
    return Math.max(0, campaign.parallelRequests - open);
  });
  const requests = slots.reduce((sum, free) => sum + free, 0);
  const perRequest = batchSizeOf(campaign) * (campaign.changingTexts ? textsPerPhone(campaign) : 1);
  // Before the run is noted, n8n's event log is all there is: see the exhaustive test of every kill.
  const isNoted = traffic.requests().some(({ logged }) => Date.parse(logged.started_at) < (kills[0] ?? Infinity));
  const budget = isNoted || kills.length === 0 ? requests * perRequest : Infinity;
  return { explained, unseen: (index) => !seen.has(index), budget };
}

/** Where texts change, of several messages to a phone nobody knows which was sent: once one may have been, all are uncertain. */
function indistinguishable(
  messages: readonly number[],
  unseen: (index: number) => boolean,
  { campaign: { changingTexts, phones }, isRepeated }: History,
): number[] {
  if (!changingTexts || !isRepeated) return [];
  const firstOf = new Map(messages.toReversed().map((index) => [phones[index], index]));
  const repeated = new Set(
    messages.filter((index) => firstOf.get(phones[index]) !== index).map((index) => phones[index]),
  );
  const arrived = new Set(messages.filter((index) => !unseen(index)).map((index) => phones[index]));
  return messages.filter((index) => repeated.has(phones[index]) && arrived.has(phones[index]));
}

function textsPerPhone({ phones }: Campaign): number {
  return Math.ceil(phones.length / new Set(phones).size);
}

/**
 * The requests whose answers n8n may not have noted when it was killed.
 *
 * @param at  ms since 1970
 */
function requestsInFlight({ campaign, traffic }: History, at: number): SeenRequest[] {
  const before = traffic.requests().filter(({ logged }) => Date.parse(logged.started_at) <= at + ARRIVES_WITHIN_MS);
  const latest = new Set(before.slice(-campaign.parallelRequests));
  return before.filter((request) =>
    isOpen(request.logged, at - (latest.has(request) ? NOTED_LATE_MS : NOTED_AFTER_MS), at),
  );
}

/**
 * The requests that were rejected and whose messages, in smaller requests, did not all have an outcome at a kill: such a
 * batch is noted as a whole.
 *
 * @param at  ms since 1970
 */
function batchesInParts({ traffic }: History, at: number): SeenRequest[] {
  const isRejected = ({ logged: { status } }: SeenRequest) => status !== null && status >= 400 && status < 500;
  const before = traffic.requests().filter(({ logged }) => Date.parse(logged.started_at) <= at + ARRIVES_WITHIN_MS);
  return before.filter((whole, index) => {
    if (!isRejected(whole) || whole.messages.length < 2) return false;
    const settling = before
      .slice(index + 1)
      .filter((part) => !isOpen(part.logged, at - NOTED_AFTER_MS, at))
      .filter((part) => !isRejected(part) || part.messages.length === 1);
    const settled = new Set(settling.flatMap(({ messages }) => messages));
    return whole.messages.some((message) => !settled.has(message));
  });
}

/** Whether a request had left at the time `kill` and was not answered at `before`; both in ms since 1970. */
function isOpen({ started_at, status, duration_ms }: SeenRequest['logged'], before: number, kill: number): boolean {
  const arrived = Date.parse(started_at);
  // Without a status it was cut, by the kill or by a fault.
  const answered = status === null || duration_ms === null ? Infinity : arrived + duration_ms;
  return arrived <= kill + ARRIVES_WITHIN_MS && answered > before;
}

function readRuns(execution: Execution, history: History): RunReport[] {
  const runs = execution.runsOf(SENDER);
  return runs.flatMap((run, index) => {
    const isLast = index === runs.length - 1;
    const messages = run.inputs.map(({ json }) => indexesIn(json));
    // n8n puts an item of its own in place of what it lost.
    if (run.outputs.flat().some(({ json }) => json.isArtificialRecoveredEventItem === true)) return [];
    if (run.outputs.flat().length > 0) return [readItems(run, messages, history)];
    if (!isLast || execution.status !== 'error') return [];
    return [readError(execution, messages.flat())];
  });
}

function indexesIn({ message, messages }: JsonObject): number[] {
  if (messages === undefined) return [indexOf(message)];
  return asArray(messages, 'messages').map((each) => indexOf(isObject(each) ? each.message : undefined));
}

/** @param inputs  for each item the indexes of its messages */
function readItems(run: NodeRun, inputs: readonly number[][], { campaign, sandbox }: History): RunReport {
  const byId = new Map(sandbox.messages().map(({ id, message }) => [id, indexOf(message)]));
  const outcomes = new Map<number, Outcome>();
  let wrongIds = 0;
  const all = run.outputs.flat();
  const isFailed = ({ json }: OutputItem) => isObject(json.details);
  for (const { json, pairedItem } of all.filter(isFailed)) {
    const details = isObject(json.details) ? json.details : {};
    const index = inputs[pairedItem ?? -1]?.[Number(details.entry ?? 0)];
    if (index === undefined || outcomes.has(index)) wrongIds += 1;
    else outcomes.set(index, details.outcome === 'uncertain' ? 'uncertain' : 'not_sent');
  }
  for (const { json, pairedItem } of all.filter((item) => !isFailed(item))) {
    // Items are in the order of the input, so of several messages to one number the first is meant.
    const index = inputs[pairedItem ?? -1]?.find((each) => !outcomes.has(each) && campaign.phones[each] === json.phone);
    if (index === undefined || json.status !== 'sent') wrongIds += 1;
    else outcomes.set(index, 'sent');
    if (typeof json.message_id === 'number' && byId.get(json.message_id) !== index) wrongIds += 1;
  }
  return { messages: inputs.flat(), outcomes, wrongIds, counts: null };
}

/** The text of the error of a run with On Error: Stop. */
const PROGRESS = /(\d+) of (\d+) messages? (?:was|were) sent(?:, and (\d+) may have been sent)?/;

function readError({ error, errorDescription }: Execution, messages: number[]): RunReport {
  const found = PROGRESS.exec(errorDescription);
  if (found === null) throw new Error(`this error does not say how far the run was: ${error} ${errorDescription}`);
  const [, sent = '0', total = '0', uncertain = '0'] = found;
  const counts = { sent: Number(sent), total: Number(total), uncertain: Number(uncertain) };
  return { messages, outcomes: new Map(), wrongIds: 0, counts };
}
