import type { Message } from './message';

/** A message that is not sent, because the same text goes to the same number already. */
export interface Duplicate {
  readonly message: Message;
  readonly original: Message;
}

/** Sets aside every message whose number and text came before; the first of them stays. */
export function setDuplicatesAside(messages: readonly Message[]): { unique: Message[]; duplicates: Duplicate[] } {
  const firsts = new Map<string, Message>();
  const unique: Message[] = [];
  const duplicates: Duplicate[] = [];
  for (const message of messages) {
    const original = firsts.get(`${message.phone} ${message.text}`);
    if (original === undefined) {
      firsts.set(`${message.phone} ${message.text}`, message);
      unique.push(message);
    } else {
      duplicates.push({ message, original });
    }
  }
  return { unique, duplicates };
}
