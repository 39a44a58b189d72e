import type { Batch } from '../messages/message';

/**
 * Works through batches, several at the same time, in their order; one that has a number in common with an earlier one
 * waits until that one is done.
 * @param repeated all numbers that several batches have in common, perhaps among others
 * @param most at the same time; asked for anew after each
 */
export async function inOrder(
  batches: readonly Batch[],
  repeated: ReadonlySet<string>,
  most: () => number,
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  const inProgress = new Map<string, Promise<void>>();
  const workOn = async (batch: Batch): Promise<void> => {
    const phones = repeated.size === 0 ? [] : phonesOf(batch).filter((phone) => repeated.has(phone));
    const earlier = new Set(phones.flatMap((phone) => inProgress.get(phone) ?? []));
    const done = Promise.all(earlier).then(async () => await work(batch));
    for (const phone of phones) inProgress.set(phone, done);
    await done;
    for (const phone of phones) if (inProgress.get(phone) === done) inProgress.delete(phone);
  };

  const queue = batches.values();
  await new Promise<void>((resolve, reject) => {
    let working = 0;
    const goOn = (): void => {
      while (working < most()) {
        const { value: batch } = queue.next();
        if (batch === undefined) break;
        working += 1;
        workOn(batch).then(() => {
          working -= 1;
          goOn();
        }, reject);
      }
      if (working === 0) resolve();
    };
    goOn();
  });
}

export function haveNumberInCommon(one: Batch, other: Batch): boolean {
  const phones = new Set(phonesOf(one));
  return phonesOf(other).some((phone) => phones.has(phone));
}

function phonesOf({ messages }: Batch): string[] {
  return messages.map(({ phone }) => phone);
}
