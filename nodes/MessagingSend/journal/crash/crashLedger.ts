import type { Reply } from '../../api/reply';
import { type Failure, failure } from '../../failures/failure';
import type { Batch, Message } from '../../messages/message';
import { type Outcome, type Receipt, receiptOf, type Result } from '../../messages/outcome';
import { digestOf, placeOf } from '../identity';
import type { FactState } from '../list/factList';
import type { Facts } from '../list/facts';
import { type Chunk, chunksOf, type PlanDigests, PlanFacts, type PlannedMessages, type Unit } from './plan';

/** Identifies a run of the node; another attempt at it has the same name. */
export interface RunName {
  /** What an execution has in common with its Retries, and with no other. */
  readonly lineage: string;
  /** Counted from 0 within the execution. */
  readonly ordinal: number;
  /** The digest of the delivery record that it began with; empty where there was none. */
  readonly record: string;
}

/** A name in short. */
export function nameOf({ lineage, ordinal, record }: RunName): string {
  return digestOf([lineage, String(ordinal), record]);
}

/** How a run came about. */
export interface Start {
  /** Whether the user pressed Retry. */
  readonly isRetry: boolean;
  /** Whether n8n shows that it was killed in an earlier attempt. */
  readonly followsKill: boolean;
}

/** What an earlier attempt did that n8n was killed in. */
export interface Recollection {
  /** Of the messages that already have an outcome. */
  readonly receipts: readonly Receipt[];
  /** Those that are to be sent, from one account after the other. */
  readonly pending: PlannedMessages;
  /** The pending ones that may have been sent, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** Whether messages outside of this plan may have been sent. */
  readonly mayHaveSentOthers: boolean;
}

/** What a run needs to find the facts of an earlier attempt. */
export interface CrashQuestion {
  readonly accounts: PlannedMessages;
  readonly digests: PlanDigests;
  /** Messages in each request. */
  readonly batchSize: number;
  /** The number of the first batch. */
  readonly firstBatch: number;
  /** The phones that more than one text goes to. */
  readonly repeated: ReadonlySet<string>;
  /** Whether there are messages or drafts without an account. */
  readonly hasOthers: boolean;
  readonly sendUncertainAgain: boolean;
}

/** API part 8. */
const LARGEST_BATCH = 100;

/** Its ID was in the response, which is lost. */
const SENT: Outcome = { kind: 'sent', messageId: null, status: 'sent' };

const WHY_UNCERTAIN = failure('interrupted');

type StateOf = (message: Message, unit: Unit) => FactState;

/**
 * What n8n's database says of one run of the node, for a re-run after a kill, when the execution itself contains nothing.
 *
 * The run is noted when it starts, and open from its first request on. Each request is opened before it leaves, and noted
 * when it is known which of its messages were sent. So in a re-run, an open request was in flight when n8n was killed,
 * and an unknown one was not begun.
 */
export class CrashLedger {
  /** Its name in short. */
  readonly run: string;
  /** Noted where requests left without being opened: an unknown one may have left. */
  private readonly incomplete: string;
  /** Known if the node's first run in this execution was noted: then all of its runs are. */
  private readonly firstRun: string;
  /** What earlier attempts did. `begun`: they may have sent something, which has to be asked for. */
  private earlier: 'not asked' | 'nothing' | 'begun' = 'not asked';
  /** Whether requests of this run have left, and whether that is noted. */
  private requests: 'none' | 'left' | 'noted' = 'none';
  /** Whether a request left, or may leave, that a re-run would not find. */
  private gap: 'none' | 'to be noted' | 'noted' = 'none';
  /** Whether the storage has refused. */
  private isBroken = false;
  private started: Promise<unknown> = Promise.resolve();
  private plan: PlanFacts | null = null;
  private isRecognized = true;
  private isRetry = false;
  private chunks: readonly Chunk[] = [];
  private byFirstMessage: ReadonlyMap<Message | undefined, Chunk> = new Map();
  /** Made where batches are not the chunks. */
  private byMessage: ReadonlyMap<Message, Unit> | null = null;

