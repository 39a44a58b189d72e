import type { Failure } from '../failures/failure';
import { personOf } from '../phone/numbering';

/** Where a message came from, so that its outcome reaches the right item. */
export interface Origin {
  readonly item: number;
  /** Index in the item's list of messages; null when the item is the message. */
  readonly entry: number | null;
}

/** What the user gave for one message, before it is checked. */
export interface Draft extends Origin {
  readonly kind: 'draft';
  readonly phone: unknown;
  readonly message: unknown;
  /** The country code for a number that has none; null if such a number is an error. */
  readonly countryCode: string | null;
  /** The 'Message Key' by which the user identifies the message; null if number and text identify it. */
  readonly key: string | null;
  /** An address that is added after the text, on its own line. */
  readonly link?: string;
  /** Fields whose values belong in the text, and that are empty for this item. */
  readonly empty?: readonly string[];
}

export interface Unsendable extends Origin {
  readonly kind: 'unsendable';
  readonly phone: unknown;
  readonly failure: Failure;
  /** `uncertain`: an earlier attempt may have sent it, when it could still be composed. */
  readonly outcome: 'not_sent' | 'uncertain';
}

/** The drafts of a run, read item by item so that they are never all in memory. */
export interface Drafts {
  readonly items: number;
  readonly of: (item: number) => DraftsOfItem;
}

export type DraftsOfItem = Draft | Unsendable | ReadonlyArray<Draft | Unsendable>;

export function onlyDrafts(drafts: DraftsOfItem): Drafts {
  return { items: 1, of: () => drafts };
}

/** One phone number with one text, clean and ready to send. */
export interface Message extends Origin {
  /**
   * 7 to 15 digits with the country code, without + or leading 0 (API 4.2). For a message that only the delivery record
   * knows: the item's present phone; empty if that can't be read.
   */
  readonly phone: string;
  /** What the user gave for `phone`, if cleaning changed it. */
  readonly phoneGiven?: string;
  /** Which country a number without + or 00 was read in. */
  readonly readAs?: 'home' | 'abroad';
  /** The user's whole text. It identifies the message, even if only a part of it is sent. */
  readonly text: string;
  /** Sent in place of the text: its beginning, or its parts in order. */
  readonly parts?: readonly string[];
  /** The 'Message Key' by which the user identifies the message, if number and text don't. */
  readonly key?: string;
  /** Fields whose values belong in the text, and that are empty. */
  readonly empty?: readonly string[];
  /** In a test run, the number that the message is meant for: `phone` is the tester's. */
  readonly testFor?: string;
}

/** The texts that are sent for a message, in order. Nearly all messages have one. */
export function textsOf({ text, parts = [text] }: Message): readonly string[] {
  return parts;
}

/**
 * What identical messages have in common. A key identifies one message, or a whole list of them. The null keeps the
 * keys of earlier versions valid, which n8n's database remembers.
 */
export function duplicateKey({ entry, phone, text, key }: Message): string {
  if (key === undefined) return JSON.stringify([personOf(phone), text, null]);
  return JSON.stringify(entry === null ? [key, null] : [key, personOf(phone), text, null]);
}

/** 1 to 100 messages in one request. */
export interface Batch {
  /** Counted from 1. */
  readonly number: number;
  readonly messages: readonly Message[];
}

export function countMessages(batches: readonly Batch[]): number {
  return batches.reduce((sum, { messages }) => sum + messages.length, 0);
}

export function unsendable(
  { item, entry, phone }: Origin & { readonly phone: unknown },
  failure: Failure,
  outcome: Unsendable['outcome'] = 'not_sent',
): Unsendable {
  return { kind: 'unsendable', item, entry, phone, failure, outcome };
}

export function byOrigin(a: Origin, b: Origin): number {
  return a.item - b.item || (a.entry ?? 0) - (b.entry ?? 0);
}

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
