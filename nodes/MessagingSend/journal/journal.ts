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
  /** Some of its messages are settled without it: kept back, or sent (or reserved) by other executions. */
  | { readonly kind: 'taken'; readonly receipt: Receipt }
  /** Another run of this process has some of its messages in flight. Ask again in a moment. */
  | { readonly kind: 'wait' }
  /** None of its messages may leave: another attempt has them, or n8n's database didn't take the note. */
  | { readonly kind: 'refused'; readonly failure: Failure };

const NOT_STORED = { kind: 'refused', failure: failure('notReserved') } as const;

const NONE: Taken = new Map();

const UNSENT: Outcome = { kind: 'not_sent', failure: NOT_STORED.failure };
const SENT_BEFORE: Outcome = { kind: 'skipped', reason: 'sent_before' };
const RESERVED: Outcome = { kind: 'uncertain', failure: failure('reserved') };
const IN_FLIGHT: Outcome = { kind: 'uncertain', failure: failure('stoppedInFlight') };

/** The journal of one account: the only part that dispatching uses. */
export class AccountJournal {
  /** Batches whose requests may be on their way; on Stop, they are noted as uncertain. */
  private readonly inFlight = new Set<Batch>();

  /**
   * @param attempt null if n8n's database keeps nothing for the run
   * @param reservations what all executions have sent from the account; null if each may send it again
   * @param again messages that an earlier attempt may have sent, with the reason for the doubt
   */
  constructor(
    private readonly record: DeliveryRecord,
    private readonly attempt: Attempt | null,
    readonly reservations: Reservations | null,
    private readonly again: Recalled['again'],
  ) {}

  /** Takes out messages that other executions sent or reserved; all of them if n8n's database doesn't answer. */
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
   * Resolves once everything that a re-run must know is stored. Called again when the request is repeated.
   * Never rejects. After `leave`, call {@link afterReply} exactly once.
   */
  async beforeRequest(batch: Batch): Promise<Permission> {
    const { attempt, reservations } = this;
    if (reservations?.mustWait(batch.messages) === true) return { kind: 'wait' };
    this.inFlight.add(batch);
    // Started together, so that the list writes both at once.
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

  /** @param reply null if the request did not leave after all */
  afterReply(batch: Batch, reply: Reply | null): void {
    this.inFlight.delete(batch);
    if (reply === null) this.reservations?.giveUp(batch.messages);
  }

  /**
   * Notes the outcomes of messages, each settled once.
   * @returns the receipt, in which messages that an earlier attempt may have sent are uncertain until they are sent
   */
  settle(receipt: Receipt): Receipt {
    const settled = this.skip(receipt);
    this.record.note(settled);
    return settled;
  }

  /** Like {@link settle}, but for skipped messages, which the delivery record leaves out. */
  skip(receipt: Receipt): Receipt {
    const settled = this.withTruth(receipt);
    this.attempt?.settle(settled.results);
    this.reservations?.settle(settled.results);
    return settled;
  }

  /** Not noted in the delivery record: by the time of a re-run, the other execution may have ended. */
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

  /** A new attempt that was rejected or skipped proves nothing about an earlier one that may have sent the message. */
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
 * Remembers what was sent before and must not leave again. It answers one question: may this message leave now? All its
 * memories must agree: the delivery record (in the execution), the crash ledger and the reservations (in n8n's
 * database).
 */
export class Journal {
  private recalled: { readonly again: Recalled['again']; readonly attempt: Attempt | null } = NOT_RECALLED;
  private readonly accounts = new Map<string, AccountJournal>();

  /**
   * @param crash null if n8n's database keeps nothing for the run
   * @param reservationsOf what all executions have sent from an account; absent if each may send it again
   */
  constructor(
    private readonly record: DeliveryRecord,
    private readonly crash: CrashLedger | null = null,
    private readonly reservationsOf?: (account: string, earlier: Recalled['again']) => Reservations,
  ) {}

  /** Whether nothing shows that an earlier attempt sent something. */
  get isNew(): boolean {
    return this.record.isEmpty && this.crash?.isRetry !== true;
  }

  /** Divides messages into those that may leave and those with an outcome. */
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
    const recalled = divide(intent, recorded, listed);
    this.recalled = { again: recalled.again, attempt };
    const known = recalled.receipts.flatMap(({ results }) => results);
    for (const { message, outcome } of known) if (outcome.kind === 'sent') attempt?.wasSent(message);
    const again = Array.from(recalled.again, ([message, why]): Result => {
      return { message, outcome: { kind: 'uncertain', failure: why } };
    });
    // From now on the record counts these attempts as its own (`attempts`), so it needs their outcomes.
    const toNote = [...known, ...again].filter(({ message, outcome }) => {
      return listed?.pastOf(message) !== undefined && recorded?.pastOf(message)?.outcome.kind !== outcome.kind;
    });
    if (toNote.length > 0) record.note({ batch: null, results: toNote, data: null });
    return { ...recalled, lastBatch };
  }

  /** Like {@link AccountJournal.skip}, for messages whose account is not known yet. */
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

  /** n8n stores the execution as soon as Stop is pressed, so batches in flight are noted before their replies. */
  noteInFlight(): void {
    for (const account of this.accounts.values()) account.noteInFlight();
  }

  /** Called when every message has its outcome. @param isAllSent whether a re-run would have nothing to do */
  conclude(isAllSent: boolean): void {
    if (isAllSent) this.record.clear();
  }

  /** Called when the attempt has ended in any way. Resolves once everything that others need is stored. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.accounts.values(), async ({ reservations }) => await reservations?.end()));
    await this.recalled.attempt?.end();
    await this.crash?.end();
  }
}

const NOT_RECALLED: { again: Recalled['again']; attempt: null } = { again: new Map(), attempt: null };
const NO_LEDGER = { listed: null, attempt: null };

/** If n8n's database can't be asked, a Retry must assume that earlier attempts may have sent everything. */
function notAsked(isRetry: boolean): Memory {
  const outcome: Outcome = isRetry
    ? { kind: 'uncertain', failure: failure('notAsked') }
    : { kind: 'not_sent', failure: NOT_STORED.failure };
  return { pastOf: () => ({ outcome, receipt: WITHOUT_RECEIPT, isRepeatable: false }), mayHaveSent: () => isRetry };
}
