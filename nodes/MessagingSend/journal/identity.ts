import { hash } from 'node:crypto';

import { duplicateKey, type Message, type Origin } from '../messages/message';

export interface Placed {
  readonly place: string;
  readonly content: string;
}

/** Identifies a message in a re-run: by place and phone, or by phone and text. */
export interface Identity extends Placed {
  readonly phone: string;
}

export const CONTENT_LENGTH = 12;
export const PHONE_LENGTH = 8;

export function identityOf(message: Message): Identity {
  return { place: placeOf(message), content: contentOf(message), phone: phoneMarkOf(message) };
}

/** The origin of a message as a text: `12`, or `12.3` for an entry of a list. */
export function placeOf({ item, entry }: Origin): string {
  return entry === null ? `${item}` : `${item}.${entry}`;
}

/** A hash of phone and text (or key) in 12 characters: with 72 bits, two messages don't share one by chance. */
export function contentOf(message: Message): string {
  const { phone, text, key } = message;
  // Includes the phone: a message to another number has an outcome of its own.
  if (key !== undefined) return digestOf([duplicateKey(message), phone, 'key']);
  return digestOf([phone, text]);
}

/**
 * A hash of the phone in 8 characters: enough to tell which messages of a run share a number. Anyone who can read the
 * record could recover the number by brute force. No hash prevents that, and n8n stores the number itself in the
 * execution's input.
 */
export function phoneMarkOf({ phone }: Pick<Message, 'phone'>): string {
  return digestOf([phone], PHONE_LENGTH);
}

/** A short hash of values. @param length in characters of 6 bits */
export function digestOf(values: readonly unknown[], length = CONTENT_LENGTH): string {
  // JSON escapes lone surrogates, each differently; as UTF-8, all of them would have the same hash.
  return hash('sha256', JSON.stringify(values), 'base64').slice(0, length);
}

/**
 * More pages tell more exactly which messages were in flight at a kill. 1,000 pages made a run of 1,000 messages a
 * fifth slower; 250 cost nothing measurable.
 */
const MAX_PAGES = 250;

/**
 * All messages of a run in the order of their places, divided into pages of equal size. Attempts with the same places
 * and phones have the same pages, no matter what is left to send, from which account, and in which requests.
 */
export interface Pages {
  readonly all: ReadonlyArray<readonly Message[]>;
  /** The page of each message, from 0. */
  readonly pageOf: ReadonlyMap<Message, number>;
  /** A hash of the places and phones of the messages. */
  readonly places: string;
  /** A hash of their texts, or keys. */
  readonly contents: string;
}

/** @param messages in the order of their places */
export function pagesOf(messages: readonly Message[]): Pages {
  const size = Math.max(1, Math.ceil(messages.length / MAX_PAGES));
  const count = Math.ceil(messages.length / size);
  const all = Array.from({ length: count }, (_, page) => messages.slice(page * size, (page + 1) * size));
  const pageOf = new Map<Message, number>();
  for (const [page, own] of all.entries()) for (const message of own) pageOf.set(message, page);
  // Null characters separate the values: none contains one, because JSON escapes them in keys. A leading one tells a
  // key from a text.
  const identify = (markOf: (message: Message) => string) => hash('sha256', messages.map(markOf).join(''), 'base64');
  return {
    all,
    pageOf,
    places: identify((message) => `${placeOf(message)}\0${message.phone}\0`),
    contents: identify((message) => (message.key === undefined ? `${message.text}\0` : `\0${duplicateKey(message)}\0`)),
  };
}
