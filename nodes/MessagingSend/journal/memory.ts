/** What the journal's memories have in common. */
import type { Outcome, Row } from '../messages/row';

/** The outcome of a message in an earlier attempt. */
export interface Past extends Pick<Row, 'batch' | 'data'> {
  readonly outcome: Outcome;
}

/** What one memory knows about the messages of a run. */
export interface Memory {
  readonly pastOf: (row: Row) => Past | undefined;
  /** Whether an earlier attempt may have sent a message that can no longer be composed. */
  readonly mayHaveSent: (row: Row) => boolean;
}

/** For messages whose request is not known. */
export function pastWith(outcome: Outcome): Past {
  return { outcome, batch: null, data: null };
}
