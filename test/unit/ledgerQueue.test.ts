import { LedgerQueue, type LedgerStorage } from '../../nodes/MessagingSend/journal/ledgerQueue';

const CLAIM = { entry: 'order', companion: 'order?' };

/** A list that n8n reads, changes and writes back. */
class SharedList {
  entries: readonly string[] = [];
  private readonly late: Array<() => void> = [];

  /** @param lateWrites how many of its first writes land only when somebody lets the list settle */
  storage(lateWrites = 0): LedgerStorage {
    let writes = 0;
    const change = async (changed: (before: readonly string[]) => string[]) => {
      const before = this.entries;
      writes += 1;
      const isLate = writes <= lateWrites;
      if (isLate) await new Promise<void>((resolve) => this.late.push(resolve));
      this.entries = changed(before);
      return new Set(before);
    };
    return {
      record: async (entries) => {
        const before = await change((list) => [...new Set([...list, ...entries])]);
        return new Set(entries.filter((entry) => before.has(entry)));
      },
      remove: async (entries) => {
        await change((list) => list.filter((entry) => !entries.includes(entry)));
      },
      settle: async () => {
        for (const land of this.late.splice(0)) land();
        await Promise.resolve();
      },
    };
  }
}

test('Of two processes that claim the same, one wins, also if one writes back what it read before the other wrote', async () => {
  const list = new SharedList();
  const slow = new LedgerQueue().claim([CLAIM], 'mark of the slow one', list.storage(1));
  const fast = new LedgerQueue().claim([CLAIM], 'mark of the fast one', list.storage());
  const won = (await Promise.all([slow, fast])).map((claimed) => [...claimed.won]);
  expect(won.flat()).toEqual([CLAIM.entry]);
});

test('Nobody wins a claim that others overwrite each time', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const overwritten: LedgerStorage = {
    ...storage,
    settle: async () => {
      list.entries = ['of another process'];
      await Promise.resolve();
    },
  };
  const queue = new LedgerQueue();
  await expect(queue.claim([CLAIM], 'a mark', overwritten)).rejects.toThrow('overwrite');
  await queue.whenWritten();
  expect(list.entries).toEqual(['of another process']);
});

test('What is claimed while its removal waits stays in the list', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const queue = new LedgerQueue();
  await queue.record([CLAIM.entry, CLAIM.companion], storage);
  const claimed = queue.claim([CLAIM], 'a mark', storage);
  // More than are removed together.
  const others = Array.from({ length: 300 }, (_, index) => `other ${index}`);
  queue.remove([...others, CLAIM.entry, CLAIM.companion], storage);
  const { won } = await claimed;
  await queue.whenWritten();
  expect([...won]).toEqual([CLAIM.entry]);
  expect(list.entries).toEqual(expect.arrayContaining([CLAIM.entry, CLAIM.companion]));
});

test('A claim of what is done leaves it as it was', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const queue = new LedgerQueue();
  await queue.record([CLAIM.entry], storage);
  const { won, present } = await queue.claim([CLAIM], 'a mark', storage);
  await queue.whenWritten();
  expect([[...won], [...present], list.entries]).toEqual([[], [CLAIM.entry], [CLAIM.entry]]);
});
