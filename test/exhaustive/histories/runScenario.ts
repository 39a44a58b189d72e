/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { deepStrictEqual, match, ok } from 'node:assert/strict';

import type { Sandbox, SentMessage } from '../../../sandbox/server';
import { Lifetime } from '../../../tools/engine/lifetime';
import { processedData } from '../../../tools/engine/processedData';
import { arrived, attempt } from '../../support/engine/campaign';
import { type Execution, keptIn, type Setup } from '../../support/engine/workflow';
import { detailsOf, textOf } from '../../support/outputs';
import {
  checkArrivals,
  checkHint,
  checkIds,
  checkKeptNothing,
  checkNobodyLeftOut,
  checkNoSecret,
  checkNothingLost,
  checkOrder,
  checkSentOnce,
} from './checks';
import { type List, withoutStamp } from './lists';
import { type Likeness, likenessIn, memoryOf, messagesOf, requestedAtMost, type RequestedMessage } from './messages';
import { readOutputs, type Report } from './reported';
import { ALL_WELL, type Other, type Round, type Scenario, type Settings } from './scenario';
import { setupOf } from './setup';

/**
 * Runs a scenario in n8n's engine with the sandbox, and checks the node's promises after the first run and each retry.
 * If the last of them fails or is killed, the service recovers, and the user retries once more with On Error set to
 * Continue, so that there is an item for every message.
 * @throws the first promise that is not kept
 */
export async function runScenario({ mode, sharesKeys, rounds }: Scenario, sandbox: Sandbox): Promise<void> {
  sandbox.reset();
  processedData.reset();
  const history = new History(mode, [...new Set(rounds.map(({ list }) => list))], likenessIn(sharesKeys), sandbox);
  for (const round of rounds) await history.play(round);
  const last = rounds.at(-1);
  if (last !== undefined) await history.recover(last);
}

/** An execution with its Retries. */
class Lineage {
  /** The latest attempt, as n8n lists it. */
  execution: Execution | null = null;
  /** Null if there is no item for each message: n8n was killed, or the run was stopped. */
  report: Report | null = null;
  readonly most = new Map<string, number>();
  /** How often the latest attempt asks for it. */
  asked: ReadonlyMap<string, number> = new Map();
  readonly memories = new Set<string | null>();
}

