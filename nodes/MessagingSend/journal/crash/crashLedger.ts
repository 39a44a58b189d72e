import type { Reply } from '../../api/reply';
import type { Batch, Message } from '../../messages/message';
import type { Result } from '../../messages/outcome';
import { digestOf } from '../identity';
import type { Facts } from '../list/facts';
import type { Question } from '../question';
import { type Plan, planOf, type Unit } from './plan';
import {
  askEarlier,
  divide,
  MAY_HAVE_SENT_ANYTHING,
  nothingKnown,
  type Recollection,
  SENT_NOTHING,
} from './recollection';

/** A run of the node. */
export interface Run {
  /** What an execution has in common with its Retries, and with no other. */
  readonly lineage: string;
  /** Counted from 0 within the execution. */
  readonly ordinal: number;
}

/** Identifies a run with the one that it follows; another attempt at it has the same name. */
function nameOf({ lineage, ordinal }: Run, previous = ''): string {
  return digestOf([lineage, String(ordinal), previous]);
}

/** A run that another one follows. */
interface Followed {
  readonly name: string;
  /** How many Retries with this name had begun by then, this one among them: one more is somebody else's. */
  readonly begun: number;
}

/** How a run came about. */
export interface Start {
  /** Whether the user pressed Retry. */
  readonly isRetry: boolean;
  /** Whether n8n shows that it was killed in an earlier attempt. */
  readonly followsKill: boolean;
}

