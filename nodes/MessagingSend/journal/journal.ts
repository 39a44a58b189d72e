import type { Reply } from '../api/reply';
import { type Failure, failure } from '../failures/failure';
import { type Batch, type Message, unsendable } from '../messages/message';
import { type Outcome, type Receipt, receiptOf, receiptsOf, type Result } from '../messages/outcome';
import type { CrashLedger, Recollection } from './crash/crashLedger';
import type { DeliveryRecord, Intent, Recalled } from './record/deliveryRecord';
import type { Reservations, Taken } from './sendOnce/reservations';

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

/** What the requests to one account ask and note; all that dispatching knows of the journal. */
export interface AccountJournal {
  readonly recall: (messages: readonly Message[]) => Promise<RecalledSent>;
  /**
   * Resolves once what a re-run must know is stored. A request that is repeated asks again.
   * Never rejects. After `leave`, call {@link afterReply} exactly once.
   */
  readonly beforeRequest: (batch: Batch) => Promise<Permission>;
  /** @param reply null where the request did not leave after all */
  readonly afterReply: (batch: Batch, reply: Reply | null) => void;
  /**
   * Notes the outcomes of messages, each of which is settled once.
   * @returns the receipt with what is true of each: what an earlier attempt may have sent stays uncertain until it is sent
   */
  readonly settle: (receipt: Receipt) => Receipt;
  /** The same for messages that are skipped: nothing of them is remembered. */
  readonly skip: (receipt: Receipt) => Receipt;
}

/** The memories of a run, and what the journal needs of its surroundings. */
export interface Memories {
  readonly record: DeliveryRecord;
  /** null where n8n's database keeps nothing for the run. */
  readonly crash: CrashLedger | null;
  /** What has been sent from an account in all executions; null where that does not matter. */
  readonly reservationsOf: (account: string) => Reservations | null;
  /** Waits for a promise for as long as a message may wait. */
  readonly patiently: (promise: Promise<void>) => Promise<void>;
}

/**
 * What was sent before, and may not leave again. One question is asked of it: may this message leave now? Its memories
 * are the delivery record (in the execution), the crash ledger and the reservations (in n8n's database), and all of them
 * must allow it.
 */
export class Journal {
  private again: ReadonlyMap<Message, Failure> = new Map();
  /** Whether an earlier attempt may have sent messages of which nothing else is known. */
  private mayHaveSentOthers = false;
  private readonly reservations = new Map<string, Reservations | null>();

  constructor(private readonly memories: Memories) {}

  /** Whether nothing of this run has an outcome, or can have lost one. */
  get isEmpty(): boolean {
    return this.memories.record.isEmpty && this.memories.crash?.hasBegun !== true;
  }

  /** Divides messages by whether they may leave. */
  async recall(intent: Intent): Promise<Recalled> {
    const recorded = this.memories.record.recall(intent);
    this.again = recorded.again;
    const { results, again, hadOthers } = await this.recallCrashed(intent, recorded);
    const done = new Set(results.map(({ message }) => message));
    this.mayHaveSentOthers = hadOthers;
    this.again = new Map([...recorded.again, ...again]);
    return {
      receipts: [...recorded.receipts, ...receiptsOf(results)],
      pending: done.size === 0 ? recorded.pending : recorded.pending.filter((message) => !done.has(message)),
      again: this.again,
      lastBatch: recorded.lastBatch,
      unsendable: hadOthers
        ? recorded.unsendable.map((draft) => unsendable(draft, draft.failure, 'uncertain'))
        : recorded.unsendable,
    };
  }

  private async recallCrashed(intent: Intent, { receipts, pending }: Recalled): Promise<Recollection> {
    const { record, crash } = this.memories;
    if (crash === null) return NOTHING_KNOWN;
    const known = receipts.flatMap(({ results }) => results);
    const sent = new Set(known.filter(({ outcome }) => outcome.kind === 'sent').map(({ message }) => message));
    try {
      const crashed = await crash.recall(intent, { pending, sent });
      const uncertain = Array.from(crashed.again, ([message, why]): Result => {
        return { message, outcome: { kind: 'uncertain', failure: why } };
      });
      for (const receipt of receiptsOf([...crashed.results, ...uncertain])) record.note(receipt);
      return crashed;
    } catch {
      // Not noted: the next attempt asks again.
      const outcome: Outcome = crash.isRetry
        ? { kind: 'uncertain', failure: failure('notAsked') }
        : { kind: 'not_sent', failure: NOT_STORED.failure };
      const results = pending.map((message): Result => ({ message, outcome: this.truthOf(message, outcome) }));
      return { results, again: new Map(), hadOthers: crash.isRetry };
    }
  }

