import { createHash } from 'node:crypto';

import type { Reply } from '../../api/reply';
import { type Failure, failure } from '../../failures/failure';
import type { Interruptible } from '../../messages/interruptible';
import { type Batch, countMessages, type Message } from '../../messages/message';
import { type Outcome, type Receipt, receiptOf, type Result } from '../../messages/outcome';
import { digestOf as digestOfTexts, placeOf } from '../identity';
import type { FactState, Ledger } from '../list/ledger';

/** Identifies a run of the node; a re-run has the same name. */
export interface RunName {
  /** What an execution has in common with its Retries. */
  readonly lineage: string;
  /** Whether the lineage is unique; otherwise executions that began alike share it. */
  readonly isUnique: boolean;
  /** Counted from 0 within the execution. */
  readonly ordinal: number;
  /** The digest of the delivery record that it began with. */
  readonly record: string;
}

/** A name in short. */
export function nameOf({ lineage, ordinal, record }: RunName): string {
  return digestOfTexts([lineage, String(ordinal), record]);
}

/** How a run came about. */
export interface Start {
  /** Whether the user pressed Retry. */
  readonly isRetry: boolean;
  /** Whether n8n shows that it was killed in an earlier attempt. */
  readonly followsKill: boolean;
}

/** What is known of the messages of a plan. */
export interface Recollection {
  /** Of the messages that already have an outcome. */
  readonly receipts: readonly Receipt[];
  /** What is left to send, each message in the batch it had before. */
  readonly batches: readonly Batch[];
  /** Those of them that may already have been sent, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** Whether messages outside all of the batches may have been sent. */
  readonly mayHaveSentOthers: boolean;
}

/** The most facts about the requests of a run; in a longer run, each fact covers several requests. */
const MAX_UNITS = 8_000;

/** Its ID was in the response, which is lost. */
const SENT: Outcome = { kind: 'sent', messageId: null, status: 'sent' };

const WHY_UNCERTAIN = failure('interrupted');

type StateOf = (message: Message, batch: Batch) => FactState;

/** What one fact covers: one batch, or several in a row. */
interface Unit {
  readonly fact: string;
  /** How many messages it covers. */
  readonly size: number;
  readonly hasSeveral: boolean;
  /** Those of its messages that are not known to be sent. */
  unsent: number;
  /** Whether each message has its own fact, because only some of them were sent or requested. */
  isSplit: boolean;
}

/**
 * What n8n's database contains about one run of the node, for a re-run after n8n was killed, when the execution itself
 * contains nothing.
 *
 * The run is noted when it starts, and open from its first request on. Each request is opened before it leaves, and
 * noted when all of its messages were sent. So in a re-run, an open request was in flight when n8n was killed, and an
 * unknown one was not begun.
 */
export class RunLedger {
  private readonly run: string;
  private readonly isUnique: boolean;
  /** Whether what a re-run finds is about its own execution, and not about another one that began alike. */
  isOwn: boolean;
  /** Noted with the first run of the node in an execution: all of its runs are in the ledger. */
  private readonly lineage: string;
  private readonly isFirst: boolean;
  /** Open where an execution has this name, if it can have a twin. */
  private readonly ownName: string;
  /** Noted where another execution had the same name: a fact may be about either. */
  private readonly twins: string;
  /** Noted where requests left without being opened: an unknown one may have started. */
  private readonly incomplete: string;
  /** Noted where the run reserved each of its messages: a re-run that also does needs nothing else. */
  private readonly reserved: string;
  private plan = '';
  private units: ReadonlyMap<number, Unit> = new Map();
  /** Messages that an earlier attempt may have sent: what is noted of them stays. */
  private again: Recollection['again'] = new Map();
  private unsent = 0;
  private state: FactState = 'unknown';
  /** Whether the requests of this attempt are not noted. */
  private isLeftOut = false;
  private isReserved = false;
  private isStarted = false;
  /** Whether all that the ledger knows of the run is in the delivery record, for later attempts of this execution. */
  private isFound = false;
  private isBroken = false;
  private isGapNoted = false;
  /** Whether a request has left. */
  private isBegun = false;
  /** Whether that is noted. */
  private isOpened = false;
  /** Facts about messages, and about batches whose messages have them. */
  private readonly details = new Set<string>();
  private started: Promise<void> = Promise.resolve();

