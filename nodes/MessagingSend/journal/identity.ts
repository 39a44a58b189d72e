import { hash } from 'node:crypto';

import { type Message, type Origin, samenessOf } from '../messages/message';

/** A message, and where it was. */
export interface Placed {
  /** {@link placeOf} the message. */
  readonly place: string;
  /** {@link contentOf} the message. */
  readonly content: string;
}

/** What a message is known by in a re-run: its place with its phone, or its phone with its text. */
export interface Identity extends Placed {
  /** {@link originOf} the message. */
  readonly origin: string;
}

export const CONTENT_LENGTH = 12;
export const ORIGIN_LENGTH = 8;

export function identityOf(message: Message): Identity {
  return { place: placeOf(message), content: contentOf(message), origin: originOf(message) };
}

/** Where a message came from, as a text: `12`, `12.3` for an entry of a list, `12.3.0` for a part. */
export function placeOf({ item, entry, part }: Origin): string {
  if (part !== null) return `${item}.${entry ?? ''}.${part}`;
  return entry === null ? `${item}` : `${item}.${entry}`;
}

/** The place of the text that a part is of; of any other message, its own. */
export function textPlaceOf(place: string): string {
  const [item = '', entry = '', part] = place.split('.');
  if (part === undefined) return place;
  return entry === '' ? item : `${item}.${entry}`;
}

/** Reads what {@link placeOf} wrote. */
export function readPlace(place: string): Origin {
  const [item = '', entry = '', part] = place.split('.');
  return {
    item: Number(item),
    entry: entry === '' ? null : Number(entry),
    part: part === undefined ? null : Number(part),
  };
}

/**
 * Phone and text of a message, or phone and key, in 12 characters: 72 bits, so that two are not taken for one. A part
 * counts with the text it is a part of, because two texts may have a part in common.
 */
export function contentOf(message: Message): string {
  const { phone, text, whole, part, key } = message;
  // With the phone: a message to another number has another outcome.
  if (key !== undefined) return digest([samenessOf(message), phone, 'key'], CONTENT_LENGTH);
  return digest([phone, ...(whole === undefined ? [text] : [whole, part])], CONTENT_LENGTH);
}

/**
 * Place and phone in 8 characters. They are compared only with those of the same place, so 48 bits are enough to see
 * that its phone has changed. Whoever reads the record could guess the number, with the place in it one at a time; no
 * hash prevents that, and n8n keeps the number itself beside it, in the items that the execution began with.
 */
export function originOf(message: Message): string {
  return digest([placeOf(message), message.phone], ORIGIN_LENGTH);
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
