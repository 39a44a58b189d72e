/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';

import type { Sandbox, SentMessage } from '../../../sandbox/server';
import { Lifetime, type Moment } from '../../../tools/engine/lifetime';
import { processedData } from '../../../tools/engine/processedData';
import { arrived, type Attempt, attempt } from '../../support/engine/campaign';
import { type Execution, keptIn, type Setup } from '../../support/engine/workflow';
import { detailsOf, textOf } from '../../support/outputs';
import { atRisk } from '../atRisk';
import {
  checkArrivals,
  checkCounted,
  checkHint,
  checkIds,
  checkKeptNothing,
  checkNobodyLeftOut,
  checkNoSecret,
  checkNothingLost,
  checkOrder,
  checkOthersSent,
  checkReasons,
  checkRisk,
  checkSentOnce,
} from './checks';
import { outageFault } from './faults';
import { type List, withoutStamp } from './lists';
import {
  keptBackBy,
  type Likeness,
  likenessIn,
  memoryOf,
  messagesOf,
  planOf,
  requestedAtMost,
  type RequestedMessage,
} from './messages';
import { readOutputs, readRecord, type Report } from './reported';
import { ALL_WELL, type Other, type Round, type Scenario, type Settings } from './scenario';
import { setupOf, TESTER } from './setup';

/**
 * Runs a scenario in n8n's engine with the sandbox, and checks the node's promises after the first run and each retry.
 * If the last of them fails or is killed, the service recovers, and the user retries once more with On Error set to
 * Continue, so that there is an item for every message.
 * @throws the first promise that is not kept
 */
export async function runScenario({ mode, sharesKeys, rounds }: Scenario, sandbox: Sandbox): Promise<void> {
  sandbox.reset();
  processedData.reset();
  const lists = [...new Set(rounds.map(({ list }) => list))];
  const history = new History(mode, lists, likenessIn(sharesKeys), sandbox);
  for (const round of rounds) await history.play(round);
  const last = rounds.at(-1);
  if (last !== undefined) await history.recover(last);
}

interface Lineage {
  /** The latest attempt, as n8n lists it. */
  execution: Execution | null;
  /** Null if n8n was killed, or stopped with another list. */
  report: Report | null;
  readonly most: Map<string, number>;
  /** How often the latest attempt asks for it. */
  asked: ReadonlyMap<string, number>;
  readonly memories: Set<string | null>;
}

const newLineage = (): Lineage => ({
  execution: null,
  report: null,
  most: new Map(),
  asked: new Map(),
  memories: new Set(),
});

/** What other executions have in n8n's list of processed data. */
const OTHERS_ENTRIES = Array.from({ length: 12_000 }, (_, index) => `other ${index}`);

class History {
  private readonly main = newLineage();
  private readonly lineages = [this.main];
  /** Whether the execution has succeeded, so that n8n no longer retries it. */
  private isOver = false;
  private latest: Pick<Round, 'settings' | 'list'> | null = null;
  /** n8n from a start until it is killed. */
  private n8n = this.start();
  private killAt = Infinity;
  /** What can make a message uncertain, so far. */
  private readonly had = {
    kill: false,
    faults: false,
    shortage: false,
    change: false,
    doubt: false,
    second: false,
    sentOnce: false,
  };
  /** What runs asked for, by account and identity. */
  private readonly askedOnce = new Map<string, { texts: Set<string>; runs: number }>();
  /** Whether the service has always listed messages in their order. */
  private isInOrder = true;
  /** The plan that was sent when n8n was killed, and how many of its messages may be uncertain because of that. */
  private interrupted: { readonly plan: string | null; readonly most: number } | null = null;
  /** What the attempts of a round report as uncertain; compared with all faults that they met. */
  private readonly reasons: Array<{ codes: string[]; settings: Settings; interrupted: number }> = [];

  constructor(
    private readonly mode: Scenario['mode'],
    private readonly lists: readonly List[],
    private readonly likenessOf: Likeness,
    private readonly sandbox: Sandbox,
  ) {}

