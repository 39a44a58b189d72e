/** Two attempts, and everything that can happen next at any moment. */
import { createHash } from 'node:crypto';

import type { JsonObject } from '../../../nodes/MessagingSend/api/objects';
import type { CrashLedger } from '../../../nodes/MessagingSend/journal/crash/crashLedger';
import { pagesOf, usualLength } from '../../../nodes/MessagingSend/journal/crash/pages';
import type { DeliveryRecord } from '../../../nodes/MessagingSend/journal/deliveryRecord';
import type { ListStorage } from '../../../nodes/MessagingSend/journal/list/factList';
import type { Facts } from '../../../nodes/MessagingSend/journal/list/facts';
import type { Row } from '../../../nodes/MessagingSend/messages/row';
import { Attempt, type Endings, type Execution, inOrder, type Order, Process, type Surroundings } from './attempts';
import { FactsWithout, LedgerWithout, type Listener, RecordWithout, type Rule } from './rules';

export interface Scenario {
  readonly first: Order;
  readonly second: Order;
  readonly secondIs:
    'another execution' | 'a Retry during the first' | 'a Retry after a kill' | 'a Retry after the end';
  /** The usual length of pages, in place of that for lists of any length. */
  readonly pageLength?: number;
  readonly isSameProcess?: boolean;
  /** Whether a process reads the list and writes it back in two steps, instead of one. */
  readonly isSplit?: boolean;
  /** Whether a third process overwrites the list once with what it has read before. */
  readonly hasLostWrite?: boolean;
  /** Whether the first execution is retried once more after both attempts, as n8n stored it before them. */
  readonly hasThird?: boolean;
  /** What a Retry of the second attempt sends, after that has ended. */
  readonly third?: Order;
}

/** A step of a process that can come next. */
interface Waiting {
  readonly process: Process;
  readonly name: string;
  readonly go: () => void;
}

/** Lets one of the possible things happen. */
export type Action = () => void;

const lower = (text: string) => text.toLowerCase();

const digest = (value: unknown) => createHash('sha1').update(JSON.stringify(value)).digest('base64').slice(0, 12);

export class TwoAttempts implements Surroundings {
  /** What has happened, for a reader. */
  readonly story: string[] = [];
  readonly faults: string[] = [];
  /** What an attempt need not have left uncertain. */
  readonly doubts: string[] = [];
  private list: ReadonlySet<string> = new Set();
  private readonly waiting: Waiting[] = [];
  private readonly names = new Map<Execution, string>();
  private readonly execution: Execution = { lineage: 'A', stored: {}, isRetry: false, followsKill: false };
  /** A Retry of it, about which n8n has stored nothing. */
  private readonly third: Execution = { lineage: 'A', stored: {}, isRetry: true, followsKill: true };
  private readonly processes = [new Process()];
  /** The process that takes a step. */
  private current = this.processes[0] ?? new Process();
  /** What each process has seen, which decides what it does next, and how many marks it has made. */
  private readonly seen = new Map<Process, string>();
  private readonly marks = new Map<Process, number>();
  /** The texts that were sent, with their executions. */
  private readonly arrivals = new Set<string>();
  private isKilled = false;
  /** The attempts that have ended. */
  private readonly ended = new Set<string>();
  private hasSecond = false;
  private hasRetried = false;
  /** The second attempt's execution. */
  private latest: Execution | null = null;
  /** The list as the third process has read it; `repaired` once the first attempt has written again after its write. */
  private stale: ReadonlySet<string> | 'overwritten' | 'repaired' | null = null;
  /** Recipients that an attempt has begun, or asked about; null until the first one has noted its start. */
  private begun: Set<string> | null = null;
  /** The recipients of each page of both attempts, by its name. */
  private readonly pages = new Map<string, readonly string[]>();
  /** Recipients on pages of several messages that the first attempt did not have. */
  private readonly changed = new Set<string>();

  constructor(
    private readonly scenario: Scenario,
    private readonly off: Rule | null,
  ) {
    this.start('A', this.current, this.execution, scenario.first);
  }

  /** Called once before anything happens. */
  async prepare(): Promise<void> {
    const { first, second, third = second } = this.scenario;
    for (const { messages, others = [] } of [first, second, third]) {
      const rows = inOrder([...messages, ...others]);
      for (const page of await pagesOf(rows, usualLength(rows.length), async () => await Promise.resolve())) {
        const phones = page.rows.map(({ phone }) => phone);
        const isNew = messages !== first.messages && !this.pages.has(page.name) && phones.length > 1;
        if (isNew) for (const phone of phones) this.changed.add(phone);
        this.pages.set(page.name, phones);
      }
    }
  }

