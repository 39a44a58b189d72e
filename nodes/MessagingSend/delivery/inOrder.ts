import type { Batch } from '../messages/message';

/**
 * Works through batches with at most `parallel` at the same time, in their order; one that has a number in common with
 * an earlier one waits until that one is done.
 */
export async function inOrder(
  batches: readonly Batch[],
  parallel: number,
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  const inProgress = new Map<string, Promise<void>>();
  const queue = batches.values();

  const worker = async (): Promise<void> => {
    for (const batch of queue) {
      const earlier = new Set<Promise<void>>();
      for (const { phone } of batch.messages) {
        const own = inProgress.get(phone);
        if (own !== undefined) earlier.add(own);
      }
      const done = Promise.all(earlier).then(async () => await work(batch));
      for (const { phone } of batch.messages) inProgress.set(phone, done);
      await done;
      for (const { phone } of batch.messages) if (inProgress.get(phone) === done) inProgress.delete(phone);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, batches.length) }, worker));
}

export function haveNumberInCommon(one: Batch, other: Batch): boolean {
  const phones = new Set(one.messages.map(({ phone }) => phone));
  return other.messages.some(({ phone }) => phones.has(phone));
}
