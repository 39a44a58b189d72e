import { hash } from 'node:crypto';

import { duplicateKey, type Message, type Origin } from '../messages/message';

export interface Placed {
  readonly place: string;
  readonly content: string;
}

/** What a message is known by in a re-run: its place with its phone, or its phone with its text. */
export interface Identity extends Placed {
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

/** Phone and text of a message, or phone and key, in 12 characters: 72 bits, so that two are not taken for one. */
export function contentOf(message: Message): string {
  const { phone, text, key } = message;
  // With the phone: a message to another number has another outcome.
  if (key !== undefined) return digestOf([duplicateKey(message), phone, 'key']);
  return digestOf([phone, text]);
}

/**
 * The phone in 8 characters: enough to see which messages of a run go to the same one. Whoever reads the record could
 * guess the number by trying all; no hash prevents that, and n8n keeps the number itself beside it, in the items that the
 * execution began with.
 */
export function phoneMarkOf({ phone }: Pick<Message, 'phone'>): string {
  return digestOf([phone], PHONE_LENGTH);
}

/** Tells texts apart. @param length in characters of 6 bits */
export function digestOf(values: readonly unknown[], length = CONTENT_LENGTH): string {
  // As JSON, which writes even broken characters apart, each in its own way.
  return hash('sha256', JSON.stringify(values), 'base64').slice(0, length);
}

/**
 * The most pages of a run: after a kill, what was in flight is known as exactly as that. With 1,000 of them, a run of as many
 * messages took a fifth longer; with 250, it takes as long as without.
 */
const MAX_PAGES = 250;

/**
 * All messages of a run, in the order of their places, divided into pages of equally many. Every attempt with the same
 * places and phones has the same pages, whatever is left to send, from which account, and in which requests.
 */
export interface Pages {
  readonly all: ReadonlyArray<readonly Message[]>;
  /** The page that each message is on, from 0. */
  readonly pageOf: ReadonlyMap<Message, number>;
  /** Identifies the places and phones of the messages. */
  readonly places: string;
  /** Identifies their texts, or keys. */
  readonly contents: string;
}

/** @param messages in the order of their places */
export function pagesOf(messages: readonly Message[]): Pages {
  const size = Math.max(1, Math.ceil(messages.length / MAX_PAGES));
  const count = Math.ceil(messages.length / size);
  // No place, phone, text or key as JSON contains a null character, so none can look like the start of the next; a key
  // begins with one, so that it can't look like a text.
  const identify = (markOf: (message: Message) => string) => hash('sha256', messages.map(markOf).join(''), 'base64');
  return {
    all: Array.from({ length: count }, (_, page) => messages.slice(page * size, (page + 1) * size)),
    pageOf: new Map(messages.map((message, index) => [message, Math.floor(index / size)])),
    places: identify((message) => `${placeOf(message)}\0${message.phone}\0`),
    contents: identify((message) => (message.key === undefined ? `${message.text}\0` : `\0${duplicateKey(message)}\0`)),
  };
}