class History {
  private readonly main = new Lineage();
  private readonly lineages = [this.main];
  /** Whether the execution has succeeded, so that n8n no longer retries it. */
  private isOver = false;
  private latest: Pick<Round, 'settings' | 'list'> | null = null;
  /** n8n from a start until it is killed. */
  private n8n = this.start();
  private killAt = Infinity;
  /** What can make a message uncertain, so far. */
  private readonly had = { kill: false, faults: false, shortage: false, change: false, move: false, doubt: false };
  /** What runs asked for, by account and identity. */
  private readonly askedOnce = new Map<string, { texts: Set<string>; runs: number }>();
  /** Whether the service has always listed messages in their order. */
  private isInOrder = true;
  /** Why the attempts of a round report messages as uncertain; compared with all faults that they met. */
  private readonly reasons: Array<{ code: string; settings: Settings }> = [];

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
    this.serve(ALL_WELL);
    for (const other of others) if (other.when === 'before') await this.runOther(round, other);
    this.serve(round);
    const beside = others.filter(({ when }) => when === 'beside').map(async (other) => this.runOther(round, other));
    await Promise.all([this.isOver ? null : this.runMain(round, beside.length > 0), ...beside]);
    const reports = this.lineages.map(({ report }) => report);
    checkArrivals(reports, this.received(settings), this.removed(), this.likenessOf);
    for (const { code, settings: own } of this.reasons.splice(0))
      ok(this.mayBeUncertain(code, own), `uncertain without a reason: ${code}`);
    this.latest = { settings, list };
  }

  /** The user retries once more, with On Error set to Continue, when all is well. */
  async recover({ settings, list }: Round): Promise<void> {
    if (this.isOver) return;
    const options = { ...settings.options, dryRun: false };
    const last: Settings = { ...settings, onError: 'continueRegularOutput', options };
    await this.play({ ...ALL_WELL, list, settings: last });
    ok(this.isOver, 'a run with On Error set to Continue was stopped');
  }

  private serve({ faults, credits }: Omit<Round, 'settings' | 'list'>): void {
    this.sandbox.setFaults(faults);
    this.sandbox.setCredits(credits);
    this.had.faults ||= faults.length > 0;
    this.had.shortage ||= credits !== ALL_WELL.credits;
  }

  private async runMain(round: Round, isBesideOthers: boolean): Promise<void> {
    const { main, n8n } = this;
    const { settings, list } = round;
    const { execution: earlier } = main;
    const isRetry = earlier !== null;
    const before = {
      arrived: this.received(settings).length,
      requests: this.sandbox.requests().length,
      left: n8n.requests,
      stored: processedData.entries,
    };
    const isChanged = isRetry && (settings !== this.latest?.settings || list !== this.latest.list);
    this.had.change ||= isChanged || settings.stamp !== 'none';
    // With several accounts, an item's place says which.
    const isKeyChanged = settings.apiKey !== this.latest?.settings.apiKey;
    this.had.move ||= isRetry && (isKeyChanged || (settings.accounts > 1 && list !== this.latest?.list));
    const messages = this.request(main, settings, list);
    if (round.killAt !== null) this.killAt = n8n.moments.length + round.killAt;
    const { ended, afterRestart } = await attempt(this.setupOf(settings, list), n8n, earlier ?? undefined, isChanged);
    this.killAt = Infinity;
    if (n8n.isOver) {
      this.n8n = this.start();
      this.had.kill = true;
    }
    if (ended === null) {
      await arrived(this.sandbox, () => before.requests + n8n.requests - before.left);
      // Nothing is noted about a single message that is sent for the first time.
      const isNoted = isRetry || settings.operation === 'sendBulk' || list.inputs.length > 1;
      main.execution = afterRestart(isNoted ? round.eventLog : 'kept');
      main.report = null;
      // A kill during a question leaves it open, which counts as asked.
      if (settings.options.dryRun) this.noteAsked(settings, messages);
    } else {
      main.execution = ended;
      this.isOver = ended.error === undefined;
      if (isRetry && settings.options.dryRun && !isBesideOthers) {
        deepStrictEqual(processedData.entries, before.stored, 'a dry run has changed what is stored');
        deepStrictEqual(keptIn(ended), keptIn(earlier), 'a dry run has changed the record');
      }
      if (isRetry && settings.options.dryRun && !this.isOver)
        match(ended.error?.message ?? '', /^'Dry Run' and 'Test Run' can't be used in a retry/);
      else this.read(main, round, messages, ended);
    }

    const all = this.received(settings);
    const arrivedNow = all.slice(before.arrived);
    const requests = this.sandbox.requests().slice(before.requests);
    const label = `key ${settings.apiKey + 1}`;
    checkSentOnce(all, this.most(), this.likenessOf);
    ok(settings.accounts > 1 || requests.every(({ key }) => key === label), 'sent from another account');
    if (isBesideOthers) return;
    const wrong = arrivedNow.filter(({ phone }) => settings.optedOut.includes(phone));
    deepStrictEqual(wrong, [], 'sent to somebody to whom nothing may be sent');
    if (settings.maxTries === null) checkOrder(messages, arrivedNow);
    if (settings.options.dryRun) deepStrictEqual(arrivedNow, []);
  }

  private async runOther(round: Round, { when, duplicateMessages }: Other): Promise<void> {
    const { settings: given, list } = round;
    const options = { ...given.options, dryRun: false, duplicateMessages };
    const settings: Settings = { ...given, onError: 'continueRegularOutput', options };
    this.had.change ||= settings.stamp !== 'none';
    const other = new Lineage();
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
    const names = new Map(messages.map((message) => [message, `${accountIn(settings, message)} ${message.identity}`]));
    for (const name of new Set(names.values())) {
      const { texts = new Set<string>(), runs = 0 } = this.askedOnce.get(name) ?? {};
      this.askedOnce.set(name, { texts, runs: runs + 1 });
    }
    for (const [{ texts }, name] of names) this.askedOnce.get(name)?.texts.add(texts?.[0]?.trim() ?? '');
  }

  private read(lineage: Lineage, round: Round, messages: readonly RequestedMessage[], ended: Execution): void {
    const { settings, faults, credits } = round;
    checkNoSecret(settings, ended);
    lineage.execution = ended;
    this.isInOrder &&= faults.every(({ kind }) => kind !== 'bulk-answer');
    if (ended.error !== undefined) {
      lineage.report = null;
      this.had.doubt ||= ended.error.description?.includes(' uncertain (') === true;
      return;
    }
    checkIds(messages, ended, this.received(settings), this.isInOrder ? this.likenessOf : null);
    const report = readOutputs(settings, messages, ended, this.had.kill || this.had.change);
    lineage.report = report;
    const stamped = this.sandbox.messages().map((sent) => ({ ...sent, message: withoutStamp(sent.message) }));
    const accountOf = (message: RequestedMessage) => accountIn(settings, message);
    checkNobodyLeftOut(settings, report, stamped, this.askedOnce, accountOf, this.had.move);
    checkHint(ended);
    checkKeptNothing(report, ended, this.had.kill);
    if (faults.length === 0 && credits === ALL_WELL.credits && !settings.options.dryRun) checkNothingLost(report);
    const codes = codesOf(ended);
    this.had.doubt ||= codes.length > 0;
    if ([...report.values()].includes('may_have_been_sent')) codes.push('may_have_been_sent');
    this.reasons.push(...codes.map((code) => ({ code, settings })));
  }

  private mayBeUncertain(code: string, { options }: Settings): boolean {
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
      case 'NOT_SET_UP':
        return options.dryRun;
      case 'PARTLY_SENT':
        return this.had.faults || this.had.shortage;
      default:
        return this.had.faults;
    }
  }

  private setupOf(settings: Settings, list: List): Setup {
    return { ...setupOf(settings, list, this.lists, this.sandbox), mode: this.mode };
  }

  private received({ accounts }: Settings): SentMessage[] {
    const labelOf = ({ key }: SentMessage) => (accounts > 1 ? key : 'key 1');
    const read = (sent: SentMessage) => ({ ...sent, message: withoutStamp(sent.message), key: labelOf(sent) });
    return this.sandbox.messages().map(read);
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
