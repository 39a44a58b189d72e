import { LedgerQueue, type LedgerStorage } from '../../nodes/MessagingSend/journal/list/ledgerQueue';

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
  const slow = new LedgerQueue(() => 0).claim([CLAIM], 'mark of the slow one', list.storage(1));
  const fast = new LedgerQueue(() => 0).claim([CLAIM], 'mark of the fast one', list.storage());
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
  const queue = new LedgerQueue(() => 0);
  await expect(queue.claim([CLAIM], 'a mark', overwritten)).rejects.toThrow('overwrite');
  await queue.whenWritten();
  expect(list.entries).toEqual(['of another process']);
});

test('The two entries of a fact are removed by one write', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const writes: Array<readonly string[]> = [];
  const watched: LedgerStorage = {
    ...storage,
    remove: async (entries) => {
      writes.push(entries);
      await storage.remove(entries);
    },
  };
  const facts = Array.from({ length: 120 }, (_, index) => [`fact ${index}`, `fact ${index}?`]);
  list.entries = ['other', ...facts.flat()];
  const queue = new LedgerQueue(() => 0);
  queue.remove(['other'], watched);
  queue.remove(facts.flat(), watched);
  for (let before = -1; before < writes.length;) {
    before = writes.length;
    await queue.whenWritten();
  }
  expect(list.entries).toEqual([]);
  for (const write of writes) {
    for (const [first = '', second = ''] of facts) expect(write.includes(first)).toBe(write.includes(second));
  }
});

test('A claim that the storage refuses to confirm leaves nothing behind', async () => {
  const list = new SharedList();
  const storage = list.storage();
  let writes = 0;
  const refusing: LedgerStorage = {
    ...storage,
    record: async (entries) => {
      writes += 1;
      if (writes > 1) throw new Error('locked');
      return await storage.record(entries);
    },
  };
  const queue = new LedgerQueue(() => 0);
  await expect(queue.claim([CLAIM], 'a mark', refusing)).rejects.toThrow('locked');
  await queue.whenWritten();
  expect(list.entries).toEqual([]);
});

test('What another process writes back while the list is asked is removed again', async () => {
  const list = new SharedList();
  list.entries = ['present'];
  const storage = list.storage();
  let lost = 2;
  // Removals that the other process overwrites with what it had read before.
  const overwritten: LedgerStorage = {
    ...storage,
    remove: async (entries) => {
      lost -= 1;
      if (lost < 0) await storage.remove(entries);
    },
  };
  const queue = new LedgerQueue(() => 0);
  const asked = await queue.ask(['present', 'missing'], 'a mark', overwritten);
  expect([...asked.present]).toEqual(['present']);
  await queue.confirmRemoved([asked], overwritten);
  expect(list.entries).toEqual(['present']);
});

test('What is done is written again until nobody can overwrite it any more', async () => {
  const list = new SharedList();
  const storage = list.storage();
  let now = 0;
  const queue = new LedgerQueue(() => now);
  queue.hold([CLAIM.entry]);
  queue.releaseWhenSafe([CLAIM.entry]);
  const isWrittenAgain = async () => {
    list.entries = [];
    await queue.record(['another'], storage);
    return list.entries.includes(CLAIM.entry);
  };
  expect(await isWrittenAgain()).toBe(true);
  now = 3_000;
  await queue.record(['another'], storage);
  expect(await isWrittenAgain()).toBe(false);
});

test('What is claimed while its removal waits stays in the list', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const queue = new LedgerQueue(() => 0);
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
  const queue = new LedgerQueue(() => 0);
  await queue.record([CLAIM.entry], storage);
  const { won, present } = await queue.claim([CLAIM], 'a mark', storage);
  await queue.whenWritten();
  expect([[...won], [...present], list.entries]).toEqual([[], [CLAIM.entry], [CLAIM.entry]]);
});

