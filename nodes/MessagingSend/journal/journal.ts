import { failure } from '../failures/failure';
import type { Outcome, Receipt, Result } from '../messages/outcome';
import { AccountJournal, type AccountMemories, NOT_STORED } from './accountJournal';
import type { Attempt } from './crash/attempt';
import type { CrashLedger } from './crash/crashLedger';
import { divide, type Intent, type Memory, NOTHING_KNOWN, type Recalled, WITHOUT_RECEIPT } from './recall';
import type { Earlier, Reservations } from './sendOnce/reservations';

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
    const { lastBatch, ...recorded } = record.recall(intent);
    const asked = crash === null ? NO_LEDGER : await crash.recall(intent).catch(() => null);
    if (asked === null) {
      // Nothing leaves, and nothing is noted: the next attempt asks again.
      const unasked = notAsked(crash?.isRetry === true);
      return { ...divide({ ...intent, sendUncertainAgain: false }, recorded, unasked), lastBatch };
    }
    const { noted, attempt } = asked;
    const recalled = divide(intent, recorded, noted);
    this.recalled = { again: recalled.again, attempt };
    const known = recalled.receipts.flatMap(({ results }) => results);
    for (const { message, outcome } of known) if (outcome.kind === 'sent') attempt?.wasSent(message);
    const again = Array.from(recalled.again, ([message, why]): Result => {
      return { message, outcome: { kind: 'uncertain', failure: why } };
    });
    // The record is about to contain the attempts that the ledger knows of.
    const toNote = [...known, ...again].filter(({ message, outcome }) => {
      return noted.pastOf(message) !== undefined && recorded.pastOf(message)?.outcome.kind !== outcome.kind;
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

const NOT_RECALLED = { again: new Map(), attempt: null };
const NO_LEDGER = { noted: NOTHING_KNOWN, attempt: null };

/** Where n8n's database can't be asked, a Retry may have anything sent before it. */
function notAsked(isRetry: boolean): Memory {
  const outcome: Outcome = isRetry
    ? { kind: 'uncertain', failure: failure('notAsked') }
    : { kind: 'not_sent', failure: NOT_STORED.failure };
  return { pastOf: () => ({ outcome, receipt: WITHOUT_RECEIPT, isRepeatable: false }), mayHaveSent: () => isRetry };
}
