import type { Batch, Message } from './message';

/** The most messages that POST /messages/send-bulk takes (API part 8). */
export const LARGEST_BATCH = 100;

/** Cuts messages, in their order, into batches of `size`; the last one may be smaller. */
export function pack(messages: readonly Message[], size: number): Batch[] {
  const batches: Batch[] = [];
  for (let start = 0; start < messages.length; start += size) {
    batches.push({ number: batches.length + 1, messages: messages.slice(start, start + size) });
  }
  return batches;
}