  /** What can happen next. */
  async next(): Promise<Action[]> {
    await new Promise(setImmediate);
    const steps = this.living.filter((step) => this.mayCome(step));
    return [...steps.map((step) => () => this.take(step)), ...this.events()];
  }

  private get living(): Waiting[] {
    return this.waiting.filter(({ process }) => !process.isDead);
  }

  private take(step: Waiting): void {
    this.waiting.splice(this.waiting.indexOf(step), 1);
    this.current = step.process;
    step.go();
  }

  /** A wait for others ends when what they were writing is written. */
  private mayCome({ name, process }: Waiting): boolean {
    if (name !== 'waits' || this.off === 'again') return true;
    const isWriting = this.living.some((other) => other.process !== process && other.name.includes('writes'));
    return !isWriting && !(this.stale instanceof Set);
  }

  private events(): Action[] {
    const { secondIs, hasLostWrite, hasThird, third } = this.scenario;
    const events: Action[] = [];
    const isWhole = this.stale === null || this.stale === 'repaired';
    if (secondIs === 'a Retry after a kill' && !this.isKilled && !this.ended.has('A') && isWhole) {
      events.push(() => {
        this.current.isDead = true;
        this.isKilled = true;
        this.story.push('n8n is killed.');
      });
    }
    const mayStart = {
      'another execution': true,
      'a Retry during the first': this.begun !== null,
      'a Retry after a kill': this.isKilled,
      'a Retry after the end': this.ended.has('A'),
    }[secondIs];
    if (mayStart && !this.hasSecond) events.push(() => this.startSecond());
    const mayRetry = this.ended.has('B') && (third !== undefined || this.ended.has('A'));
    if ((hasThird === true || third !== undefined) && mayRetry && !this.hasRetried)
      events.push(() => this.startThird());
    if (hasLostWrite === true && this.stale === null) events.push(() => (this.stale = this.list));
    const { stale } = this;
    if (stale instanceof Set) {
      events.push(() => {
        this.list = stale;
        this.stale = 'overwritten';
        this.story.push('Another process writes the list back as it was before.');
      });
    }
    return events;
  }

  private startSecond(): void {
    const { secondIs, isSameProcess, second } = this.scenario;
    this.hasSecond = true;
    if (isSameProcess !== true) this.processes.push(new Process());
    this.current = this.processes.at(-1) ?? this.current;
    const isRetry = secondIs !== 'another execution';
    const isRunning = !this.isKilled && !this.ended.has('A');
    if (isRetry && isSameProcess === true && isRunning && this.off !== 'single') return;
    this.story.push(isRetry ? 'Retry starts B.' : 'B starts, in another process.');
    const { lineage, stored } = isRetry ? this.execution : { lineage: 'B', stored: {} };
    this.latest = { lineage, stored, isRetry, followsKill: this.isKilled };
    this.start('B', this.current, this.latest, second);
  }

  private startThird(): void {
    const { second, third } = this.scenario;
    this.hasRetried = true;
    this.current = new Process();
    this.processes.push(this.current);
    this.story.push('Retry starts C.');
    const execution = third === undefined || this.latest === null ? this.third : { ...this.latest, isRetry: true };
    this.start('C', this.current, execution, third ?? second);
  }

  private start(name: string, process: Process, execution: Execution, order: Order): void {
    this.names.set(execution, name);
    const attempt = new Attempt(this, process, execution).send(order).then((endings) => {
      this.check(name, order, execution, endings);
      this.ended.add(name);
    });
    attempt.catch((error: unknown) => this.faults.push(`${name} ends with ${String(error)}.`));
  }

  private check(name: string, { messages, answers }: Order, { lineage }: Execution, endings: Endings): void {
    // While both are alive, each may mistake the other's questions for begun facts.
    const isAlone = this.scenario.secondIs !== 'a Retry during the first';
    for (const { text, phone } of messages) {
      const ending = endings.get(text);
      const hasLeft = this.arrivals.has(`${lineage} ${text}`);
      const fault = (what: string) => this.faults.push(`${name} reports ${lower(text)} as ${what}.`);
      if (ending === undefined) fault('nothing');
      if (ending === 'sent' && !hasLeft) fault('"sent", though it did not leave');
      if (ending === 'sent_before' && !this.isSent(text)) fault('"sent before", though it did not leave');
      if (ending === 'not_sent' && hasLeft) fault('"not sent", though it had left');
      const byOthers = [...(this.begun ?? [])].filter((each) => each.endsWith(phone) && !each.startsWith(name));
      const isKnown = this.begun !== null && byOthers.length === 0 && answers === undefined && isAlone;
      const isOpen = ending === 'uncertain' || ending === 'may_have_been_sent';
      if (isOpen && isKnown && !this.changed.has(phone))
        this.doubts.push(`${name} reports ${lower(text)} as "uncertain", though it had not left.`);
      // In a Retry, it is known.
      if (ending === 'not_sent') this.begun?.delete(`${name} ${phone}`);
    }
  }