  private start(): Lifetime {
    return new Lifetime(({ length }) => length >= this.killAt);
  }

  async play(round: Round): Promise<void> {
    const { settings, list, others } = round;
    this.serve(ALL_WELL, settings);
    for (const other of others) if (other.when === 'before') await this.runOther(round, other);
    this.serve(round, settings);
    const beside = others.filter(({ when }) => when === 'beside').map(async (other) => this.runOther(round, other));
    await Promise.all([this.isOver ? null : this.runMain(round, beside.length > 0), ...beside]);
    const reports = this.lineages.map(({ report }) => report);
    checkArrivals(reports, this.received(settings), this.removed(), this.likenessOf);
    for (const { codes, settings: own, interrupted } of this.reasons.splice(0))
      checkReasons(codes, (code) => this.mayBeUncertain(code, own), interrupted);
    this.latest = { settings, list };
  }

  /** The user retries once more, with On Error set to Continue, when all is well. */
  async recover({ settings, list }: Round): Promise<void> {
    if (this.isOver) return;
    const options = { ...settings.options, dryRun: false };
    const last: Settings = { ...settings, isTest: false, onError: 'continueRegularOutput', options };
    await this.play({ ...ALL_WELL, list, settings: last });
    ok(this.isOver, 'a run with On Error set to Continue was stopped');
  }

  private serve({ faults, outage, credits, locked }: Omit<Round, 'settings' | 'list'>, { operation }: Settings): void {
    const endpoint = operation === 'send' ? 'send' : 'bulk';
    this.sandbox.setFaults(outage === null ? faults : [outageFault(outage, endpoint)]);
    this.sandbox.setCredits(credits);
    const first = processedData.calls.length + (locked?.after ?? 0);
    processedData.set({ refuses: (call) => locked !== null && call > first && call <= first + locked.times });
    this.had.faults ||= faults.length > 0 || outage !== null;
    this.had.shortage ||= credits !== ALL_WELL.credits;
  }

