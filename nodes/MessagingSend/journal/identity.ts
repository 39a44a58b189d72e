import { hash } from 'node:crypto';

import { duplicateKey, type Message, type Origin } from '../messages/message';

/** A message, and where it was. */
export interface Placed {
  /** {@link placeOf} the message. */
  readonly place: string;
  /** {@link contentOf} the message. */
  readonly content: string;
}

/** What a message is known by in a re-run: its place with its phone, or its phone with its text. */
export interface Identity extends Placed {
  /** {@link phoneMarkOf} the message. */
  readonly phone: string;
}

export const CONTENT_LENGTH = 12;
export const PHONE_LENGTH = 8;

export function identityOf(message: Message): Identity {
  return { place: placeOf(message), content: contentOf(message), phone: phoneMarkOf(message) };
}

/** Where a message came from, as a text: `12`, or `12.3` for an entry of a list. */
export function placeOf({ item, entry }: Origin): string {
  return entry === null ? `${item}` : `${item}.${entry}`;
}

/** Reads what {@link placeOf} wrote. */
export function readPlace(place: string): Origin {
  const [item = '', entry] = place.split('.');
  return { item: Number(item), entry: entry === undefined || entry === '' ? null : Number(entry) };
}

/** Phone and text of a message, or phone and key, in 12 characters: 72 bits, so that two are not taken for one. */
export function contentOf(message: Message): string {
  const { phone, text, key } = message;
  // With the phone: a message to another number has another outcome.
  if (key !== undefined) return digest([duplicateKey(message), phone, 'key'], CONTENT_LENGTH);
  return digest([phone, text], CONTENT_LENGTH);
}

/**
 * The phone in 8 characters: enough to see which messages of a run go to the same one. Whoever reads the record could
 * guess the number by trying all; no hash prevents that, and n8n keeps the number itself beside it, in the items that the
 * execution began with.
 */
export function phoneMarkOf({ phone }: Pick<Message, 'phone'>): string {
  return digest([phone], PHONE_LENGTH);
}

/** Tells texts apart. */
export function digestOf(texts: readonly string[]): string {
  return digest(texts, CONTENT_LENGTH);
}

/** In characters of 6 bits. */
function digest(values: readonly unknown[], length: number): string {
  // As JSON, which writes even broken characters apart, each in its own way.
  return hash('sha256', JSON.stringify(values), 'base64').slice(0, length);
}