  /** @param isKnown whether an earlier run of this Retry was known to be of an execution during which n8n was killed */
  constructor(
    private readonly ledger: Ledger,
    name: RunName,
    /** The run whose delivery record this one began with, if there was one: a Retry of its execution must know of this one. */
    private readonly previous: string | null,
    isKnown = false,
  ) {
    const { lineage, isUnique, ordinal, record } = name;
    this.isOwn = isUnique || isKnown;
    this.run = nameOf(name);
    this.isUnique = isUnique;
    this.lineage = lineage;
    this.isFirst = ordinal === 0 && record === '';
    this.ownName = `${this.run} name`;
    this.twins = `${this.run} twins`;
    this.incomplete = incompleteOf(this.run);
    this.reserved = `${this.run} reserved`;
  }

  /** Whether an earlier attempt may have sent something. */
  get hasBegun(): boolean {
    return this.state === 'open';
  }

  /** Whether a re-run would find all requests; not where the storage refused. */
  get isWhole(): boolean {
    return !this.isBroken;
  }

  /**
   * Notes that the run has started. In a later attempt of the same execution, the notes of the first one stay valid, but
   * are marked as incomplete.
   * @returns whether earlier attempts may have sent messages of which the ledger knows nothing
   */
  async start({ isRetry, followsKill }: Start): Promise<boolean> {
    if (this.isStarted) {
      this.isLeftOut ||= this.isBegun;
      return false;
    }
    this.isStarted = true;
    try {
      if (isRetry) return await this.startAgain(followsKill);
      if (!this.isUnique && (await this.hasTwin())) return false;
      this.started = this.noteStart();
      return false;
    } catch {
      this.isBroken = true;
      return followsKill;
    }
  }

  /** Before the next run of the execution: a re-run must not take this one for a run that was not begun. */
  leaveBehind(): void {
    if (this.isBroken && this.isBegun) void this.noteGap();
  }

  /** For a run that reserves each of its messages: its requests are not noted. */
  leaveToReservations(): void {
    this.isLeftOut = true;
    // Once it is known that an earlier attempt reserved nothing, this stays so.
    if (!this.isFound) this.isReserved = true;
  }

  /**
   * Finds what is known of these batches, and takes their messages for those of the run. Once it was found, it is in the
   * delivery record, and a later attempt of the same execution (Retry On Fail) has other batches: the facts are about
   * those of before, so what is left is not noted under them.
   * @param isNoted whether what is found becomes part of the delivery record; not in a dry run
   */
  async recall(
    batches: readonly Batch[],
    digest: string,
    { sendUncertainAgain, isNoted }: { readonly sendUncertainAgain: boolean; readonly isNoted: boolean },
  ): Promise<Recollection> {
    const nothing = { receipts: [], batches, again: new Map<Message, Failure>(), mayHaveSentOthers: false };
    if (this.isFound) {
      this.isLeftOut = true;
      return nothing;
    }
    this.plan = `${this.run} ${digest}`;
    this.units = unitsOf(batches, this.plan);
    this.unsent = countMessages(batches);
    if (this.state !== 'open') return nothing;
    let known: StateOf | null;
    try {
      if (this.isReserved) {
        this.isReserved = (await this.ledger.ask([this.reserved]))[0] === 'noted';
        if (this.isReserved) return nothing;
      }
      known = await this.ask(batches);
    } catch {
      this.isBroken = true;
      known = null;
    }
    const recalled = divided(batches, this.trusted(known ?? (() => 'open')), sendUncertainAgain);
    this.again = recalled.again;
    for (const { results } of recalled.receipts) {
      this.unsent -= results.filter(({ outcome }) => outcome.kind === 'sent').length;
    }
    this.isFound = known !== null && isNoted;
    return { ...recalled, mayHaveSentOthers: known === null };
  }

  /** Called before a request leaves; resolves once its messages are noted, or can't be. */
  async leave(batch: Batch): Promise<void> {
    await this.started;
    this.isBegun = true;
    if (this.isBroken || this.isLeftOut) {
      await this.noteGap();
      return;
    }
    const unit = this.units.get(batch.number);
    if (unit === undefined) return;
    // Not each time: if the list has become too long, these must go before the facts of any request.
    const open = this.isOpened ? [unit.fact] : [this.run, unit.fact];
    const note = this.isOpened ? [] : [this.plan, ...this.previousIncomplete];
    if (!isWholeUnit(batch, unit)) {
      const messages = this.factsOf(batch.messages);
      this.markSplit(unit, messages);
      note.push(splitOf(unit));
      open.push(...messages);
    }
    try {
      await this.ledger.record({ open, note });
      if (!this.isOpened) this.ledger.releaseWhenFound([this.lineage, this.run, this.plan, ...this.previousIncomplete]);
      this.isOpened = true;
    } catch {
      this.isBroken = true;
      await this.noteGap();
    }
  }