  private async runMain(round: Round, isBesideOthers: boolean): Promise<void> {
    const { main, n8n } = this;
    const { settings, list, outage, pressedAgainAt } = round;
    const { execution: earlier } = main;
    const isRetry = earlier !== null;
    const before = {
      arrived: this.received(settings).length,
      toTester: this.sandbox.messages().filter(({ phone }) => phone === TESTER).length,
      requests: this.sandbox.requests().length,
      left: n8n.requests,
      moments: n8n.moments.length,
      stored: processedData.entries,
    };
    const isChanged = isRetry && (settings !== this.latest?.settings || list !== this.latest.list);
    this.had.change ||= isChanged || settings.stamp !== 'none';
    const messages = this.request(main, settings, list);
    const setup = this.setupOf(settings, list);
    const run = async () => await attempt(setup, n8n, earlier ?? undefined, isChanged);
    if (round.killAt !== null) this.killAt = before.moments + round.killAt;
    const first = run();
    const again =
      isRetry && pressedAgainAt !== null
        ? await this.pressAgain(first, run, { at: pressedAgainAt, mayWait: settings.maxTries !== null })
        : null;
    const { ended, afterRestart } = await first;
    this.killAt = Infinity;
    if (n8n.isOver) {
      this.n8n = this.start();
      this.had.kill = true;
    }
    this.had.second ||= again?.isRefused === false;
    if (ended === null) {
      await arrived(this.sandbox, () => before.requests + n8n.requests - before.left);
      // Nothing is noted about a single message that is sent for the first time.
      const isNoted = isRetry || settings.operation === 'sendBulk' || list.inputs.length > 1;
      main.execution = afterRestart(isNoted ? round.eventLog : 'kept');
      main.report = null;
      this.noteKill(round, messages, n8n.moments.slice(before.moments), isRetry);
    } else {
      main.execution = ended;
      this.isOver = ended.error === undefined;
      if (isRetry && settings.options.dryRun && !isBesideOthers) {
        deepStrictEqual(processedData.entries, before.stored, 'a dry run has changed what is stored');
        deepStrictEqual(keptIn(ended), keptIn(earlier), 'a dry run has changed the record');
      }
      if (isRetry && (settings.options.dryRun || settings.isTest) && !this.isOver)
        match(ended.error?.message ?? '', /'(Dry|Test) Run' can't be used/);
      else this.read(main, round, messages, ended);
      // n8n also offers a Retry of the second one, which knows nothing about the first.
      if (again !== null && (!again.isRefused || again.isNext)) this.goOnWith(again.ended);
    }

    const all = this.received(settings);
    const arrivedNow = all.slice(before.arrived);
    const requests = this.sandbox.requests().slice(before.requests);
    const toTester = this.sandbox.messages().filter(({ phone }) => phone === TESTER).length - before.toTester;
    ok(settings.isTest || toTester === 0, 'a message went to the tester, without a test');
    const label = `key ${settings.apiKey + 1}`;
    checkSentOnce(all, this.most(), this.likenessOf);
    ok(settings.accounts > 1 || requests.every(({ key }) => key === label), 'sent from another account');
    if (isBesideOthers) return;
    const kept = messages.filter((message) => {
      const why = keptBackBy(settings, message);
      return why !== null && why !== 'empty_field';
    });
    const nobody = new Set(kept.map(({ input }) => input.cleanPhone));
    for (const { phone } of arrivedNow) ok(!nobody.has(phone), 'sent to somebody to whom nothing may be sent');
    if (settings.isTest) deepStrictEqual(arrivedNow, [], 'a test was sent to a recipient');
    if (again?.isRefused === false) return;
    if (outage !== null) checkRisk(settings, outage, requests);
    if (settings.maxTries === null) checkOrder(messages, arrivedNow);
    if (settings.options.dryRun) deepStrictEqual(arrivedNow, []);
  }

  /**
   * Presses Retry once more after this many moments of the running Retry.
   * @returns the second attempt; null if the first ended before
   */
  private async pressAgain(
    first: Promise<Attempt>,
    run: () => Promise<Attempt>,
    { at, mayWait }: { at: number; mayWait: boolean },
  ): Promise<{ ended: Execution; isRefused: boolean; isNext: boolean } | null> {
    const over = new Set<Promise<Attempt>>();
    const isRunning = () => !over.has(first);
    const end = () => void over.add(first);
    first.then(end, end);
    const began = this.n8n.moments.length;
    const pressed = began + at;
    while (isRunning() && this.n8n.moments.length < pressed) await setImmediate();
    if (!isRunning()) return null;
    const { ended } = await run();
    ok(ended !== null, 'nothing was killed');
    const isRefused =
      ended.error === undefined
        ? codesOf(ended).includes('ANOTHER_RETRY')
        : ended.error.message.includes('Another retry');
    const haveBothEnded = this.n8n.moments.slice(began).filter((moment) => moment === 'ended').length > 1;
    // Between two tries of Retry On Fail, the second one begins, and the first does not continue.
    ok(isRefused || haveBothEnded || mayWait, 'a second Retry has run during the first');
    return { ended, isRefused, isNext: ended.error !== undefined && at % 2 === 1 };
  }

  /** The user retries this execution next; nothing is known about what it did. */
  private goOnWith(ended: Execution): void {
    Object.assign(this.main, { execution: ended, report: null });
    this.isOver = ended.error === undefined;
    this.had.kill = true;
    this.interrupted = { plan: null, most: Infinity };
  }

  private async runOther(round: Round, { when, duplicateMessages, isListLong }: Other): Promise<void> {
    const { settings: given, list } = round;
    const options = { ...given.options, dryRun: false, duplicateMessages };
    const settings: Settings = { ...given, isTest: false, onError: 'continueRegularOutput', options };
    // Without Send Once, the list may be shortened, and an old kill is forgotten.
    const mayFill = this.had.sentOnce && processedData.entries.length < OTHERS_ENTRIES.length;
    if (isListLong && mayFill) processedData.fill(OTHERS_ENTRIES);
    this.had.change ||= settings.stamp !== 'none';
    const other = newLineage();
    this.lineages.push(other);
    const messages = this.request(other, settings, list);
    const { ended } = await attempt(this.setupOf(settings, list), this.n8n);
    ok(ended !== null, 'nothing was killed');
    this.read(other, { ...(when === 'before' ? ALL_WELL : round), settings, list }, messages, ended);
  }

  private request(lineage: Lineage, settings: Settings, list: List): RequestedMessage[] {
    const messages = messagesOf(settings, list);
    lineage.asked = requestedAtMost(settings, messages, this.likenessOf);
    for (const [likeness, count] of lineage.asked)
      lineage.most.set(likeness, Math.max(count, lineage.most.get(likeness) ?? 0));
    lineage.memories.add(memoryOf(settings));
    if (!settings.options.dryRun) this.noteAsked(settings, messages);
    return messages;
  }

  private noteAsked(settings: Settings, messages: readonly RequestedMessage[]): void {
    if (settings.isTest) return;
    const names = new Map(messages.map((message) => [message, `${accountIn(settings, message)} ${message.identity}`]));
    for (const name of new Set(names.values())) {
      const { texts = new Set<string>(), runs = 0 } = this.askedOnce.get(name) ?? {};
      this.askedOnce.set(name, { texts, runs: runs + 1 });
    }
    for (const [{ texts }, name] of names) this.askedOnce.get(name)?.texts.add(texts?.[0]?.trim() ?? '');
  }

  private read(lineage: Lineage, round: Round, messages: readonly RequestedMessage[], ended: Execution): void {
    const { settings, list, faults, outage, refusedText, credits } = round;
    checkNoSecret(settings, ended);
    lineage.execution = ended;
    this.isInOrder &&= faults.every(({ kind }) => kind !== 'bulk-answer');
    if (ended.error !== undefined) {
      // The record has the names of messages in the list that they were sent from.
      lineage.report = list === this.lists[0] ? readRecord(settings, messages, ended, this.had.change) : null;
      this.had.doubt ||= lineage.report === null || [...lineage.report.values()].includes('uncertain');
      return;
    }
    const service = { isInOrder: this.isInOrder, hasChanged: this.had.change, likenessOf: this.likenessOf };
    // A Retry with it is refused, and earlier messages are still to be reported.
    const isTest = settings.isTest && !codesOf(ended).includes('NOT_SET_UP');
    if (!isTest) checkIds(messages, ended, this.received(settings), service);
    const report = readOutputs(settings, messages, ended, this.had.kill || this.had.change);
    lineage.report = isTest ? new Map() : report;
    const stamped = this.sandbox.messages().map((sent) => ({ ...sent, message: withoutStamp(sent.message) }));
    checkNobodyLeftOut(settings, report, stamped, this.askedOnce, (message) => accountIn(settings, message));
    checkHint(ended);
    this.had.sentOnce ||=
      settings.options.duplicateMessages === 'sendOnceEver' && [...report.values()].includes('sent');
    if (refusedText !== null) checkOthersSent(report, refusedText);
    if (!isTest) checkKeptNothing(report, ended, this.had.kill);
    if (!isTest) checkCounted(settings, report, ended);
    const isAllWell = faults.length === 0 && outage === null && credits === ALL_WELL.credits;
    if (isAllWell && !settings.options.dryRun) checkNothingLost(report);
    const isMain = lineage === this.main;
    const codes = codesOf(ended);
    this.had.doubt ||= codes.length > 0;
    if ([...report.values()].includes('may_have_been_sent')) codes.push('may_have_been_sent');
    const known = this.interrupted === null || this.interrupted.plan === planOf(settings, messages);
    const interrupted = !isMain ? 0 : known ? (this.interrupted?.most ?? 0) : Infinity;
    this.reasons.push({ codes, settings, interrupted });
  }

  private mayBeUncertain(code: string, { options, isTest }: Settings): boolean {
    switch (code) {
      case 'INTERRUPTED':
        return this.had.kill;
      case 'INVALID_PHONE':
      case 'INVALID_MESSAGE':
      case 'INVALID_PARAMETER':
        return this.had.kill || this.had.change;
      case 'may_have_been_sent':
        return this.had.kill || this.had.doubt;
      case 'UNCERTAIN':
        return this.had.change;
      case 'ANOTHER_RETRY':
        return this.had.second;
      case 'NOT_SET_UP':
        return options.dryRun || isTest;
      case 'PARTLY_SENT':
        return this.had.faults || this.had.shortage;
      default:
        return this.had.faults;
    }
  }

  private noteKill(
    { settings, faults, outage }: Round,
    messages: readonly RequestedMessage[],
    moments: readonly Moment[],
    isRetry: boolean,
  ): void {
    // A kill during a question leaves it open, which counts as asked.
    if (settings.options.dryRun) this.noteAsked(settings, messages);
    const { accounts, operation, batchSize, maxTries, options } = settings;
    const inFlight = accounts * options.parallelRequests * (operation === 'send' ? 1 : (batchSize ?? 100));
    const plan = planOf(settings, messages);
    const { plan: earlier, most: before } = this.interrupted ?? { plan, most: 0 };
    // A dry run notes nothing, so that a Retry can't know that it sent nothing.
    const isKnown = plan !== null && !options.dryRun && faults.length === 0 && outage === null && earlier === plan;
    const asksOthers = options.duplicateMessages === 'sendOnceEver';
    const kill = { moments, isRetry, asksOthers, mayBeSecondTry: maxTries !== null, inFlight, round: 0 };
    const most = isKnown ? atRisk({ ...kill, count: messages.length }) : Infinity;
    this.interrupted = { plan, most: most + before };
  }

  private setupOf(settings: Settings, list: List): Setup {
    return { ...setupOf(settings, list, this.lists, this.sandbox), mode: this.mode };
  }

  private received({ accounts }: Settings): SentMessage[] {
    const toRecipients = this.sandbox.messages().filter(({ phone }) => phone !== TESTER);
    return toRecipients.map((sent) => ({
      ...sent,
      message: withoutStamp(sent.message),
      key: accounts > 1 ? sent.key : 'key 1',
    }));
  }

  /** How often each message may arrive from all executions, by its likeness. */
  private most(): Map<string, number> {
    const groups = new Map<unknown, Map<string, number>>();
    for (const lineage of this.lineages) {
      const [memory = null, ...others] = lineage.memories;
      const group = memory === null || others.length > 0 ? lineage : memory;
      const own = groups.get(group) ?? new Map<string, number>();
      groups.set(group, own);
      for (const [likeness, count] of lineage.most) own.set(likeness, Math.max(count, own.get(likeness) ?? 0));
    }
    return sumOf([...groups.values()]);
  }

  /** How many messages that may have arrived are no longer asked for, by their likeness. */
  private removed(): Map<string, number> {
    const asked = sumOf(this.lineages.map((lineage) => lineage.asked));
    return new Map(
      [...this.most()].map(([likeness, most]) => [likeness, Math.max(0, most - (asked.get(likeness) ?? 0))]),
    );
  }
}

/** The sandbox's label of the key that a message is sent with. */
const accountIn = ({ accounts, apiKey }: Settings, { account }: RequestedMessage): string =>
  accounts > 1 ? account : `key ${apiKey + 1}`;

function sumOf(counts: ReadonlyArray<ReadonlyMap<string, number>>): Map<string, number> {
  const sum = new Map<string, number>();
  for (const [likeness, count] of counts.flatMap((each) => [...each]))
    sum.set(likeness, count + (sum.get(likeness) ?? 0));
  return sum;
}

/** Why messages are uncertain, except those that are duplicates of others. */
function codesOf({ outputs }: Execution): string[] {
  return outputs
    .flat()
    .filter(({ json }) => json.error !== undefined)
    .map(detailsOf)
    .filter(({ outcome, duplicate_of: original }) => outcome === 'uncertain' && original === undefined)
    .map(({ code }) => textOf(code));
}
