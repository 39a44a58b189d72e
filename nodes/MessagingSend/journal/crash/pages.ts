import { createHash } from 'node:crypto';

import { byOrigin, duplicateKey, type Message } from '../../messages/message';
import { placeOf } from '../identity';

/** The most pages of a run: after a kill, what was in flight is known as exactly as that. */
const MAX_PAGES = 1_000;

/**
 * All messages of a run, in the order of their places, divided into pages of equally many. Every attempt with the same
 * places and phones has the same pages, whatever is left to send, from which account, and in which requests.
 */
export interface Pages {
  readonly messages: readonly Message[];
  readonly count: number;
  /** Identifies the places and phones of the messages. */
  readonly places: string;
  /** Identifies their texts, or keys. */
  readonly contents: string;
  /** The number of the page that a message of the run is on, from 0. */
  readonly pageOf: (message: Message) => number;
}

/** @param messages in the order of their places */
export function pagesOf(messages: readonly Message[]): Pages {
  const size = Math.max(1, Math.ceil(messages.length / MAX_PAGES));
  const [places, contents] = [createHash('sha256'), createHash('sha256')];
  // No place, phone, text or key as JSON contains a null character, so none can look like the start of the next.
  for (const message of messages) {
    places.update(`${placeOf(message)}\0${message.phone}\0`);
    // A key begins with a null character, so that it can't look like a text.
    contents.update(message.key === undefined ? `${message.text}\0` : `\0${duplicateKey(message)}\0`);
  }
  return {
    messages,
    count: Math.ceil(messages.length / size),
    places: places.digest('base64'),
    contents: contents.digest('base64'),
    pageOf: (message) => {
      let [low, high] = [0, messages.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (byOrigin(messages[middle] ?? message, message) < 0) low = middle + 1;
        else high = middle;
      }
      return Math.floor(low / size);
    },
  };
}
