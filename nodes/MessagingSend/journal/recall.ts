import type { Failure } from '../failures/failure';
import { addTo, type Message, type Unsendable, unsendable } from '../messages/message';
import type { Outcome, Receipt, Result } from '../messages/outcome';

/** What a run is about to send, before it is known what was sent before. */
export interface Intent {
  /** All messages of the run, also duplicates and those that are kept back, in the order of their places. */
  readonly messages: readonly Message[];
  readonly unsendable: readonly Unsendable[];
  /** The phones that more than one text goes to. */
  readonly repeated: ReadonlySet<string>;
  readonly sendUncertainAgain: boolean;
}

/** What is left of it, when what has an outcome is taken out. */
export interface Recalled {
  /** Of messages that already have an outcome, as it was when it was new. */
  readonly receipts: readonly Receipt[];
  /** The messages that are still to be sent, in the order of the intent. */
  readonly pending: readonly Message[];
  /** Those of them that may already have been sent, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** The highest batch number so far; 0 if there is none. */
  readonly lastBatch: number;
  readonly unsendable: readonly Unsendable[];
}

/** The outcome of a message in an earlier attempt. */
export interface Past {
  readonly outcome: Outcome;
  /** What it was in: the same object for the messages of one request. */
  readonly receipt: Pick<Receipt, 'batch' | 'data'>;
  /** Whether the user may have it sent again, where its outcome is uncertain. */
  readonly isRepeatable: boolean;
}

/** What one memory knows of the messages of a run. */
export interface Memory {
  readonly pastOf: (message: Message) => Past | undefined;
  /** Whether an earlier attempt may have sent the message of a draft that can't be composed any more. */
  readonly mayHaveSent: (draft: Unsendable) => boolean;
}

/** For messages that are in no receipt, although a request may have carried them. */
export const WITHOUT_RECEIPT: Past['receipt'] = { batch: null, data: null };

/** Divides messages by whether they may leave, as far as two memories know. */
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

/** What the list knows to be sent is sent, though the execution has it as uncertain; else the execution counts. */
function stronger(recorded: Past | undefined, listed: Past | undefined): Past | undefined {
  if (recorded === undefined) return listed;
  return recorded.isRepeatable && listed?.outcome.kind === 'sent' ? listed : recorded;
}