  /** @param previous the name of the run whose delivery record this one began with: a Retry of its execution must know of this one */
  constructor(
    private readonly facts: Facts,
    name: RunName,
    readonly previous: string | null,
  ) {
    this.run = nameOf(name);
    this.firstRun = nameOf({ ...name, ordinal: 0, record: '' });
    this.incomplete = incompleteOf(this.run);
  }

  /** Whether an earlier attempt may have sent something. */
  get hasBegun(): boolean {
    return this.earlier === 'begun';
  }

  /** Whether a re-run would find all requests; not where the storage refused. */
  get isWhole(): boolean {
    return !this.isBroken;
  }

  /**
   * Notes that an attempt has started.
   * @returns whether earlier ones may have sent messages of which the list knows nothing
   */
  async start({ isRetry, followsKill }: Start): Promise<boolean> {
    this.facts.enter();
    // Retry On Fail: what the attempt before has noted stays valid.
    if (this.earlier !== 'not asked') return false;
    this.earlier = 'nothing';
    this.isRetry = isRetry;
    try {
      if (isRetry) return await this.startAgain(followsKill);
      this.noteStart();
      return false;
    } catch {
      this.breaks();
      return followsKill;
    }
  }

  private async startAgain(followsKill: boolean): Promise<boolean> {
    const [run, firstRun] = await this.facts.ask([this.run, this.firstRun]);
    if (run !== 'unknown') {
      if (run === 'open') this.earlier = 'begun';
      return false;
    }
    if (!followsKill || firstRun !== 'unknown') {
      this.noteStart();
      return false;
    }
    await this.facts.record({ open: [this.run], note: [this.incomplete] });
    this.gap = 'noted';
    return true;
  }

  private noteStart(): void {
    this.started = this.facts.record({ note: [this.run] }).catch(() => this.breaks());
  }

  private breaks(): void {
    this.isBroken = true;
    this.gap = 'to be noted';
  }

  /** Before the next run of the execution: a re-run must not take this one for a run that was not begun. */
  leaveBehind(): void {
    if (this.gap !== 'to be noted' || this.requests === 'none') return;
    void this.facts.record({ open: [this.run], note: this.gapNotes() }).catch(() => undefined);
  }

  /** Finds what is known of these messages, and takes them for those of the run. */
  async recall(question: CrashQuestion): Promise<Recollection> {
    const { accounts, digests, batchSize, firstBatch } = question;
    const nothing = { receipts: [], pending: accounts, again: new Map<Message, Failure>(), mayHaveSentOthers: false };
    if (this.plan !== null && this.isRecognized) {
      this.coverAgain(accounts);
      return nothing;
    }
    this.isRecognized = true;
    this.plan = new PlanFacts(this.run, digests, batchSize);
    const { name } = this.plan;
    if (this.earlier !== 'begun') {
      this.cover(chunksOf(accounts, batchSize, name, firstBatch));
      return nothing;
    }
    const known = await this.ask(question, this.plan).catch(() => {
      this.breaks();
      return null;
    });
    if (known === null) {
      this.gap = 'to be noted';
      // What this attempt can't read, or can't address to an account, the next one may.
      this.isRecognized = false;
    }
    const { chunks, stateOf, mayHaveSentOthers } = known ?? allOpen(chunksOf(accounts, batchSize, name, firstBatch));
    const recalled = divided(accounts, chunks, stateOf, question.sendUncertainAgain);
    this.cover(chunks, new Set(recalled.pending.flat()));
    return { ...recalled, mayHaveSentOthers };
  }

  /**
   * Resolves once a re-run would know that this request has left.
   * @returns whether another process has begun it, which runs another attempt
   */
  async beforeRequest(batch: Batch): Promise<boolean> {
    await this.started;
    const units = this.unitsOf(batch);
    for (const unit of units) unit.inFlight += 1;
    if (units.length === 0) this.gap = this.gap === 'noted' ? 'noted' : 'to be noted';
    const closed = units.filter(({ state }) => state !== 'open');
    if (closed.length > 0 || this.requests !== 'noted' || this.gap === 'to be noted') {
      const opening = this.open(closed);
      for (const unit of closed) unit.opening = opening;
      await opening;
    }
    let isTaken = false;
    for (const unit of units) {
      if ((await unit.opening) !== true) continue;
      isTaken = true;
      // What is open is the other process's, which may have sent it: it must stay so.
      unit.mayHaveSent = true;
      unit.isUncertain = true;
    }
    return isTaken;
  }

