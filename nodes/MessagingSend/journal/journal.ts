import type { Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import type { Batch, Message } from '../messages/message';
import { type Outcome, type Receipt, receiptOf, type Result } from '../messages/outcome';
import type { Attempt } from './crash/attempt';
import type { CrashLedger } from './crash/crashLedger';
import { divide, type Intent, type Memory, type Recalled, WITHOUT_RECEIPT } from './recall';
import type { DeliveryRecord } from './record/deliveryRecord';
import type { Reservations, Taken } from './sendOnce/reservations';

export type Permission =
  | { readonly kind: 'leave' }
  /** Some of its messages are settled without this request: other executions sent them, or may have. */
  | { readonly kind: 'taken'; readonly receipt: Receipt }
  /** Another run of this process has some of its messages in flight. Ask again in a moment. */
  | { readonly kind: 'wait' }
  /** It can't be known whether its messages were sent before: none of them may leave. */
  | { readonly kind: 'refused'; readonly failure: Failure };

const NOT_STORED = { kind: 'refused', failure: failure('notReserved') } as const;

const NONE: Taken = new Map();

const UNSENT: Outcome = { kind: 'not_sent', failure: NOT_STORED.failure };
const SENT_BEFORE: Outcome = { kind: 'skipped', reason: 'sent_before' };
const RESERVED: Outcome = { kind: 'uncertain', failure: failure('reserved') };
const IN_FLIGHT: Outcome = { kind: 'uncertain', failure: failure('stoppedInFlight') };

/** What the requests to one account ask and note; all that dispatching knows of the journal. */
export class AccountJournal {
  /** From when its request may leave until it has ended, a batch may have been sent. */
  private readonly inFlight = new Set<Batch>();

  /**
   * @param attempt null where n8n's database keeps nothing for the run
   * @param reservations what has been sent from the account in all executions; null where that does not matter
   * @param again messages that an earlier attempt may have sent, with the reason why nobody knows
   */
  constructor(
    private readonly record: DeliveryRecord,
    private readonly attempt: Attempt | null,
    readonly reservations: Reservations | null,
    private readonly again: Recalled['again'],
  ) {}

  /** Leaves out what other executions have sent, or may have. Where n8n's database does not answer, nothing is left. */
  async recall(messages: readonly Message[]): Promise<Pick<Recalled, 'receipts' | 'pending'>> {
    try {
      const taken = await this.reservations?.find(messages);
      if (taken === undefined || taken.size === 0) return { receipts: [], pending: messages };
      return { receipts: [this.skipTaken(taken)], pending: messages.filter((message) => !taken.has(message)) };
    } catch {
      const results = messages.map((message) => ({ message, outcome: UNSENT }));
      return { receipts: [this.withTruth({ batch: null, results, data: null })], pending: [] };
    }
  }

  /**
   * Resolves once what a re-run must know is stored. A request that is repeated asks again.
   * Never rejects. After `leave`, call {@link afterReply} exactly once.
   */
  async beforeRequest(batch: Batch): Promise<Permission> {
    const { attempt, reservations } = this;
    if (reservations?.mustWait(batch.messages) === true) return { kind: 'wait' };
    this.inFlight.add(batch);
    // Both at the same time: the list writes them together.
    const [taken, isTaken] = await Promise.all([
      reservations?.reserve(batch.messages).catch(() => null) ?? NONE,
      attempt?.begin(batch.messages).catch(() => null) ?? false,
    ]);
    if (taken?.size === 0 && isTaken === false) return { kind: 'leave' };
    this.inFlight.delete(batch);
    if (taken?.size === 0) reservations?.giveUp(batch.messages);
    if (taken === null || isTaken === null) return NOT_STORED;
    if (taken.size === 0) return { kind: 'refused', failure: failure('anotherAttempt') };
    if (reservations?.mustWait(batch.messages) === true) return { kind: 'wait' };
    return { kind: 'taken', receipt: this.skipTaken(taken) };
  }

  /** @param reply null where the request did not leave after all */
  afterReply(batch: Batch, reply: Reply | null): void {
    this.inFlight.delete(batch);
    if (reply === null) this.reservations?.giveUp(batch.messages);
  }

  /**
   * Notes the outcomes of messages, each of which is settled once.
   * @returns the receipt with what is true of each: what an earlier attempt may have sent stays uncertain until it is sent
   */
  settle(receipt: Receipt): Receipt {
    const settled = this.skip(receipt);
    this.record.note(settled);
    return settled;
  }

  /** The same for messages that are skipped: the execution keeps nothing of them. */
  skip(receipt: Receipt): Receipt {
    const settled = this.withTruth(receipt);
    this.attempt?.settle(settled.results);
    this.reservations?.settle(settled.results);
    return settled;
  }

  /** Not in the delivery record: in a re-run, the other execution may have ended. */
  private skipTaken(taken: Taken): Receipt {
    const results = Array.from(taken, ([message, state]) => {
      return { message, outcome: state === 'noted' ? SENT_BEFORE : RESERVED };
    });
    this.attempt?.settle(results);
    return { batch: null, results, data: null };
  }

  noteInFlight(): void {
    for (const batch of this.inFlight) this.record.note(receiptOf(batch, IN_FLIGHT));
  }

  /** A message that may have been sent before is not "not sent" because a new attempt was rejected, or left it out. */
  private withTruth(receipt: Receipt): Receipt {
    if (this.again.size === 0) return receipt;
    const results = receipt.results.map(({ message, outcome }) => {
      const isUnsent = outcome.kind === 'not_sent' || outcome.kind === 'skipped';
      const earlier = isUnsent ? this.again.get(message) : undefined;
      return { message, outcome: earlier === undefined ? outcome : ({ kind: 'uncertain', failure: earlier } as const) };
    });
    return { ...receipt, results };
  }
}

/**
 * What was sent before, and may not leave again. One question is asked of it: may this message leave now? Its memories
 * are the delivery record (in the execution), the crash ledger and the reservations (in n8n's database), and all of them
 * must allow it.
 */
export class Journal {
  private recalled: { readonly again: Recalled['again']; readonly attempt: Attempt | null } = NOT_RECALLED;
  private readonly accounts = new Map<string, AccountJournal>();

  /**
   * @param crash null where n8n's database keeps nothing for the run
   * @param reservationsOf what has been sent from an account in all executions; absent where that does not matter
   */
  constructor(
    private readonly record: DeliveryRecord,
    private readonly crash: CrashLedger | null = null,
    private readonly reservationsOf?: (account: string, earlier: Recalled['again']) => Reservations,
  ) {}

  /** Whether the execution shows no earlier attempt that sent something. */
  get isNew(): boolean {
    return this.record.isEmpty && this.crash?.isRetry !== true;
  }

  /** Divides messages by whether they may leave. */
  async recall(intent: Intent): Promise<Recalled> {
    const { record, crash } = this;
    const { recorded, lastBatch } = record.recall(intent);
    const asked = crash === null ? NO_LEDGER : await crash.recall(intent).catch(() => null);
    if (asked === null) {
      // Nothing leaves, and nothing is noted: the next attempt asks again.
      const unasked = notAsked(crash?.isRetry === true);
      return { ...divide({ ...intent, sendUncertainAgain: false }, recorded, unasked), lastBatch };
    }
    const { listed, attempt } = asked;
    const { messages: pending, unsendable } = intent;
    const isNew = recorded === null && listed === null;
    const nothing = { receipts: [], pending, again: NOT_RECALLED.again, unsendable };
    const recalled = isNew ? nothing : divide(intent, recorded, listed);
    this.recalled = { again: recalled.again, attempt };
    const known = recalled.receipts.flatMap(({ results }) => results);
    for (const { message, outcome } of known) if (outcome.kind === 'sent') attempt?.wasSent(message);
    const again = Array.from(recalled.again, ([message, why]): Result => {
      return { message, outcome: { kind: 'uncertain', failure: why } };
    });
    // The record is about to contain the attempts that the ledger knows of.
    const toNote = [...known, ...again].filter(({ message, outcome }) => {
      return listed?.pastOf(message) !== undefined && recorded?.pastOf(message)?.outcome.kind !== outcome.kind;
    });
    if (toNote.length > 0) record.note({ batch: null, results: toNote, data: null });
    return { ...recalled, lastBatch };
  }

  /** The same for messages that are skipped before it is known from which account. */
  skip(receipt: Receipt): Receipt {
    return this.withReservations(null).skip(receipt);
  }

  of(account: string): AccountJournal {
    const known = this.accounts.get(account);
    const journal = known ?? this.withReservations(this.reservationsOf?.(account, this.recalled.again) ?? null);
    this.accounts.set(account, journal);
    return journal;
  }

  private withReservations(reservations: Reservations | null): AccountJournal {
    const { again, attempt } = this.recalled;
    return new AccountJournal(this.record, attempt, reservations, again);
  }

  /** n8n stores the execution as soon as Stop is pressed, so what is in flight is noted before its reply. */
  noteInFlight(): void {
    for (const account of this.accounts.values()) account.noteInFlight();
  }

  /** Called when every message has its outcome. @param isAllSent whether nothing will be run again */
  conclude(isAllSent: boolean): void {
    if (isAllSent) this.record.clear();
  }

  /** Called when the attempt has ended, however. Resolves once what it leaves for others is stored. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.accounts.values(), async ({ reservations }) => await reservations?.end()));
    await this.recalled.attempt?.end();
    await this.crash?.end();
  }
}

const NOT_RECALLED: { again: Recalled['again']; attempt: null } = { again: new Map(), attempt: null };
const NO_LEDGER = { listed: null, attempt: null };

/** Where n8n's database can't be asked, a Retry may have anything sent before it. */
function notAsked(isRetry: boolean): Memory {
  const outcome: Outcome = isRetry
    ? { kind: 'uncertain', failure: failure('notAsked') }
    : { kind: 'not_sent', failure: NOT_STORED.failure };
  return { pastOf: () => ({ outcome, receipt: WITHOUT_RECEIPT, isRepeatable: false }), mayHaveSent: () => isRetry };
}
