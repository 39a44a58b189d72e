import { type Batch, type Message, textsOf } from '../messages/message';

/**
 * Packs messages into requests. All parts of a text are in one request, if the operation sends several texts in one.
 * @param size in texts; a message with more parts has a request of its own
 * @param lastNumber the number of the batch before the first one
 */
export function pack(messages: readonly Message[], size: number, lastNumber = 0): Batch[] {
  const batches: Batch[] = [];
  let together: Message[] = [];
  let texts = 0;
  const close = () => {
    if (together.length > 0) batches.push({ number: lastNumber + batches.length + 1, messages: together });
    [together, texts] = [[], 0];
  };
  for (const message of messages) {
    const own = textsOf(message).length;
    if (texts + own > size) close();
    together.push(message);
    texts += own;
  }
  close();
  return batches;
}

/** How many texts batches contain: each uses a credit. */
export function countTexts(batches: readonly Batch[]): number {
  return batches.flatMap(({ messages }) => messages).reduce((sum, message) => sum + textsOf(message).length, 0);
}
