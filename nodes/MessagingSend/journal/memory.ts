/** What the journal's memories have in common. */
import { hash } from 'node:crypto';

import type { Origin, Outcome, Row } from '../messages/row';

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

/** The origin of a message as a text: `12`, or `12.3` for an entry of a list. */
export function placeOf({ item, entry }: Origin): string {
  return entry === null ? `${item}` : `${item}.${entry}`;
}

/** With 72 bits, two messages don't share a digest by chance. */
export const DIGEST_LENGTH = 12;

/** A short hash of values. @param length in characters of 6 bits */
export function digestOf(values: readonly unknown[], length = DIGEST_LENGTH): string {
  return hash('sha256', JSON.stringify(values), 'base64').slice(0, length);
}
