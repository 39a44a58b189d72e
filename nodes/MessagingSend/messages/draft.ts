import type { Failure } from '../failures/failure';
import type { Origin } from './row';

/** What the user gave for one message, before it is checked. */
export type Draft = Given | Unreadable;

export interface Given extends Origin {
  readonly kind: 'given';
  readonly phone: unknown;
  readonly message: unknown;
  /** The country code for a number that has none; null if such a number is an error. */
  readonly countryCode: string | null;
  /** The 'Message Key', which stands for the text; null if the text stands for itself. */
  readonly key: string | null;
  /** An address that is added after the text, on its own line. */
  readonly link?: string;
  /** Fields whose values belong in the text, and that are empty for this item. */
  readonly empty?: readonly string[];
}

/** A draft of which a part can't be read, such as an expression that fails. */
export interface Unreadable extends Origin {
  readonly kind: 'unreadable';
  readonly phone: unknown;
  readonly failure: Failure;
}

/** The drafts of a run, read item by item so that they are never all in memory. */
export interface Drafts {
  readonly items: number;
  readonly of: (item: number) => Draft | readonly Draft[];
}

export function unreadable(origin: Origin, phone: unknown, failure: Failure): Unreadable {
  return { kind: 'unreadable', item: origin.item, entry: origin.entry, phone, failure };
}
