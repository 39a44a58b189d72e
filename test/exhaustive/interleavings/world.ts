/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Two attempts, and everything that can happen next at any moment. */
import { createHash } from 'node:crypto';

import type { JsonObject } from '../../../nodes/MessagingSend/api/objects';
import type { DeliveryRecord } from '../../../nodes/MessagingSend/journal/deliveryRecord';
import type { ListStorage } from '../../../nodes/MessagingSend/journal/list/factList';
import type { Facts } from '../../../nodes/MessagingSend/journal/list/facts';
import { pagesOf, usualLength } from '../../../nodes/MessagingSend/messages/pages';
import { nameOf, type Row } from '../../../nodes/MessagingSend/messages/row';
import { noPause } from '../../unit/samples';
import { Attempt, type Execution, inOrder, type Order, Process, STORES, type Surroundings } from './attempts';
import { FactsWithout, type Listener, RecordWithout, type Rule } from './rules';

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

/** Who gets the messages, in a story. */
const PEOPLE = ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Fay'];

function peopleOf(phones: readonly string[]): string {
  return phones.map((phone) => PEOPLE[Number(phone.slice(-1))]).join(' and ');
}

const digest = (value: unknown) => createHash('sha1').update(JSON.stringify(value)).digest('base64').slice(0, 12);

