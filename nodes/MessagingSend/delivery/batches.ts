import { type Batch, type Message, textsOf } from '../messages/message';

/**
 * Packs messages into requests. A message is never divided: all parts of its text are in one batch.
 * @param size in texts; a message with more parts gets a batch of its own
 * @param lastNumber the number of the batch before the first one
 */
export function pack(messages: readonly Message[], size: number, lastNumber = 0): Batch[] {
  const batches: Array<Batch & { readonly messages: Message[] }> = [];
  let texts = 0;
  for (const message of messages) {
    const own = textsOf(message).length;
    if (batches.length === 0 || texts + own > size) {
      batches.push({ number: lastNumber + batches.length + 1, messages: [] });
      texts = 0;
    }
    batches.at(-1)?.messages.push(message);
    texts += own;
  }
  return batches;
}

/**
 * Works on several batches at once, in their order. A batch that shares a number with earlier ones waits until those
 * are done.
 * @param repeated every number that several batches share; may contain others
 * @param maxConcurrent how many batches run at once
 */
export async function inOrder(
  batches: readonly Batch[],
  repeated: ReadonlySet<string>,
  maxConcurrent: number,
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  const inProgress = new Map<string, Promise<void>>();
  const start = async (batch: Batch): Promise<void> => {
    const phones = batch.messages.map(({ phone }) => phone).filter((phone) => repeated.has(phone));
    const earlier = new Set(phones.flatMap((phone) => inProgress.get(phone) ?? []));
    const done = Promise.all(earlier).then(async () => await work(batch));
    for (const phone of phones) inProgress.set(phone, done);
    await done;
    for (const phone of phones) if (inProgress.get(phone) === done) inProgress.delete(phone);
  };

  const queue = batches.values();
  const workThroughQueue = async (): Promise<void> => {
    for (const batch of queue) await start(batch);
  };
  await Promise.all(Array.from({ length: maxConcurrent }, workThroughQueue));
}
