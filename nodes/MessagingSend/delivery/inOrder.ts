import type { Batch } from '../messages/message';

/** How batches are worked through. */
interface Order {
  readonly parallelRequests: number;
  /** All phones that several batches have in common, perhaps among others. */
  readonly repeated: ReadonlySet<string>;
}

/**
 * Works through batches, so many at the same time, in their order; one that has a number in common with an earlier one
 * waits until that one is done.
 */
export async function inOrder(
  batches: readonly Batch[],
  { parallelRequests, repeated }: Order,
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  const inProgress = new Map<string, Promise<void>>();
  const queue = batches.values();

  const worker = async (): Promise<void> => {
    for (const batch of queue) {
      const phones = repeated.size === 0 ? [] : phonesOf(batch).filter((phone) => repeated.has(phone));
      const earlier = new Set(phones.flatMap((phone) => inProgress.get(phone) ?? []));
      const done = Promise.all(earlier).then(async () => await work(batch));
      for (const phone of phones) inProgress.set(phone, done);
      await done;
      for (const phone of phones) if (inProgress.get(phone) === done) inProgress.delete(phone);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelRequests, batches.length) }, worker));
}

export function haveNumberInCommon(one: Batch, other: Batch): boolean {
  const phones = new Set(phonesOf(one));
  return phonesOf(other).some((phone) => phones.has(phone));
}

function phonesOf({ messages }: Batch): string[] {
  return messages.map(({ phone }) => phone);
}