export class TwoAttempts implements Surroundings {
  /** What went wrong: who got a message twice, which outcome is untrue, and what need not have been left uncertain. */
  readonly twice: string[] = [];
  readonly untrue: string[] = [];
  readonly doubts: string[] = [];
  private readonly told: string[] = [];
  /** Where the story tells what a process learns from the list, once it has asked. */
  private readonly answers = new Map<Process, { place: number | null }>();
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
  /** Whether that was after the end of the first attempt, so that nothing of it may be doubted. */
  private isKilledAtEnd = false;
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
  /** Recipients on pages that the first attempt did not have, and that may have several messages. */
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
      const length = usualLength(rows.length);
      for (const page of await pagesOf(rows, length, noPause)) {
        const phones = page.rows.map(({ phone }) => phone);
        const isNew = messages !== first.messages && !this.pages.has(page.name) && length > 1;
        if (isNew) for (const phone of phones) this.changed.add(phone);
        this.pages.set(page.name, phones);
      }
    }
  }

  /** What has happened, for a reader: what one attempt does in turn is one sentence. */
  storyWith(wrong: readonly string[]): string[] {
    const sentences: string[][] = [];
    for (const text of [...this.told, ...wrong].filter((each) => each !== '')) {
      const last = sentences.at(-1);
      const isSameOne = /^[ABC] /.test(text) && last?.[0]?.startsWith(text.slice(0, 2)) === true;
      if (isSameOne) last.push(text.slice(2, -1));
      else sentences.push([text.slice(0, -1)]);
    }
    return sentences.map(
      (acts) => `${[acts.slice(0, -1).join(', '), ...acts.slice(-1)].filter(Boolean).join(' and ')}.`,
    );
  }

  /** What can happen next. */
  async next(): Promise<Action[]> {
    await new Promise(setImmediate);
    const steps = this.living.filter((step) => this.mayCome(step));
    return [...this.events(), ...steps.map((step) => () => this.take(step))];
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
    const isRepairing = this.living.some(
      ({ process, name }) => process === this.processes[0] && name.includes('record'),
    );
    const isWhole = this.stale === null || (this.stale === 'repaired' && !isRepairing);
    if (secondIs === 'a Retry after a kill' && !this.isKilled && !this.ended.has('A') && isWhole) {
      events.push(() => {
        this.current.isDead = true;
        this.isKilled = true;
        this.isKilledAtEnd = this.waiting.some(({ name }) => name === STORES);
        if (this.isKilledAtEnd) this.told.push('A ends.', 'n8n is killed before it stores A.');
        else this.told.push('n8n is killed.');
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
    if (hasLostWrite === true && this.stale === null) {
      events.push(() => {
        this.stale = this.list;
        this.told.push('Another process reads the list.');
      });
    }
    const { stale } = this;
    if (stale instanceof Set) {
      events.push(() => {
        this.list = stale;
        this.stale = 'overwritten';
        this.told.push('The other process writes the list back as it was.');
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
    const isStored = this.ended.has('A');
    if (isRetry) this.told.push(`${isStored ? 'n8n stores A. ' : ''}Retry starts B.`);
    const { lineage, stored } = isRetry ? this.execution : { lineage: 'B', stored: {} };
    this.latest = { lineage, stored, isRetry, followsKill: this.isKilled };
    this.start('B', this.current, this.latest, second);
  }

  private startThird(): void {
    const { second, third } = this.scenario;
    this.hasRetried = true;
    this.current = new Process();
    this.processes.push(this.current);
    this.told.push(`${third === undefined ? '' : 'n8n stores B. '}Retry starts C.`);
    const execution = third === undefined || this.latest === null ? this.third : { ...this.latest, isRetry: true };
    this.start('C', this.current, execution, third ?? second);
  }

  private start(name: string, process: Process, execution: Execution, order: Order): void {
    this.names.set(execution, name);
    const attempt = new Attempt(this, process, execution).send(order).then((rows) => {
      this.check(name, order, execution, rows);
      this.ended.add(name);
    });
    attempt.catch((error: unknown) => this.untrue.push(`${name} ends with ${String(error)}.`));
  }

  private check(name: string, { answers }: Order, { lineage }: Execution, rows: readonly Row[]): void {
    const { first, second, secondIs, hasLostWrite } = this.scenario;
    // While both are alive, each may mistake the other's questions for begun facts.
    const isAlone = secondIs !== 'a Retry during the first';
    // What the user keeps back is a part of what a page is.
    const isSame = name === 'B' && first.others === second.others && answers === undefined;
    const isAllKnown = this.isKilledAtEnd && isSame && first.isUnnoted !== true && hasLostWrite !== true;
    for (const row of rows) {
      const { outcome, phone } = row;
      const ending = outcome?.kind === 'skipped' ? outcome.reason : outcome?.kind;
      const hasLeft = this.arrivals.has(`${lineage} ${nameOf(row)}`);
      const calls = (what: string) => `${name} calls ${peopleOf([phone])}'s message ${what}.`;
      const fault = (what: string) => this.untrue.push(calls(what));
      if (ending === undefined) fault('nothing');
      if (ending === 'sent' && !hasLeft) fault('"sent", though it never left');
      if (ending === 'sent_before' && !this.isSent(row)) fault('"sent before", though it never left');
      if (ending === 'not_sent' && hasLeft) fault('"not sent", though it has left');
      const byOthers = [...(this.begun ?? [])].filter((each) => each.endsWith(phone) && !each.startsWith(name));
      const isKnown = this.begun !== null && byOthers.length === 0 && answers === undefined && isAlone;
      const isOpen = ending === 'uncertain' || ending === 'may_have_been_sent';
      if (isOpen && (isKnown || isAllKnown) && !this.changed.has(phone))
        this.doubts.push(calls(`"uncertain", though ${hasLeft ? 'A knew that it was sent' : 'it never left'}`));
      // In a Retry, it is known.
      if (ending === 'not_sent') this.begun?.delete(`${name} ${phone}`);
    }
  }

  arrive(execution: Execution, messages: readonly Row[]): void {
    const { second, secondIs } = this.scenario;
    // Another execution without Send Once may send it again.
    const isOnce = secondIs !== 'another execution' || second.sendOnce === true;
    const again = messages.filter((row) => isOnce && this.isSent(row));
    const sends = (rows: readonly Row[]) =>
      `${this.names.get(execution) ?? ''} sends to ${peopleOf(rows.map(({ phone }) => phone))}`;
    if (again.length > 0) this.twice.push(`${sends(again)} again.`);
    else this.told.push(`${sends(messages)}.`);
    for (const row of messages) this.arrivals.add(`${execution.lineage} ${nameOf(row)}`);
  }

  private isSent(row: Row): boolean {
    return [...this.arrivals].some((each) => each.endsWith(` ${nameOf(row)}`));
  }

  async step(process: Process, name: string): Promise<void> {
    if (name === STORES && this.scenario.secondIs === 'another execution') return;
    await new Promise<void>((go) => this.waiting.push({ process, name, go }));
  }

  /** n8n reads the list, changes it and writes it back. */
  private async change(process: Process, name: string, entries: readonly string[]): Promise<ReadonlySet<string>> {
    await this.step(process, `${name} ${digest(entries)} reads`);
    const before = this.list;
    const answer = this.answers.get(process);
    if (answer?.place === null) answer.place = this.told.push('') - 1;
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
      shorten: noPause,
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
    // Another execution has pages of its own.
    const isTold = secret !== 'workflow' || this.scenario.secondIs !== 'another execution';
    const tell = (text: string) => void (isTold && this.told.push(`${name} ${text}.`));
    const listener: Listener = {
      wordsFor: (page) => `${peopleOf(this.pages.get(page) ?? [])}'s page`,
      isLast: name === (this.scenario.third === undefined ? 'B' : 'C'),
      tell,
      tellOfAnswer: () => {
        const answer: { place: number | null } = { place: null };
        this.answers.set(process, answer);
        return (text) => (answer.place === null ? tell(text) : (this.told[answer.place] = `${name} ${text}.`));
      },
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

  recordOf(context: JsonObject): DeliveryRecord {
    return new RecordWithout(this.off, context);
  }
}
