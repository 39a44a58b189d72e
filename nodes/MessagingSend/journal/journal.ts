import { failure } from '../failures/failure';
import type { Outcome, Receipt, Result } from '../messages/outcome';
import { AccountJournal, type AccountMemories, NOT_STORED } from './accountJournal';
import { divide, type Intent, type Memory, NOTHING_KNOWN, type Recalled, WITHOUT_RECEIPT } from './recall';
import type { Earlier, Reservations } from './sendOnce/reservations';

/** The memories of a run, and what the journal needs of its surroundings. */
export interface Memories extends Omit<AccountMemories, 'reservations'> {
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
  private again: Recalled['again'] = new Map();
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
    const noted = crash === null ? NOTHING_KNOWN : await crash.recall(intent).catch(() => null);
    if (noted === null) {
      // Nothing leaves, and nothing is noted: the next attempt asks again.
      const unasked = notAsked(crash?.isRetry === true);
      return { ...divide({ ...intent, sendUncertainAgain: false }, recorded, unasked), lastBatch };
    }
    const recalled = divide(intent, recorded, noted);
    this.again = recalled.again;
    const known = recalled.receipts.flatMap(({ results }) => results);
    crash?.wereSent(known.filter(({ outcome }) => outcome.kind === 'sent').map(({ message }) => message));
    const again = Array.from(recalled.again, ([message, why]): Result => {
      return { message, outcome: { kind: 'uncertain', failure: why } };
    });
    // The record is about to contain the attempts that the ledger knows of.
    const toNote = [...known, ...again].filter(({ message, outcome }) => {
      return noted.pastOf(message) !== undefined && recorded.pastOf(message)?.outcome.kind !== outcome.kind;
    });
    record.note({ batch: null, results: toNote, data: null });
    return { ...recalled, lastBatch };
  }

  /** Notes messages that are skipped before it is known from which account. Nothing of them is remembered. */
  skip(receipt: Receipt): Receipt {
    return new AccountJournal({ ...this.memories, reservations: null }, this.again).skip(receipt);
  }

  of(account: string): AccountJournal {
    const known = this.accounts.get(account);
    if (known !== undefined) return known;
    const { reservationsOf, ...memories } = this.memories;
    const journal = new AccountJournal({ ...memories, reservations: reservationsOf(account, this.again) }, this.again);
    this.accounts.set(account, journal);
    return journal;
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
    await Promise.all(Array.from(this.accounts.values(), async (account) => await account.end()));
    await this.memories.crash?.end();
  }
}

/** Where n8n's database can't be asked, a Retry may have anything sent before it. */
function notAsked(isRetry: boolean): Memory {
  const outcome: Outcome = isRetry
    ? { kind: 'uncertain', failure: failure('notAsked') }
    : { kind: 'not_sent', failure: NOT_STORED.failure };
  return { pastOf: () => ({ outcome, receipt: WITHOUT_RECEIPT, isRepeatable: false }), mayHaveSent: () => isRetry };
}