/**
 * What n8n's database says of one run of the node, for a re-run after a kill, when the execution itself contains nothing.
 * Such a re-run is also what n8n makes of a waiting execution that it continues twice, for two answers at the same moment.
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
  /** What earlier attempts did. `begun`: they may have sent something, and the list must be asked. */
  private earlier: 'not asked' | 'none before' | 'nothing' | 'begun' = 'not asked';
  /** What they may have sent of which nothing is known: messages that are not in the plan, or all. */
  private doubt: 'none' | 'others' | 'all' = 'none';
  /** Whether requests of this run have left, and whether that is noted. */
  private requests: 'none' | 'left' | 'noted' = 'none';
  /** Whether a request left, or may leave, that a re-run would not find. */
  private gap: 'none' | 'to be noted' | 'noted' = 'none';
  private started: Promise<unknown> = Promise.resolve();
  private plan: Plan | null = null;
  /** The runs that this one follows, the latest first: a Retry of any of their executions must know of this one. */
  private readonly followed: readonly Followed[];
  /** Its number among the Retries with this name, from 1; 0 for a run that is no Retry. */
  private retry = 0;

  /** @param previous the {@link line} of the run that this one follows */
  constructor(
    private readonly facts: Facts,
    run: Run,
    previous: readonly string[],
  ) {
    this.followed = previous.map((text) => {
      const [name = '', begun] = text.split(':');
      return { name, begun: Number(begun ?? 0) };
    });
    this.run = nameOf(run, this.followed[0]?.name);
    this.firstRun = nameOf({ ...run, ordinal: 0 });
    this.incomplete = incompleteOf(this.run);
  }

  /** Whether an earlier attempt may have sent something. */
  get hasBegun(): boolean {
    return this.earlier === 'begun';
  }

  /**
   * Notes that an attempt has started.
   * @returns whether earlier ones may have sent messages of which the list knows nothing: n8n was killed in one, or the user
   * has retried an older execution in the meantime
   */
  async start({ isRetry, followsKill }: Start): Promise<boolean> {
    this.facts.runStarted();
    // Retry On Fail: what the attempt before has noted stays valid.
    if (this.earlier !== 'not asked') return false;
    this.earlier = isRetry ? 'nothing' : 'none before';
    try {
      if (isRetry) return await this.startAgain(followsKill);
      this.started = this.startOnce().catch(() => this.breaks());
      return false;
    } catch {
      this.breaks();
      return followsKill;
    }
  }

  private async startAgain(followsKill: boolean): Promise<boolean> {
    const own = [this.run, this.firstRun, retryOf(this.run, 1)];
    const others = this.followed.map(({ name, begun }) => retryOf(name, begun + 1));
    const [run, firstRun, firstRetry, ...since] = await this.facts.ask([...own, ...others]);
    this.retry = firstRetry === 'unknown' ? 1 : await this.nextRetry();
    if (since.some((retry) => retry !== 'unknown')) {
      await this.noteGap();
      return true;
    }
    if (run !== 'unknown') {
      if (run === 'open') this.earlier = 'begun';
      return false;
    }
    if (!followsKill || firstRun !== 'unknown') {
      await this.facts.record({ note: [this.run] });
      return false;
    }
    await this.noteGap();
    return true;
  }

  private async noteGap(): Promise<void> {
    await this.facts.record({ open: [this.run], note: [this.incomplete] });
    this.gap = 'noted';
  }

  private async nextRetry(): Promise<number> {
    for (let retry = 2; ; retry += 1) {
      const [state] = await this.facts.ask([retryOf(this.run, retry)]);
      if (state === 'unknown') return retry;
    }
  }

  /** A run that is no Retry and has begun before is one of an execution that n8n continues for the second time. */
  private async startOnce(): Promise<void> {
    if ((await this.facts.noteIfUnknown(this.run)) !== 'open') return;
    this.earlier = 'begun';
  }

  private breaks(): void {
    this.gap = 'to be noted';
  }

  /** Before the next run of the execution: a re-run must not take this one for a run that was not begun. */
  leaveBehind(): void {
    if (this.gap !== 'to be noted' || this.requests === 'none') return;
    void this.facts.record({ open: this.runs, note: this.gapNotes() }).catch(() => undefined);
  }

  /**
   * Finds what is known of these messages, and takes them for those of the run.
   * @param firstBatch the number of the first batch
   */
  async recall(question: Question, pending: readonly Message[], firstBatch: number): Promise<Recollection> {
    await this.started;
    const { batchSize, sendUncertainAgain } = question;
    if (this.plan !== null && this.doubt !== 'all') {
      // A message that had no account in the first try is not in its plan, but the killed attempt may have sent it.
      const known = { ...SENT_NOTHING, mayHaveSentOthers: this.doubt === 'others' };
      return divide(pending, this.plan, known, sendUncertainAgain);
    }
    const plan = planOf(this.run, pending);
    this.plan = plan;
    if (this.earlier !== 'begun') {
      plan.pack(batchSize, firstBatch);
      return nothingKnown(pending);
    }
    const known = await askEarlier(this.facts, plan, this.incomplete, question, firstBatch).catch(() => {
      this.breaks();
      return null;
    });
    if (known === null) {
      // What this attempt can't read, or can't address to an account, the next one may.
      this.gap = 'to be noted';
      plan.pack(batchSize, firstBatch);
      for (const unit of plan.units) Object.assign(unit, { state: 'open', mayHaveSent: true });
    }
    this.doubt = known === null ? 'all' : known.mayHaveSentOthers ? 'others' : 'none';
    return divide(pending, plan, known ?? MAY_HAVE_SENT_ANYTHING, sendUncertainAgain);
  }

  /**
   * Resolves once a re-run would know that this request has left.
   * @returns whether another process has begun it, which runs another attempt
   * @throws where that can't be stored: then the request must not leave, and {@link afterReply} is to be called with null
   */
  async beforeRequest(batch: Batch): Promise<boolean> {
    await this.started;
    const found = this.unitsOf(batch.messages);
    if (found.includes(undefined) && this.gap === 'none') this.gap = 'to be noted';
    const units = distinct(found);
    for (const unit of units) unit.inFlight += 1;
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
    // Another process may have written back what this one has opened and retracted before: that is nobody else's.
    const isNew = ({ state, opening }: Unit) => state === 'unknown' && opening === null;
    const begin = units.filter(isNew).map(({ fact }) => fact);
    const open = units.filter((unit) => !isNew(unit)).map(({ fact }) => fact);
    for (const unit of units) unit.state = 'open';
    if (isFirst) this.requests = 'left';
    // Not each time: if the list has become too long, these must go before the facts of any request.
    const own = isFirst || this.gap === 'to be noted' ? this.runs : [];
    const begins = isFirst ? [...this.retries, ...(this.plan?.notes ?? []), ...this.previousIncomplete] : [];
    const note = [...begins, ...this.gapNotes()];
    const isTaken = await this.facts.record({ begin, open: [...own, ...open], note });
    this.facts.releaseWhenFound([...own, ...note]);
    this.requests = 'noted';
    if (note.includes(this.incomplete)) this.gap = 'noted';
    return isTaken;
  }

  private unitsOf(messages: readonly Message[]): ReadonlyArray<Unit | undefined> {
    return this.plan?.unitsOf(messages) ?? messages.map(() => undefined);
  }

  private gapNotes(): string[] {
    return this.gap === 'to be noted' ? [this.incomplete, ...this.previousIncomplete] : [];
  }

  /** For a run that follows this one: it and the runs that it follows, the latest first. None contains a space. */
  get line(): readonly string[] {
    const begun = this.requests === 'none' ? Math.max(0, this.retry - 1) : this.retry;
    return [{ name: this.run, begun }, ...this.followed].map((each) => `${each.name}:${each.begun}`);
  }

  /** Its name, and those of the runs that it follows. */
  private get runs(): readonly string[] {
    return [this.run, ...this.followed.map(({ name }) => name)];
  }

  /** For messages of this run, the previous ones have no facts. */
  private get previousIncomplete(): string[] {
    return this.followed.map(({ name }) => incompleteOf(name));
  }

  private get retries(): string[] {
    return this.retry === 0 ? [] : [retryOf(this.run, this.retry)];
  }

  /** @param reply null where the request did not leave after all */
  afterReply(batch: Batch, reply: Reply | null): void {
    const isSafe = reply === null || reply.kind === 'rejected';
    for (const unit of distinct(this.unitsOf(batch.messages))) {
      unit.inFlight -= 1;
      if (!isSafe) unit.mayHaveSent = true;
      if (unit.inFlight > 0 || unit.mayHaveSent || unit.state !== 'open') continue;
      unit.state = 'unknown';
      this.facts.retract([unit.fact]);
    }
  }

  /** Notes outcomes. What other executions sent counts as not sent: a re-run finds it again. */
  settle(results: readonly Result[]): void {
    const units = this.unitsOf(results.map(({ message }) => message));
    results.forEach(({ message, outcome }, index) => {
      const unit = units[index];
      if (unit === undefined) return;
      unit.unsettled -= 1;
      if (outcome.kind === 'uncertain') unit.isUncertain = true;
      else if (outcome.kind !== 'sent') unit.unsent.push(message);
      else if (unit.exceptions.size > 0) this.resolve(unit, message);
    });
    for (const unit of distinct(units)) if (unit.unsettled === 0) this.finish(unit);
  }

  /** What was not sent before is sent now; in the list, the unit is open meanwhile. */
  private resolve(unit: Unit, message: Message): void {
    const exception = unit.exceptionOf(message);
    this.facts.retract([exception]);
    unit.exceptions.delete(exception);
  }

  /** Notes which messages of a unit were sent. One with an uncertain message stays open. */
  private finish(unit: Unit): void {
    if (unit.state !== 'open' || !unit.mayHaveSent || unit.isUncertain) return;
    for (const message of unit.unsent) unit.exceptions.add(unit.exceptionOf(message));
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
    const { plan } = this;
    const units = plan?.units ?? [];
    const facts = units.map(({ fact }) => fact);
    // Another process may be at a Retry of the same execution: it must find what this one has begun.
    const isAllSent =
      this.earlier === 'none before' &&
      plan !== null &&
      units.length > 0 &&
      units.every(({ state, exceptions }) => state === 'noted' && exceptions.size === 0);
    const written = isAllSent
      ? this.facts.replace([plan.packing, ...facts], plan.allSent).catch(() => undefined)
      : this.facts.whenWritten();
    const ended = written.then(() => {
      const notes = [...this.runs, ...this.retries, this.incomplete, ...this.previousIncomplete];
      this.facts.release([...notes, ...(plan === null ? [] : [plan.allSent, ...plan.notes]), ...facts]);
      this.facts.runEnded();
    });
    if (!isAllSent) await ended;
  }
}

function distinct(units: ReadonlyArray<Unit | undefined>): readonly Unit[] {
  // Nearly all messages have the unit of the one before.
  const changes = units.filter((unit, index) => unit !== units[index - 1]);
  return [...new Set(changes)].filter((unit) => unit !== undefined);
}

function incompleteOf(run: string): string {
  return `${run} incomplete`;
}

/** Noted once a Retry with this name and number has begun. */
function retryOf(run: string, retry: number): string {
  return `${run} retry ${retry}`;
}
