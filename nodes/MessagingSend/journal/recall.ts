import type { Failure } from '../failures/failure';
import { addTo, type Message, type Unsendable, unsendable } from '../messages/message';
import type { Outcome, Receipt, Result } from '../messages/outcome';

/** What a run wants to send, before earlier attempts are looked up. */
export interface Intent {
  /** All messages of the run in the order of their places, including duplicates and those that are kept back. */
  readonly messages: readonly Message[];
  readonly unsendable: readonly Unsendable[];
  /** Phones that get more than one text. */
  readonly repeated: ReadonlySet<string>;
  readonly sendUncertainAgain: boolean;
}

/** The intent after earlier attempts were looked up. */
export interface Recalled {
  /** The receipts of earlier attempts, for messages that already have an outcome. */
  readonly receipts: readonly Receipt[];
  /** Messages that are still to be sent, in the order of the intent. */
  readonly pending: readonly Message[];
  /** Pending messages that may already have been sent, with the reason for the doubt. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** The highest batch number so far; 0 if there is none. */
  readonly lastBatch: number;
  readonly unsendable: readonly Unsendable[];
}

/** The outcome of a message in an earlier attempt. */
export interface Past {
  readonly outcome: Outcome;
  /** The receipt that contains it: the same object for all messages of a request. */
  readonly receipt: Pick<Receipt, 'batch' | 'data'>;
  /** Whether the user may choose to send it again if its outcome is uncertain. */
  readonly isRepeatable: boolean;
}

/** What one memory knows about the messages of a run. */
export interface Memory {
  readonly pastOf: (message: Message) => Past | undefined;
  /** Whether an earlier attempt may have sent the message of a draft that can no longer be composed. */
  readonly mayHaveSent: (draft: Unsendable) => boolean;
}

/** For messages that no receipt contains, although a request may have carried them. */
export const WITHOUT_RECEIPT: Past['receipt'] = { batch: null, data: null };

/** Divides messages by whether they may leave, from what the two memories know. */
export function divide(intent: Intent, recorded: Memory | null, listed: Memory | null): Omit<Recalled, 'lastBatch'> {
  const byReceipt = new Map<Past['receipt'], Result[]>();
  const pending: Message[] = [];
  const again = new Map<Message, Failure>();
  for (const message of intent.messages) {
    const past = stronger(recorded?.pastOf(message), listed?.pastOf(message));
    if (past?.outcome.kind === 'uncertain' && past.isRepeatable && intent.sendUncertainAgain) {
      pending.push(message);
      again.set(message, past.outcome.failure);
    } else if (past === undefined) pending.push(message);
    else addTo(byReceipt, past.receipt, { message, outcome: past.outcome });
  }
  return {
    receipts: Array.from(byReceipt, ([{ batch, data }, results]) => ({ batch, results, data })),
    pending,
    again,
    unsendable: intent.unsendable.map((draft) =>
      [recorded, listed].some((memory) => memory?.mayHaveSent(draft) === true)
        ? unsendable(draft, draft.failure, 'uncertain')
        : draft,
    ),
  };
}

/** The execution's outcome counts, except that an uncertain message counts as sent if the list notes it as sent. */
function stronger(recorded: Past | undefined, listed: Past | undefined): Past | undefined {
  if (recorded === undefined) return listed;
  return recorded.isRepeatable && listed?.outcome.kind === 'sent' ? listed : recorded;
}