  /** @returns whether another process has begun one of them */
  private async open(units: readonly Unit[]): Promise<boolean> {
    const isFirst = this.requests !== 'noted';
    const begin = units.filter(({ state }) => state === 'unknown').map(({ fact }) => fact);
    const open = units.filter(({ state }) => state === 'noted').map(({ fact }) => fact);
    for (const unit of units) unit.state = 'open';
    if (isFirst) this.requests = 'left';
    // Not each time: if the list has become too long, these must go before the facts of any request.
    const own = isFirst || this.gap === 'to be noted' ? [this.run] : [];
    const note = [...(isFirst ? [...(this.plan?.notes ?? []), ...this.previousIncomplete] : []), ...this.gapNotes()];
    try {
      const isTaken = await this.facts.record({ begin, open: [...own, ...open], note });
      this.facts.releaseWhenFound([...own, ...note]);
      this.requests = 'noted';
      if (note.includes(this.incomplete)) this.gap = 'noted';
      return isTaken;
    } catch {
      this.breaks();
      return false;
    }
  }

  private gapNotes(): string[] {
    return this.gap === 'to be noted' ? [this.incomplete, ...this.previousIncomplete] : [];
  }

  /** For messages of this run, the previous one has no facts. */
  private get previousIncomplete(): string[] {
    return this.previous === null ? [] : [incompleteOf(this.previous)];
  }

  /** @param reply null where the request did not leave after all */
  afterReply(batch: Batch, reply: Reply | null): void {
    const isSafe = reply === null || reply.kind === 'rejected';
    for (const unit of this.unitsOf(batch)) {
      unit.inFlight -= 1;
      if (!isSafe) unit.mayHaveSent = true;
      if (unit.inFlight > 0 || unit.mayHaveSent || unit.state !== 'open') continue;
      unit.state = 'unknown';
      this.facts.retract([unit.fact]);
    }
  }

  /** Notes outcomes. What other executions sent counts as not sent: a re-run finds it again. */
  settle(results: readonly Result[]): void {
    const units = new Set<Unit>();
    const whole = this.chunkOf(results.length, (index) => results[index]?.message)?.unit;
    for (const { message, outcome } of results) {
      const unit = whole ?? this.unitOf(message);
      if (unit === undefined) continue;
      units.add(unit);
      unit.unsettled -= 1;
      if (outcome.kind === 'uncertain') unit.isUncertain = true;
      else if (outcome.kind !== 'sent') unit.unsent.push(message);
      else if (unit.exceptions.size > 0) this.resolve(unit, message);
    }
    for (const unit of units) if (unit.unsettled === 0) this.finish(unit);
  }

  /** What was not sent before is sent now; in the list, the unit is open meanwhile. */
  private resolve(unit: Unit, message: Message): void {
    const exception = unit.exceptionOf(message);
    this.facts.retract([exception]);
    unit.exceptions = new Set([...unit.exceptions].filter((each) => each !== exception));
  }

  /** Notes which messages of a unit were sent. One with an uncertain message stays open. */
  private finish(unit: Unit): void {
    if (unit.state !== 'open' || !unit.mayHaveSent || unit.isUncertain) return;
    unit.exceptions = new Set([...unit.exceptions, ...unit.unsent.map((message) => unit.exceptionOf(message))]);
    if (unit.exceptions.size === 0) {
      this.close(unit);
      return;
    }
    const note = [unit.partly, ...unit.exceptions];
    this.facts.record({ note }).then(
      () => {
        this.facts.releaseWhenFound(note);
        if (unit.inFlight === 0 && unit.unsettled === 0) this.close(unit);
      },
      () => this.breaks(),
    );
  }

  private close(unit: Unit): void {
    unit.state = 'noted';
    this.facts.close([unit.fact]);
  }