  /** @param reply null where the request did not leave after all */
  land(batch: Batch, reply: Reply | null): void {
    if (reply !== null && reply.kind !== 'rejected') return;
    const unit = this.units.get(batch.number);
    if (unit === undefined || unit.hasSeveral || this.isLeftOut) return;
    const left = batch.messages.filter((message) => !this.again.has(message));
    if (!isWholeUnit(batch, unit)) this.ledger.retract(this.factsOf(left));
    else if (left.length === unit.size) this.ledger.retract([unit.fact]);
  }

  /** Notes what an accepted request did. */
  settle(batch: Batch, results: readonly Result[]): void {
    const unit = this.units.get(batch.number);
    if (unit === undefined || this.isLeftOut) return;
    // As in the output: what may have been sent before is not "not sent" because a new attempt was refused.
    const outcomeOf = ({ message, outcome }: Result) =>
      outcome.kind === 'not_sent' && this.again.has(message) ? 'uncertain' : outcome.kind;
    const those = (kind: Outcome['kind']) => results.filter((result) => outcomeOf(result) === kind);
    const factsOf = (kind: Outcome['kind']) => this.factsOf(those(kind).map(({ message }) => message));
    const sent = those('sent').length;
    unit.unsent -= sent;
    this.unsent -= sent;
    if (unit.hasSeveral || isWholeUnit(batch, unit)) {
      const unsent = those('not_sent').length;
      if (unit.unsent === 0) this.ledger.close([unit.fact]);
      else if (!unit.hasSeveral && unsent === unit.size) this.ledger.retract([unit.fact]);
      else if (!unit.hasSeveral && sent + unsent > 0) this.split(unit, factsOf('sent'), factsOf('uncertain'));
    } else {
      this.ledger.close(factsOf('sent'));
      this.ledger.retract(factsOf('not_sent'));
    }
  }

  /**
   * Leaves what a re-run needs if n8n is killed before it has stored the execution; resolves once that is stored. Where
   * all was sent, it resolves before: then only a kill in the next milliseconds leads to a re-run.
   */
  async end(): Promise<void> {
    const facts = [...new Set([...this.units.values()].map(({ fact }) => fact)), ...this.details];
    const isAllSent = !this.isLeftOut && this.unsent === 0 && facts.length > 0;
    if (isAllSent) void this.compact(facts);
    else {
      await this.ledger.whenWritten();
      this.release(facts);
    }
  }

  private async compact(facts: readonly string[]): Promise<void> {
    await this.ledger.replace([this.plan, ...facts], allSentIn(this.plan));
    this.release();
  }

  private release(facts: readonly string[] = []): void {
    const run = [this.run, this.plan, this.lineage];
    const others = [this.ownName, this.twins, this.reserved, this.incomplete, ...this.previousIncomplete];
    this.ledger.release([...run, ...facts, ...others]);
  }

  private async noteStart(): Promise<void> {
    this.state = 'noted';
    try {
      await this.ledger.record({ note: this.isFirst ? [this.run, this.lineage] : [this.run] });
    } catch {
      this.isBroken = true;
    }
  }

  private async startAgain(followsKill: boolean): Promise<boolean> {
    // An execution in which the node never ran has none, but another one that began alike may have.
    this.isOwn ||= followsKill;
    const [run = 'unknown', twins, lineage] = await this.ledger.ask([this.run, this.twins, this.lineage]);
    this.state = run;
    if (twins === 'noted') return true;
    if (run !== 'unknown') return false;
    if (followsKill && lineage !== 'noted') {
      await this.ledger.record({ open: [this.run], note: [this.incomplete] });
      return true;
    }
    this.started = this.noteStart();
    return false;
  }

  private async hasTwin(): Promise<boolean> {
    const [name] = await this.ledger.claim([this.ownName]);
    if (name === 'unknown') return false;
    await this.ledger.record({ open: [this.run], note: [this.twins] });
    this.isLeftOut = true;
    return true;
  }

  /** @returns null where an earlier attempt began to send something else, so that it is unknown which of these were sent */
  private async ask(batches: readonly Batch[]): Promise<StateOf | null> {
    const [plan, allSent, incomplete] = await this.ledger.ask([this.plan, allSentIn(this.plan), this.incomplete]);
    if (allSent === 'noted') return () => 'noted';
    if (plan !== 'noted') return null;
    const units = [...new Set(this.units.values())];
    const states = await this.askAbout(units.map(({ fact }) => fact));
    const open = units.filter(({ fact, hasSeveral, size }) => states.get(fact) === 'open' && !hasSeveral && size > 1);
    const splits = await this.ledger.ask(open.map(splitOf));
    for (const [index, unit] of open.entries()) unit.isSplit = splits[index] === 'noted';
    const splitMessages = batches.filter(({ number }) => this.units.get(number)?.isSplit === true);
    const own = await this.askAbout(splitMessages.flatMap(({ messages }) => this.factsOf(messages)));
    return (message, { number }) => {
      const unit = this.units.get(number);
      const state = unit?.isSplit === true ? own.get(this.factOf(message)) : states.get(unit?.fact ?? '');
      return state === undefined || (state === 'unknown' && incomplete === 'noted') ? 'open' : state;
    };
  }