  /** Leaves out what other executions have sent, or may have. Where n8n's database does not answer, nothing is left. */
  private async recallSent(reservations: Reservations | null, messages: readonly Message[]): Promise<RecalledSent> {
    if (reservations === null) return { receipts: [], pending: messages };
    try {
      const taken = await reservations.find(messages);
      if (taken.size === 0) return { receipts: [], pending: messages };
      return { receipts: [this.skipped(taken)], pending: messages.filter((message) => !taken.has(message)) };
    } catch {
      const unsent: Outcome = { kind: 'not_sent', failure: NOT_STORED.failure };
      return {
        receipts: [this.withTruth({ ...receiptOf({ number: 0, messages }, unsent), batch: null })],
        pending: [],
      };
    }
  }

  /** Notes messages that are skipped. Nothing of them is remembered. */
  skip(receipt: Receipt, reservations: Reservations | null = null): Receipt {
    const settled = this.withTruth(receipt);
    this.memories.crash?.settle(settled.results);
    reservations?.settle(settled.results);
    return settled;
  }

  of(account: string): AccountJournal {
    const { record, crash } = this.memories;
    const known = this.reservations.get(account);
    const reservations = known === undefined ? this.memories.reservationsOf(account) : known;
    if (known === undefined) reservations?.takeOver(this.again);
    this.reservations.set(account, reservations);
    return {
      recall: async (messages) => await this.recallSent(reservations, messages),
      beforeRequest: async (batch) => {
        record.inFlight.add(batch);
        // Both at the same time: the list writes them together.
        const [reserved, isTaken] = await Promise.all([
          reservations?.reserve(batch.messages).catch(() => NOT_STORED),
          crash?.beforeRequest(batch).catch(() => NOT_STORED),
        ]);
        if ((reserved === undefined || reserved.kind === 'reserved') && (isTaken === undefined || isTaken === false)) {
          return { kind: 'leave' };
        }
        record.inFlight.delete(batch);
        crash?.afterReply(batch, null);
        if (isTaken === NOT_STORED && reserved?.kind === 'reserved') reservations?.giveUp(batch.messages);
        if (reserved === NOT_STORED || isTaken === NOT_STORED) return NOT_STORED;
        switch (reserved?.kind) {
          case 'taken':
            return { kind: 'taken', receipt: this.skipped(reserved.taken) };
          case 'inFlight':
            return { kind: 'wait', until: this.memories.patiently(reserved.settled) };
          default:
            reservations?.giveUp(batch.messages);
            return { kind: 'refused', failure: failure('anotherAttempt') };
        }
      },
      afterReply: (batch, reply) => {
        record.inFlight.delete(batch);
        crash?.afterReply(batch, reply);
        if (reply === null) reservations?.giveUp(batch.messages);
      },
      settle: (receipt) => {
        const settled = this.skip(receipt, reservations);
        record.note(settled);
        return settled;
      },
      skip: (receipt) => this.skip(receipt, reservations),
    };
  }

  /** n8n stores the execution as soon as Stop is pressed, so what is in flight is noted before its reply. */
  noteInFlight(): void {
    this.memories.record.noteInFlight();
  }

  /**
   * Called when every message has its outcome.
   * @param isAllSent whether nothing will be run again
   */
  conclude(isAllSent: boolean): void {
    const { record, crash } = this.memories;
    if (isAllSent) {
      record.clear();
      return;
    }
    // What an earlier attempt with other messages has sent is not in the record, which now counts as containing it.
    if (this.mayHaveSentOthers && crash?.hasSent === true) record.markInterrupted();
    record.endAttempt();
  }

  /** Called when the attempt has ended, however. Resolves once what it leaves for others is stored. */
  async end(): Promise<void> {
    await Promise.all([...this.reservations.values()].map(async (reservations) => await reservations?.end()));
    await this.memories.crash?.end();
  }

  /** Not noted in the delivery record: in a re-run, the other execution may have ended. */
  private skipped(taken: Taken): Receipt {
    const outcomeOf = (message: Message): Outcome =>
      taken.get(message) === 'noted' ? SENT_BEFORE : { kind: 'uncertain', failure: failure('reserved') };
    const results = [...taken.keys()].map((message) => ({ message, outcome: outcomeOf(message) }));
    return { batch: null, results, data: null };
  }

  private withTruth(receipt: Receipt): Receipt {
    if (this.again.size === 0) return receipt;
    const results = receipt.results.map(({ message, outcome }) => ({
      message,
      outcome: this.truthOf(message, outcome),
    }));
    return { ...receipt, results };
  }

  /** A message that may have been sent before is not "not sent" because a new attempt was rejected, or left it out. */
  private truthOf(message: Message, outcome: Outcome): Outcome {
    const isUnsent = outcome.kind === 'not_sent' || outcome.kind === 'skipped';
    const earlier = isUnsent ? this.again.get(message) : undefined;
    return earlier === undefined ? outcome : { kind: 'uncertain', failure: earlier };
  }
}

const NOT_STORED = { kind: 'refused', failure: failure('notReserved') } as const;

const SENT_BEFORE: Outcome = { kind: 'skipped', reason: 'sent_before' };

const NOTHING_KNOWN: Recollection = { results: [], again: new Map(), hadOthers: false };