  arrive(lineage: string, messages: readonly Row[]): void {
    const { second, secondIs } = this.scenario;
    const all = messages.map(({ text }) => text);
    // Another execution without Send Once may send it again.
    const isOnce = secondIs !== 'another execution' || second.sendOnce === true;
    for (const text of all) {
      if (isOnce && this.isSent(text)) this.faults.push(`${text} is sent twice.`);
      this.arrivals.add(`${lineage} ${text}`);
    }
    if (this.faults.length > 0) return;
    const [first = '', ...others] = all;
    this.story.push(`${[first, ...others.map(lower)].join(' and ')} ${others.length === 0 ? 'is' : 'are'} sent.`);
  }

  private isSent(text: string): boolean {
    return [...this.arrivals].some((each) => each.endsWith(` ${text}`));
  }

  async step(process: Process, name: string): Promise<void> {
    await new Promise<void>((go) => this.waiting.push({ process, name, go }));
  }

  /** n8n reads the list, changes it and writes it back. */
  private async change(process: Process, name: string, entries: readonly string[]): Promise<ReadonlySet<string>> {
    await this.step(process, `${name} ${digest(entries)} reads`);
    const before = this.list;
    if (this.scenario.isSplit === true) {
      await this.step(process, `${name} ${digest([entries, [...before].sort()])} writes`);
    }
    this.list =
      name === 'record'
        ? new Set([...before, ...entries])
        : new Set([...before].filter((entry) => !entries.includes(entry)));
    const present = entries.filter((entry) => before.has(entry));
    if (this.stale === 'overwritten' && name === 'record' && process === this.processes[0]) this.stale = 'repaired';
    this.seen.set(process, digest([this.seen.get(process), name, entries, present]));
    return new Set(present);
  }

  private storage(process: Process): ListStorage {
    return {
      add: async (entries) => await this.change(process, 'record', entries),
      remove: async (entries) => void (await this.change(process, 'remove', entries)),
      shorten: async () => await Promise.resolve(),
      waitForOthers: async () => await this.step(process, 'waits'),
    };
  }

  /** An entry that no other question has, the same whenever this path is taken. */
  nextMark(): string {
    const count = (this.marks.get(this.current) ?? 0) + 1;
    this.marks.set(this.current, count);
    return `mark ${this.processes.indexOf(this.current)} ${count}`.padEnd(12);
  }

  /** Equal for two paths after which the same can happen. */
  get state(): string {
    return digest([
      [...this.list].sort(),
      this.processes.map((process) => [process.isDead, this.seen.get(process)]),
      this.living.map(({ process, name }) => `${this.processes.indexOf(process)} ${name}`).sort(),
      [...this.arrivals].sort(),
      [this.isKilled, ...this.ended, this.hasSecond, this.hasRetried],
      this.stale instanceof Set ? [...this.stale].sort() : this.stale,
    ]);
  }

  factsOf({ execution, process }: Attempt, secret: string): Facts {
    const name = this.names.get(execution) ?? '';
    const listener: Listener = {
      numberOf: (page) => [...this.pages.keys()].indexOf(page) + 1,
      tell: (text) => void this.story.push(`${name} ${text}.`),
      onStarted: () => void (this.begun ??= new Set()),
      onBegun: (facts) => {
        for (const phone of facts.flatMap((fact) => this.phonesOf(fact))) this.begun?.add(`${name} ${phone}`);
      },
    };
    return new FactsWithout(this.off, listener, process.list, this.storage(process), secret, secret !== 'workflow');
  }

  /** The recipients that a page, a claim or an attempt is about. */
  private phonesOf(fact: string): string[] {
    const [, page] = / page (\S+)/.exec(fact) ?? [];
    const { messages } = this.scenario.first;
    const isAbout = ({ phone }: Row) => fact.includes(phone) || fact.includes(' attempt ');
    const own = page === undefined ? undefined : this.pages.get(page);
    return [...(own ?? messages.filter(isAbout).map(({ phone }) => phone))];
  }

  ledgerOf(...given: ConstructorParameters<typeof CrashLedger>): CrashLedger {
    return new LedgerWithout(this.off, ...given);
  }

  recordOf(context: JsonObject): DeliveryRecord {
    return new RecordWithout(this.off, context);
  }
}
