import type { Interruptible } from '../messages/interruptible';
import type { Batch, Message } from '../messages/message';

/**
 * Cuts messages, in their order, into batches of `size`; the last one may be smaller.
 * @param lastNumber the number of the batch before the first one
 */
export function* pack(messages: readonly Message[], size: number, lastNumber = 0): Interruptible<Batch[]> {
  const batches: Batch[] = [];
  for (let start = 0; start < messages.length; start += size) {
    batches.push({ number: lastNumber + batches.length + 1, messages: messages.slice(start, start + size) });
    yield;
  }
  return batches;
}

/** Splits a batch in two; both halves keep its number. The first half gets the extra message. */
export function halves(batch: Batch): [Batch, Batch] {
  const { messages } = batch;
  const middle = Math.ceil(messages.length / 2);
  return [
    { ...batch, messages: messages.slice(0, middle) },
    { ...batch, messages: messages.slice(middle) },
  ];
}