  /**
   * Leaves what a re-run needs if n8n is killed before it has stored the execution; resolves once that is stored. Where
   * all was sent, it resolves before: then only a kill in the next milliseconds leads to a re-run.
   */
  async end(): Promise<void> {
    const units = unitsIn(this.chunks);
    const facts = units.map(({ fact }) => fact);
    const { plan } = this;
    // Another process may be at a Retry of the same execution: it must find what this one has begun.
    const isAllSent =
      !this.isRetry &&
      plan !== null &&
      units.length > 0 &&
      units.every(({ state, exceptions }) => state === 'noted' && exceptions.size === 0);
    const written = isAllSent ? this.facts.replace([plan.packing, ...facts], plan.allSent) : this.facts.whenWritten();
    const ended = written.then(() => {
      const notes = [this.run, this.incomplete, ...(plan?.notes ?? []), ...this.previousIncomplete];
      this.facts.release([...notes, ...facts]);
      this.facts.leave();
    });
    if (!isAllSent) await ended;
  }

  /** @returns null where an earlier attempt began to send something else, so that it is unknown which of these were sent */
  private async ask(question: CrashQuestion, plan: PlanFacts): Promise<Known | null> {
    const { accounts, batchSize, firstBatch, repeated } = question;
    const asked = [plan.name, plan.allSent, plan.texts, plan.otherTexts, this.incomplete];
    const [name, allSent, texts, otherTexts, incomplete] = await this.facts.ask(asked);
    if (name !== 'noted') return null;
    const size = allSent === 'noted' ? batchSize : await this.packing(plan, batchSize);
    if (size === null) return null;
    plan.size = size;
    plan.haveTextsChanged = texts !== 'noted' || otherTexts !== 'unknown';
    const chunks = chunksOf(accounts, size, plan.name, firstBatch);
    const units = unitsIn(chunks);
    if (allSent !== 'noted') await this.askAbout(units, chunks);
    else for (const unit of units) unit.state = 'noted';
    for (const unit of units) unit.mayHaveSent = unit.state !== 'unknown';
    const stateOf: StateOf = (message, unit) => {
      const isException = unit.state === 'noted' && unit.exceptions.has(unit.exceptionOf(message));
      const state = isException ? 'unknown' : unit.state;
      return state === 'unknown' && incomplete !== 'unknown' ? 'open' : state;
    };
    const doubtful = plan.haveTextsChanged ? touchedPhones(chunks, stateOf, repeated) : new Set();
    return {
      chunks,
      stateOf: (message, unit) => (doubtful.has(message.phone) ? 'open' : stateOf(message, unit)),
      mayHaveSentOthers: incomplete !== 'unknown' || (doubtful.size > 0 && question.hasOthers),
    };
  }

  /** @returns how many messages each request of the earlier attempt had */
  private async packing(plan: PlanFacts, likely: number): Promise<number | null> {
    const others = Array.from({ length: LARGEST_BATCH }, (_, index) => index + 1).filter((size) => size !== likely);
    for (const sizes of [[likely], others]) {
      const states = await this.facts.ask(sizes.map((size) => plan.packingOf(size)));
      const index = states.indexOf('noted');
      if (index !== -1) return sizes[index] ?? null;
    }
    return null;
  }

  private async askAbout(units: readonly Unit[], chunks: readonly Chunk[]): Promise<void> {
    const states = await this.facts.ask(units.map(({ fact }) => fact));
    for (const [index, unit] of units.entries()) unit.state = states[index] ?? 'open';
    const noted = units.filter(({ state }) => state === 'noted');
    const partly = await this.facts.ask(noted.map((unit) => unit.partly));
    const divided = new Set(noted.filter((_unit, index) => partly[index] !== 'unknown'));
    for (const { unit, batch } of chunks) {
      if (!divided.has(unit)) continue;
      const exceptions = batch.messages.map((message) => unit.exceptionOf(message));
      const own = await this.facts.ask(exceptions);
      // Killed while it asked, an attempt left these open.
      if (own.includes('open')) unit.state = 'open';
      const noted = exceptions.filter((_exception, index) => own[index] === 'noted');
      unit.exceptions = new Set([...unit.exceptions, ...noted]);
    }
  }

  /** @param pending the messages that are sent now; all by default */
  private cover(chunks: readonly Chunk[], pending?: ReadonlySet<Message>): void {
    this.chunks = chunks;
    this.byFirstMessage = new Map(chunks.map((chunk) => [chunk.batch.messages[0], chunk]));
    for (const { unit, batch } of chunks) {
      const own = pending === undefined ? batch.messages : batch.messages.filter((message) => pending.has(message));
      unit.unsettled += own.length;
    }
  }