test('A claim is confirmed later where a change of the list took long not long ago', async () => {
  const list = new SharedList();
  let now = 0;
  const took = [300, 1, 1, 1];
  const waits: number[] = [];
  const storage = list.storage();
  const watched: LedgerStorage = {
    ...storage,
    record: async (entries) => {
      now += took.shift() ?? 1;
      return await storage.record(entries);
    },
    settle: async (longest) => {
      waits.push(longest);
      await Promise.resolve();
    },
  };
  const queue = new LedgerQueue(() => now);
  await queue.record(['slow'], watched);
  await queue.claim([CLAIM], 'a mark', watched);
  await queue.whenWritten();
  now += 60_000;
  await queue.claim([{ entry: 'later', companion: 'later?' }], 'another mark', watched);
  await queue.whenWritten();
  now += 1_200_000;
  await queue.claim([{ entry: 'last', companion: 'last?' }], 'one more mark', watched);
  expect(waits[0]).toBeGreaterThan(280);
  expect(waits[1]).toBeGreaterThan(140);
  expect(waits[2]).toBeLessThan(2);
});

test('Claims of one process at the same moment are written together, and one of those for the same entry wins', async () => {
  const list = new SharedList();
  const storage = list.storage();
  let writes = 0;
  const watched: LedgerStorage = {
    ...storage,
    record: async (entries) => {
      writes += 1;
      return await storage.record(entries);
    },
  };
  const queue = new LedgerQueue(() => 0);
  const orders = Array.from({ length: 20 }, (_, index) => ({ entry: `order ${index}`, companion: `order ${index}?` }));
  const claims = [...orders, CLAIM, CLAIM].map(
    async (claim, index) => await queue.claim([claim], `mark ${index}`, watched),
  );
  const won = (await Promise.all(claims)).flatMap((each) => [...each.won]);
  await queue.whenWritten();
  expect(won).toEqual([...orders.map(({ entry }) => entry), CLAIM.entry]);
  expect(list.entries.filter((entry) => entry.startsWith('mark'))).toEqual([]);
  expect(writes).toBeLessThanOrEqual(4);
});

test('What another process writes back of a question can be claimed while it is removed again', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const queue = new LedgerQueue(() => 0);
  const claims: Array<ReturnType<LedgerQueue['claim']>> = [];
  const watched: LedgerStorage = {
    ...storage,
    remove: async (entries) => {
      if (claims.length === 0) claims.push(queue.claim([CLAIM], 'mark of a claim', storage));
      await storage.remove(entries);
    },
  };
  const asked = await queue.ask([CLAIM.entry, CLAIM.companion], 'a mark', storage);
  list.entries = [CLAIM.entry, CLAIM.companion, 'a mark'];
  await queue.confirmRemoved([asked], watched);
  const won = (await Promise.all(claims)).flatMap((claimed) => [...claimed.won]);
  expect(won).toEqual([CLAIM.entry]);
});

test('What this process has won stays its own when another process overwrites it', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const queue = new LedgerQueue(() => 0);
  await queue.claim([CLAIM], 'a mark', storage);
  list.entries = [];
  const { won, present } = await queue.claim([CLAIM], 'another mark', storage);
  expect([[...won], [...present]]).toEqual([[], [CLAIM.entry, CLAIM.companion]]);
});

test('What is lost at once can be asked for by others while the rest of the claim is confirmed', async () => {
  const list = new SharedList();
  list.entries = [CLAIM.entry];
  const storage = list.storage();
  const queue = new LedgerQueue(() => 0);
  const claims: Array<Promise<unknown>> = [];
  const watched: LedgerStorage = {
    ...storage,
    settle: async () => {
      if (claims.length === 0) claims.push(queue.claim([CLAIM], 'another mark', storage));
      await Promise.all(claims);
    },
  };
  await queue.claim([CLAIM, { entry: 'new', companion: 'new?' }], 'a mark', watched);
  expect(await claims[0]).toEqual({ won: new Set(), present: new Set([CLAIM.entry]) });
});

test('A question whose end the storage refuses leaves nothing behind', async () => {
  const list = new SharedList();
  const storage = list.storage();
  let removals = 0;
  const refusing: LedgerStorage = {
    ...storage,
    remove: async (entries) => {
      removals += 1;
      if (removals === 1) throw new Error('locked');
      await storage.remove(entries);
    },
  };
  const queue = new LedgerQueue(() => 0);
  await queue.ask(['missing', 'missing?'], 'a mark', refusing);
  await queue.whenWritten();
  expect(list.entries).toEqual([]);
});
