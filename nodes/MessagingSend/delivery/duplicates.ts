import { duplicateKey, type Message } from '../messages/message';

/** A message that is not sent, because an identical one is. */
export interface Duplicate {
  readonly message: Message;
  readonly original: Message;
}

/** Separates messages from their duplicates; the first of identical messages that are sent stays. */
export function separateDuplicates(
  messages: readonly Message[],
  isSent: (message: Message) => boolean = () => true,
): { readonly unique: readonly Message[]; readonly duplicates: readonly Duplicate[] } {
  const firsts = new Map<string, Message>();
  const unique: Message[] = [];
  const duplicates: Duplicate[] = [];
  for (const message of messages) {
    const key = duplicateKey(message);
    const original = isSent(message) ? firsts.get(key) : undefined;
    if (original !== undefined) {
      duplicates.push({ message, original });
      continue;
    }
    unique.push(message);
    if (isSent(message)) firsts.set(key, message);
  }
  return { unique, duplicates };
}
