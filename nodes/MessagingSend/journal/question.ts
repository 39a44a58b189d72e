import type { Failure } from '../failures/failure';
import type { Message, Unsendable } from '../messages/message';
import type { Receipt } from '../messages/outcome';

/** What a run is about to do, before it is known what was sent before. */
export interface Question {
  /** All messages of the run, also duplicates and those that are kept back, in the order of their places. */
  readonly messages: readonly Message[];
  /** Drafts that can't be composed. */
  readonly unsendable: readonly Unsendable[];
  /** The phones that more than one text goes to. */
  readonly repeated: ReadonlySet<string>;
  readonly sendUncertainAgain: boolean;
}

/** What is left of a question. */
export interface Recalled {
  /** Of messages that already have an outcome, as it was when it was new. */
  readonly receipts: readonly Receipt[];
  /** The messages that are still to be sent, in the order of the question. */
  readonly pending: readonly Message[];
  /** Those of them that may already have been sent, with the reason. */
  readonly again: ReadonlyMap<Message, Failure>;
  /** The highest batch number so far; 0 if there is none. */
  readonly lastBatch: number;
  /** The drafts that can't be sent, without those that have an outcome. */
  readonly unsendable: readonly Unsendable[];
}
