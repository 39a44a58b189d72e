import type { Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import type { Batch, Message } from '../messages/message';
import { type Outcome, type Receipt, receiptOf, type Result } from '../messages/outcome';
import type { Attempt } from './crash/attempt';
import type { CrashLedger } from './crash/crashLedger';
import { divide, type Intent, type Memory, type Recalled, WITHOUT_RECEIPT } from './recall';
import type { DeliveryRecord } from './record/deliveryRecord';
import type { Earlier, Reservations, Taken } from './sendOnce/reservations';

export type Permission =
  | { readonly kind: 'leave' }
  /** Some of its messages are settled without this request: other executions sent them, or may have. */
  | { readonly kind: 'taken'; readonly receipt: Receipt }
  /** Another run of this process has some of its messages in flight. Ask again once `until` resolves; it never rejects. */
  | { readonly kind: 'wait'; readonly until: Promise<void> }
  /** It can't be known whether its messages were sent before: none of them may leave. */
  | { readonly kind: 'refused'; readonly failure: Failure };

/** What is left of messages when those that other executions have sent, or may have, are taken out. */
interface RecalledSent {
  readonly receipts: readonly Receipt[];
  readonly pending: readonly Message[];
}

/** The memories of the requests to one account. */
export interface AccountMemories {
  readonly record: DeliveryRecord;
  /** null where n8n's database keeps nothing for the run. */
  readonly attempt: Attempt | null;
  /** What has been sent from the account in all executions; null where that does not matter. */
  readonly reservations: Reservations | null;
  /** Waits for a promise for as long as a message may wait. */
  readonly patiently: (promise: Promise<void>) => Promise<void>;
}

const NOT_STORED = { kind: 'refused', failure: failure('notReserved') } as const;

const UNSENT: Outcome = { kind: 'not_sent', failure: NOT_STORED.failure };
const SENT_BEFORE: Outcome = { kind: 'skipped', reason: 'sent_before' };
const RESERVED: Outcome = { kind: 'uncertain', failure: failure('reserved') };
const IN_FLIGHT: Outcome = { kind: 'uncertain', failure: failure('stoppedInFlight') };

/** What the requests to one account ask and note; all that dispatching knows of the journal. */
export class AccountJournal {
  /** From when its request may leave until it has ended, a batch may have been sent. */
  private readonly inFlight = new Set<Batch>();

  /** @param again messages that an earlier attempt may have sent, with the reason why nobody knows */
  constructor(
    readonly memories: AccountMemories,
    private readonly again: ReadonlyMap<Message, Failure>,
  ) {}

  /** Leaves out what other executions have sent, or may have. Where n8n's database does not answer, nothing is left. */
  async recall(messages: readonly Message[]): Promise<RecalledSent> {
    try {
      const taken = await this.memories.reservations?.find(messages);
      if (taken === undefined || taken.size === 0) return { receipts: [], pending: messages };
      return { receipts: [skippedOf(taken)], pending: messages.filter((message) => !taken.has(message)) };
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
    const { attempt, reservations } = this.memories;
    this.inFlight.add(batch);
    // Both at the same time: the list writes them together.
    const [reserved, isTaken] = await Promise.all([
      reservations?.reserve(batch.messages).catch(() => NOT_STORED),
      attempt?.begin(batch.messages).catch(() => NOT_STORED),
    ]);
    const isReserved = reserved === undefined || reserved.kind === 'reserved';
    if (isReserved && (isTaken === undefined || isTaken === false)) return { kind: 'leave' };
    this.inFlight.delete(batch);
    attempt?.notSent(batch.messages);
    if (isReserved) reservations?.giveUp(batch.messages);
    if (isTaken === NOT_STORED || reserved?.kind === 'refused') return NOT_STORED;
    if (reserved?.kind === 'taken') return { kind: 'taken', receipt: skippedOf(reserved.taken) };
    if (reserved?.kind === 'inFlight') return { kind: 'wait', until: this.memories.patiently(reserved.settled) };
    return { kind: 'refused', failure: failure('anotherAttempt') };
  }

  /** @param reply null where the request did not leave after all */
  afterReply(batch: Batch, reply: Reply | null): void {
    this.inFlight.delete(batch);
    if (reply === null || reply.kind === 'rejected') this.memories.attempt?.notSent(batch.messages);
    if (reply === null) this.memories.reservations?.giveUp(batch.messages);
  }

  /**
   * Notes the outcomes of messages, each of which is settled once.
   * @returns the receipt with what is true of each: what an earlier attempt may have sent stays uncertain until it is sent
   */
  settle(receipt: Receipt): Receipt {
    const settled = this.skip(receipt);
    this.memories.record.note(settled);
    return settled;
  }

  /** The same for messages that are skipped: nothing of them is remembered. */
  skip(receipt: Receipt): Receipt {
    const settled = this.withTruth(receipt);
    this.memories.attempt?.settle(settled.results);
    this.memories.reservations?.settle(settled.results);
    return settled;
  }

  noteInFlight(): void {
    for (const batch of this.inFlight) this.memories.record.note(receiptOf(batch, IN_FLIGHT));
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

/** Not noted in the delivery record: in a re-run, the other execution may have ended. */
function skippedOf(taken: Taken): Receipt {
  const results = Array.from(taken, ([message, state]) => {
    return { message, outcome: state === 'noted' ? SENT_BEFORE : RESERVED };
  });
  return { batch: null, results, data: null };
}

/** The memories of a run, and what the journal needs of its surroundings. */
export interface Memories extends Pick<AccountMemories, 'record' | 'patiently'> {
  /** null where n8n's database keeps nothing for the run. */
  readonly crash: CrashLedger | null;
  /**
   * What has been sent from an account in all executions; null where that does not matter.
   * @param earlier messages that an earlier attempt of this execution may have sent
   */
  readonly reservationsOf: (account: string, earlier: Earlier) => Reservations | null;
}

/**
 * What was sent before, and may not leave again. One question is asked of it: may this message leave now? Its memories
 * are the delivery record (in the execution), the crash ledger and the reservations (in n8n's database), and all of them
 * must allow it.
 */
export class Journal {
  private recalled: { readonly again: Recalled['again']; readonly attempt: Attempt | null } = NOT_RECALLED;
  private readonly accounts = new Map<string, AccountJournal>();

  constructor(private readonly memories: Memories) {}

  /** Whether nothing of this run has an outcome, or can have lost one. */
  async isEmpty(): Promise<boolean> {
    return this.memories.record.isEmpty && (await this.memories.crash?.hasBegun()) !== true;
  }

  /** Divides messages by whether they may leave. */
  async recall(intent: Intent): Promise<Recalled> {
    const { record, crash } = this.memories;
    const { recorded, lastBatch } = record.recall(intent);
    const asked = crash === null ? NO_LEDGER : await crash.recall(intent).catch(() => null);
    if (asked === null) {
      // Nothing leaves, and nothing is noted: the next attempt asks again.
      const unasked = notAsked(crash?.isRetry === true);
      return { ...divide({ ...intent, sendUncertainAgain: false }, recorded, unasked), lastBatch };
    }
    const { noted, attempt } = asked;
    const { messages: pending, unsendable } = intent;
    const isNew = recorded === null && noted === null;
    const recalled = isNew
      ? { receipts: [], pending, again: NOT_RECALLED.again, unsendable }
      : divide(intent, recorded, noted);
    this.recalled = { again: recalled.again, attempt };
    const known = recalled.receipts.flatMap(({ results }) => results);
    for (const { message, outcome } of known) if (outcome.kind === 'sent') attempt?.wasSent(message);
    const again = Array.from(recalled.again, ([message, why]): Result => {
      return { message, outcome: { kind: 'uncertain', failure: why } };
    });
    // The record is about to contain the attempts that the ledger knows of.
    const toNote = [...known, ...again].filter(({ message, outcome }) => {
      return noted?.pastOf(message) !== undefined && recorded?.pastOf(message)?.outcome.kind !== outcome.kind;
    });
    if (toNote.length > 0) record.note({ batch: null, results: toNote, data: null });
    return { ...recalled, lastBatch };
  }

  /** Notes messages that are skipped before it is known from which account. Nothing of them is remembered. */
  skip(receipt: Receipt): Receipt {
    return this.withReservations(null).skip(receipt);
  }

  of(account: string): AccountJournal {
    const known = this.accounts.get(account);
    const journal = known ?? this.withReservations(this.memories.reservationsOf(account, this.recalled.again));
    this.accounts.set(account, journal);
    return journal;
  }

  private withReservations(reservations: Reservations | null): AccountJournal {
    const { record, patiently } = this.memories;
    const { again, attempt } = this.recalled;
    return new AccountJournal({ record, patiently, reservations, attempt }, again);
  }

  /** n8n stores the execution as soon as Stop is pressed, so what is in flight is noted before its reply. */
  noteInFlight(): void {
    for (const account of this.accounts.values()) account.noteInFlight();
  }

  /**
   * Called when every message has its outcome.
   * @param isAllSent whether nothing will be run again
   */
  conclude(isAllSent: boolean): void {
    if (isAllSent) this.memories.record.clear();
  }

  /** Called when the attempt has ended, however. Resolves once what it leaves for others is stored. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.accounts.values(), async ({ memories }) => await memories.reservations?.end()));
    await this.recalled.attempt?.end();
    await this.memories.crash?.end();
  }
}

const NOT_RECALLED: { again: Recalled['again']; attempt: null } = { again: new Map(), attempt: null };
const NO_LEDGER = { noted: null, attempt: null };

/** Where n8n's database can't be asked, a Retry may have anything sent before it. */
function notAsked(isRetry: boolean): Memory {
  const outcome: Outcome = isRetry
    ? { kind: 'uncertain', failure: failure('notAsked') }
    : { kind: 'not_sent', failure: NOT_STORED.failure };
  return { pastOf: () => ({ outcome, receipt: WITHOUT_RECEIPT, isRepeatable: false }), mayHaveSent: () => isRetry };
}
