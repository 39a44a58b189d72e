import { duplicateKey, type Message } from '../messages/message';

/** A message that is not sent, because an identical one is. */
export interface Duplicate {
  readonly message: Message;
  readonly original: Message;
}

/**
 * Separates messages from their duplicates; the first of identical messages that are sent stays. Split texts are compared
 * as a whole: two texts may share a part, and two texts with the same key may have different numbers of parts.
 */
export function separateDuplicates(
  messages: readonly Message[],
  isSent: (message: Message) => boolean = () => true,
): { readonly unique: readonly Message[]; readonly duplicates: readonly Duplicate[] } {
  const firsts = new Map<string, readonly Message[]>();
  const unique: Message[] = [];
  const duplicates: Duplicate[] = [];
  for (const parts of wholeTexts(messages)) {
    const [first] = parts;
    const key = first === undefined ? '' : duplicateKey({ ...first, part: null });
    const originals = firsts.get(key);
    if (first === undefined || !isSent(first)) {
      unique.push(...parts);
    } else if (originals === undefined) {
      firsts.set(key, parts);
      unique.push(...parts);
    } else {
      parts.forEach((message, index) =>
        duplicates.push({ message, original: originals[index] ?? originals[0] ?? message }),
      );
    }
  }
  return { unique, duplicates };
}

/** The messages, with the parts of one text together. */
function* wholeTexts(messages: readonly Message[]): Generator<readonly Message[]> {
  let parts: Message[] = [];
  for (const message of messages) {
    if (parts.length > 0 && (message.part === null || message.part === 0)) {
      yield parts;
      parts = [];
    }
    parts.push(message);
  }
  if (parts.length > 0) yield parts;
}