  /** For messages of this run, the previous one has no facts. */
  private get previousIncomplete(): string[] {
    return this.previous === null ? [] : [incompleteOf(this.previous)];
  }

  /** What another execution sent may not have been sent by this one. */
  private trusted(stateOf: StateOf): StateOf {
    if (this.isOwn) return stateOf;
    return (message, batch) => {
      const state = stateOf(message, batch);
      return state === 'noted' ? 'open' : state;
    };
  }

  private async askAbout(facts: readonly string[]): Promise<ReadonlyMap<string, FactState>> {
    const states = await this.ledger.ask(facts);
    return new Map(facts.map((fact, index) => [fact, states[index] ?? 'open']));
  }

  private split(unit: Unit, sent: readonly string[], uncertain: readonly string[]): void {
    this.markSplit(unit, [...sent, ...uncertain]);
    const noted = this.ledger.record({ open: [...sent, ...uncertain], note: [splitOf(unit)] });
    noted.then(
      () => this.ledger.close(sent),
      () => undefined,
    );
  }

  private markSplit(unit: Unit, messages: readonly string[]): void {
    unit.isSplit = true;
    for (const fact of [splitOf(unit), ...messages]) this.details.add(fact);
  }

  private async noteGap(): Promise<void> {
    if (this.isGapNoted) return;
    try {
      const note = [this.incomplete, ...this.previousIncomplete, ...(this.isReserved ? [this.reserved] : [])];
      await this.ledger.record({ open: [this.run], note });
      this.isGapNoted = true;
    } catch {
      // The next request tries again.
      this.isBroken = true;
    }
  }

  private factsOf(messages: readonly Message[]): string[] {
    return messages.map((message) => this.factOf(message));
  }

  private factOf(message: Message): string {
    return `${this.plan} ${placeOf(message)}`;
  }
}

/** Identifies the plan of a run: its batches, by the places and phones of their messages. */
export function* digestOf(batches: readonly Batch[]): Interruptible<string> {
  const hash = createHash('sha256');
  for (const { number, messages } of batches) {
    hash.update(`${number}:${messages.map((message) => `${placeOf(message)} ${message.phone}`).join()};`);
    yield;
  }
  return hash.digest('base64');
}

function unitsOf(batches: readonly Batch[], plan: string): ReadonlyMap<number, Unit> {
  const units = new Map<number, Unit>();
  const together = Math.ceil(batches.length / MAX_UNITS);
  for (let start = 0; start < batches.length; start += together) {
    const own = batches.slice(start, start + together);
    const size = countMessages(own);
    const fact = `${plan} batch ${own[0]?.number}`;
    const unit = { fact, size, hasSeveral: own.length > 1, unsent: size, isSplit: false };
    for (const { number } of own) units.set(number, unit);
  }
  return units;
}

function isWholeUnit({ messages }: Batch, { size, isSplit, hasSeveral }: Unit): boolean {
  return hasSeveral || (messages.length === size && !isSplit);
}

function incompleteOf(run: string): string {
  return `${run} incomplete`;
}

function splitOf({ fact }: Unit): string {
  return `${fact} split`;
}

function allSentIn(plan: string): string {
  return `${plan} all sent`;
}

function divided(
  batches: readonly Batch[],
  stateOf: StateOf,
  sendUncertainAgain: boolean,
): Pick<Recollection, 'receipts' | 'batches' | 'again'> {
  const receipts: Receipt[] = [];
  const left: Batch[] = [];
  const again = new Map<Message, Failure>();
  for (const batch of batches) {
    const states = batch.messages.map((message) => stateOf(message, batch));
    const those = (...kinds: FactState[]) =>
      batch.messages.filter((_message, index) => kinds.includes(states[index] ?? 'open'));
    const [sent, uncertain] = [those('noted'), those('open')];
    if (sent.length > 0) receipts.push(receiptOf({ ...batch, messages: sent }, SENT));
    if (sendUncertainAgain) for (const message of uncertain) again.set(message, WHY_UNCERTAIN);
    else if (uncertain.length > 0) {
      receipts.push(receiptOf({ ...batch, messages: uncertain }, { kind: 'uncertain', failure: WHY_UNCERTAIN }));
    }
    const messages = sendUncertainAgain ? those('unknown', 'open') : those('unknown');
    if (messages.length > 0) left.push({ ...batch, messages });
  }
  return { receipts, batches: left, again };
}
