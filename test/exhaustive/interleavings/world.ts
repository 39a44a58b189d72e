/** Two attempts, and everything that can happen next at any moment. */
import { createHash } from 'node:crypto';

import type { JsonRecord } from '../../../nodes/MessagingSend/api/records';
import type { CrashLedger } from '../../../nodes/MessagingSend/journal/crash/crashLedger';
import type { ListStorage } from '../../../nodes/MessagingSend/journal/list/factList';
import type { Facts } from '../../../nodes/MessagingSend/journal/list/facts';
import type { DeliveryRecord } from '../../../nodes/MessagingSend/journal/record/deliveryRecord';
import type { Message } from '../../../nodes/MessagingSend/messages/message';
import {
  type Attempt,
  type Execution,
  type Order,
  type Outcomes,
  type Process,
  retryOf,
  World,
} from '../../support/journal';
import { FactsWithout, LedgerWithout, RecordWithout, type Rule } from './rules';

export interface Scenario {
  readonly title: string;
  readonly first: Order;
  readonly second: Order;
  readonly secondIs:
    'another execution' | 'a Retry during the first' | 'a Retry after a kill' | 'a Retry after the end';
  readonly isSameProcess?: boolean;
  /** Whether a process reads the list and writes it back in two steps; else in one. */
  readonly isSplit?: boolean;
  /** Whether a third process overwrites the list once with what it has read before. */
  readonly hasLostWrite?: boolean;
}

/** What can happen next. */
export interface Action {
  readonly name: string;
  readonly happen: () => void;
}

/** Other steps concern their attempt alone, and come at once. */
const SHARED_STEP = /^(?:record|remove|wait|left)/;

const digest = (value: unknown) => createHash('sha1').update(JSON.stringify(value)).digest('base64').slice(0, 12);

export class TwoAttempts extends World {
  /** What has happened, for a reader. */
  readonly story: string[] = [];
  readonly faults: string[] = [];
  private readonly names = new Map<Execution, string>();
  private readonly execution = executionOf('A');
  private readonly processes: Process[];
  /** What each process has seen, which decides what it does next. */
  private readonly seen = new Map<Process, string>();
  /** The one that takes a step, with how many marks it has made. */
  private current: Process;
  private readonly marks = new Map<Process, number>();
  private isKilled = false;
  private hasEnded = false;
  private hasSecond = false;
  /** The list as the third process has read it; `repaired` once the first attempt has written again after its write. */
  private stale: ReadonlySet<string> | 'overwritten' | 'repaired' | null = null;
  /** What an attempt has begun; null until the first has noted that it has started. */
  private opened: Set<string> | null = null;

  constructor(
    private readonly scenario: Scenario,
    private readonly off: Rule | null,
  ) {
    super(({ text }) => text);
    this.current = this.process();
    this.processes = [this.current];
    this.start('A', this.current, this.execution, scenario.first);
  }

  /** What can happen next, when everything that concerns one attempt alone has happened. */
  async next(): Promise<Action[]> {
    for (;;) {
      await new Promise(setImmediate);
      const living = this.waiting.filter(({ process }) => !process.isDead);
      const own = living.find(({ name }) => !SHARED_STEP.test(name));
      if (own === undefined)
        return [...living.filter((step) => this.mayCome(step)).map((step) => this.taken(step)), ...this.events()];
      this.taken(own).happen();
    }
  }

  private taken(step: (typeof this.waiting)[number]): Action {
    return {
      name: step.name,
      happen: () => {
        this.waiting.splice(this.waiting.indexOf(step), 1);
        this.current = step.process;
        step.go();
      },
    };
  }

  /** A wait for others ends when what they were writing is written. */
  private mayCome({ name, process }: (typeof this.waiting)[number]): boolean {
    if (name !== 'wait' || this.off === 'again') return true;
    const isWriting = this.waiting.some(
      (other) => other.process !== process && !other.process.isDead && other.name.includes('writes'),
    );
    return !isWriting && !(this.stale instanceof Set);
  }

  private events(): Action[] {
    const { secondIs, hasLostWrite } = this.scenario;
    const [first] = this.processes;
    const events: Action[] = [];
    const isWhole = this.stale === null || this.stale === 'repaired';
    if (secondIs === 'a Retry after a kill' && !this.isKilled && !this.hasEnded && isWhole) {
      events.push({ name: 'kill', happen: () => this.kill(first) });
    }
    const mayStart = {
      'another execution': true,
      'a Retry during the first': this.opened !== null,
      'a Retry after a kill': this.isKilled,
      'a Retry after the end': this.hasEnded,
    }[secondIs];
    if (mayStart && !this.hasSecond) events.push({ name: 'second', happen: () => this.startSecond() });
    if (hasLostWrite === true && this.stale === null) {
      events.push({ name: 'read', happen: () => (this.stale = new Set(this.list)) });
    }
    if (this.stale instanceof Set) events.push({ name: 'overwrite', happen: () => this.overwrite() });
    return events;
  }

  private kill(process: Process | undefined): void {
    process?.kill();
    this.isKilled = true;
    this.story.push('n8n is killed.');
  }