  /** Finds the units of the messages that a second attempt of the same execution sends (Retry On Fail). */
  private coverAgain(accounts: PlannedMessages): void {
    const byPlace = new Map<string, Unit>();
    for (const { unit, batch } of this.chunks) {
      unit.unsettled = 0;
      unit.unsent = [];
      for (const message of batch.messages) byPlace.set(placeAndPhone(message), unit);
    }
    const byMessage = new Map<Message, Unit>();
    for (const message of accounts.flat()) {
      const unit = byPlace.get(placeAndPhone(message));
      if (unit === undefined) continue;
      byMessage.set(message, unit);
      unit.unsettled += 1;
    }
    this.byFirstMessage = new Map();
    this.byMessage = byMessage;
  }

  private unitsOf({ messages }: Batch): readonly Unit[] {
    const chunk = this.chunkOf(messages.length, (index) => messages[index]);
    return chunk === null ? [...new Set(messages.flatMap((message) => this.unitOf(message) ?? []))] : [chunk.unit];
  }

  /** The chunk that has exactly these messages, as most batches do. */
  private chunkOf(length: number, messageAt: (index: number) => Message | undefined): Chunk | null {
    const chunk = this.byFirstMessage.get(messageAt(0));
    if (chunk?.batch.messages.length !== length) return null;
    return chunk.batch.messages.every((message, index) => message === messageAt(index)) ? chunk : null;
  }

  private unitOf(message: Message): Unit | undefined {
    this.byMessage ??= new Map(
      this.chunks.flatMap(({ unit, batch }) => batch.messages.map((each) => [each, unit] as const)),
    );
    return this.byMessage.get(message);
  }
}

function incompleteOf(run: string): string {
  return `${run} incomplete`;
}

/** What an earlier attempt did with each message. */
interface Known {
  readonly chunks: readonly Chunk[];
  readonly stateOf: StateOf;
  readonly mayHaveSentOthers: boolean;
}

function allOpen(chunks: readonly Chunk[]): Known {
  for (const { unit } of chunks) Object.assign(unit, { state: 'open', mayHaveSent: true });
  return { chunks, stateOf: () => 'open', mayHaveSentOthers: true };
}

/**
 * Where the texts are other ones than in the earlier attempt, a place still identifies a phone that only one message goes
 * to. Of several messages to a phone, nobody knows which was sent.
 */
function touchedPhones(chunks: readonly Chunk[], stateOf: StateOf, repeated: ReadonlySet<string>): Set<string> {
  const touched = new Set<string>();
  for (const { unit, batch } of chunks) {
    for (const message of batch.messages) {
      if (repeated.has(message.phone) && stateOf(message, unit) !== 'unknown') touched.add(message.phone);
    }
  }
  return touched;
}

function divided(
  accounts: PlannedMessages,
  chunks: readonly Chunk[],
  stateOf: StateOf,
  sendUncertainAgain: boolean,
): Pick<Recollection, 'receipts' | 'pending' | 'again'> {
  const receipts: Receipt[] = [];
  const pending = accounts.map((): Message[] => []);
  const again = new Map<Message, Failure>();
  for (const { account, batch, unit } of chunks) {
    const those = { noted: [] as Message[], open: [] as Message[] };
    for (const message of batch.messages) {
      const state = stateOf(message, unit);
      if (state === 'open' && sendUncertainAgain) again.set(message, WHY_UNCERTAIN);
      if (state === 'unknown' || again.has(message)) pending[account]?.push(message);
      else those[state].push(message);
    }
    if (those.noted.length > 0) receipts.push(receiptOf({ ...batch, messages: those.noted }, SENT));
    if (those.open.length > 0) {
      receipts.push(receiptOf({ ...batch, messages: those.open }, { kind: 'uncertain', failure: WHY_UNCERTAIN }));
    }
  }
  return { receipts, pending, again };
}

function unitsIn(chunks: readonly Chunk[]): Unit[] {
  return [...new Set(chunks.map(({ unit }) => unit))];
}

function placeAndPhone(message: Message): string {
  return `${placeOf(message)} ${message.phone}`;
}