  private overwrite(): void {
    if (this.stale instanceof Set) this.list = this.stale;
    this.stale = 'overwritten';
    this.story.push('Another process writes the list back as it was before.');
  }

  private startSecond(): void {
    const { secondIs, isSameProcess, second } = this.scenario;
    this.hasSecond = true;
    if (isSameProcess !== true) this.processes.push(this.process());
    this.current = this.processes.at(-1) ?? this.current;
    if (secondIs === 'another execution') {
      this.start('B', this.current, executionOf('B'), second);
      return;
    }
    const isRunning = !this.isKilled && !this.hasEnded;
    if (isSameProcess === true && isRunning && this.off !== 'single') return;
    this.story.push('Retry is pressed.');
    this.start('B', this.current, retryOf(this.execution, this.isKilled), second);
  }

  private start(name: string, process: Process, execution: Execution, order: Order): void {
    this.names.set(execution, name);
    this.story.push(`${name} starts.`);
    const attempt = this.attempt(process, execution);
    void attempt.send(order).then((outcomes) => {
      if (outcomes === null) return;
      if (name === 'A') this.hasEnded = true;
      attempt.store();
      this.story.push(`${name} has ended.`);
      this.check(order, execution, outcomes);
    });
  }

  private check(order: Order, { lineage }: Execution, outcomes: Outcomes): void {
    const own = this.arrivalsOf.get(lineage);
    for (const { text } of order.accounts.flat()) {
      const [kind, ...more] = outcomes.get(text) ?? [];
      if (kind === undefined || more.length > 0) this.faults.push(`${text} has not one outcome`);
      if (kind === 'sent' && own?.has(text) !== true) this.faults.push(`${text} is "sent", and did not arrive.`);
      if (kind === 'skipped' && !this.arrivals.has(text))
        this.faults.push(`${text} is "sent before", and did not arrive.`);
      if (kind === 'not_sent' && own?.has(text) === true) this.faults.push(`${text} is "not sent", and arrived.`);
      if (kind === 'uncertain' && this.opened?.has(text) === false)
        this.faults.push(`${text} is "uncertain", though nobody had begun it.`);
    }
  }

  override arrive(lineage: string, messages: readonly Message[]): void {
    super.arrive(lineage, messages);
    for (const { text } of messages) {
      this.story.push(`${text} is sent.`);
      if ((this.arrivals.get(text) ?? 0) > 1) this.faults.push(`${text} is sent twice.`);
    }
  }

  protected override async change(
    process: Process,
    name: string,
    entries: readonly string[],
  ): Promise<ReadonlySet<string>> {
    await this.step(process, `${name} ${digest(entries)} reads`);
    const before = this.list;
    if (this.scenario.isSplit === true)
      await this.step(process, `${name} ${digest([entries, [...before].sort()])} writes`);
    const present = this.changeNow(before, name, entries);
    if (this.stale === 'overwritten' && name === 'record' && process === this.processes[0]) this.stale = 'repaired';
    this.seen.set(process, digest([this.seen.get(process), name, entries, [...present].sort()]));
    return present;
  }

  override storage(process: Process): ListStorage {
    return { ...super.storage(process), shorten: async () => await Promise.resolve() };
  }

  /** An entry that no other question has, the same whenever this path is taken. */
  nextMark(): string {
    const count = (this.marks.get(this.current) ?? 0) + 1;
    this.marks.set(this.current, count);
    return `mark ${this.processes.indexOf(this.current)} ${count}`.padEnd(12);
  }

  /** The same for two paths after which the same can happen. */
  get state(): string {
    const waiting = this.waiting.filter(({ process }) => !process.isDead);
    return digest([
      [...this.list].sort(),
      this.processes.map((process) => [process.isDead, this.seen.get(process)]),
      waiting.map(({ process, name }) => `${this.processes.indexOf(process)} ${name}`).sort(),
      [...this.arrivals].sort(),
      [this.isKilled, this.hasEnded, this.hasSecond],
      this.stale instanceof Set ? [...this.stale].sort() : this.stale,
    ]);
  }

  override factsOf(attempt: Attempt, secret: string): Facts {
    const tell = (text: string) => void this.story.push(`${this.names.get(attempt.execution)} ${text}.`);
    const given = [attempt.process.list, this.storage(attempt.process), secret, secret !== 'workflow'] as const;
    return new FactsWithout(
      this.off,
      { story: tell, noted: () => (this.opened ??= new Set()), opened: (names) => this.open(names) },
      ...given,
    );
  }

  private open(names: readonly string[]): void {
    const all = this.scenario.first.accounts.flat();
    for (const name of names) {
      const [, page] = / page (\d+)/.exec(name) ?? [];
      for (const [index, { text }] of all.entries()) {
        if (page === undefined ? name.includes(text) : Number(page) === index) this.opened?.add(text);
      }
    }
  }

  override ledgerOf(...given: ConstructorParameters<typeof CrashLedger>): CrashLedger {
    return new LedgerWithout(this.off, ...given);
  }

  override recordOf(context: JsonRecord): DeliveryRecord {
    return new RecordWithout(this.off, context);
  }
}

/** With the same name in each world, so that the list has the same entries. */
function executionOf(lineage: string): Execution {
  return { lineage, stored: {}, isRetry: false, followsKill: false };
}
