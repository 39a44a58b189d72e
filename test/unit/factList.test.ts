import { FactList, type ListStorage } from '../../nodes/MessagingSend/journal/list/factList';

/** The entries of an open fact. */
const CLAIMED = ['order', 'order?'];

/** A list that n8n reads, changes and writes back. */
class SharedList {
  entries: readonly string[] = [];
  private readonly late: Array<() => void> = [];

  /** @param lateWrites how many of its first writes land only when somebody waits for others */
  storage(lateWrites = 0): ListStorage {
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
      shorten: async () => await Promise.resolve(),
      waitForOthers: async () => {
        for (const land of this.late.splice(0)) land();
        await Promise.resolve();
      },
    };
  }
}

/** Everything that the list has begun, in the background too. */
async function allWritten(list: FactList): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await list.whenWritten();
}

const newList = () => new FactList(() => 0);

test('Of two processes that claim the same, one wins, also if one writes back what it read before the other wrote', async () => {
  const list = new SharedList();
  const slow = newList().claim(['order'], 'mark of the slow one', list.storage(1));
  const fast = newList().claim(['order'], 'mark of the fast one', list.storage());
  const before = (await Promise.all([slow, fast])).map((states) => states.get('order'));
  expect(before.filter((state) => state === 'unknown')).toHaveLength(1);
});

test('Nobody wins a claim that others overwrite each time', async () => {
  const list = new SharedList();
  const overwritten: ListStorage = {
    ...list.storage(),
    waitForOthers: async () => {
      list.entries = ['of another process'];
      await Promise.resolve();
    },
  };
  const facts = newList();
  await expect(facts.claim(['order'], 'a mark', overwritten)).rejects.toThrow('overwrite');
  await allWritten(facts);
  expect(list.entries).toEqual(['of another process']);
});

test('The two entries of a fact are removed by one write', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const writes: Array<readonly string[]> = [];
  const watched: ListStorage = {
    ...storage,
    remove: async (entries) => {
      writes.push(entries);
      await storage.remove(entries);
    },
  };
  const names = Array.from({ length: 120 }, (_, index) => `fact ${index}`);
  const facts = newList();
  await facts.record({ open: names, note: ['other'] }, watched);
  facts.retract(['other'], watched);
  facts.retract(names, watched);
  await allWritten(facts);
  expect(list.entries).toEqual([]);
  expect(writes.length).toBeGreaterThan(1);
  for (const write of writes) {
    for (const name of names) expect(write.includes(name)).toBe(write.includes(`${name}?`));
  }
});

test('A claim that the storage refuses to confirm leaves nothing behind', async () => {
  const list = new SharedList();
  const storage = list.storage();
  let writes = 0;
  const refusing: ListStorage = {
    ...storage,
    record: async (entries) => {
      writes += 1;
      if (writes > 1) throw new Error('locked');
      return await storage.record(entries);
    },
  };
  const facts = newList();
  await expect(facts.claim(['order'], 'a mark', refusing)).rejects.toThrow('locked');
  await allWritten(facts);
  expect(list.entries).toEqual([]);
});

test('What another process writes back while the list is asked is removed again', async () => {
  const list = new SharedList();
  list.entries = ['present'];
  const storage = list.storage();
  let lost = 2;
  // Removals that the other process overwrites with what it had read before.
  const overwritten: ListStorage = {
    ...storage,
    remove: async (entries) => {
      lost -= 1;
      if (lost < 0) await storage.remove(entries);
    },
  };
  const facts = newList();
  const asked = await facts.ask(['present', 'missing'], 'a mark', overwritten);
  expect(asked.states).toEqual(['noted', 'unknown']);
  await facts.confirmRemoved([asked], overwritten);
  expect(list.entries).toEqual(['present']);
});

test('What is noted for others is written again until nobody can overwrite it any more', async () => {
  const list = new SharedList();
  const storage = list.storage();
  let now = 0;
  const facts = new FactList(() => now);
  await facts.record({ open: ['order'] }, storage);
  facts.close(['order'], true, storage);
  await allWritten(facts);
  const isWrittenAgain = async () => {
    list.entries = [];
    await facts.record({ note: ['another'] }, storage);
    return list.entries.includes('order');
  };
  expect(await isWrittenAgain()).toBe(true);
  now = 3_000;
  await facts.record({ note: ['another'] }, storage);
  expect(await isWrittenAgain()).toBe(false);
});

test('What is claimed while its removal waits stays in the list', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const facts = newList();
  // More than are removed together, before it.
  const others = Array.from({ length: 300 }, (_, index) => `other ${index}`);
  await facts.record({ open: ['order'], note: others }, storage);
  facts.retract([...others, 'order'], storage);
  const before = await facts.claim(['order'], 'a mark', storage);
  await allWritten(facts);
  expect(before.get('order')).toBe('unknown');
  expect(list.entries.toSorted()).toEqual(CLAIMED);
});

test('What is closed while its removal waits stays in the list', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const facts = newList();
  await facts.record({ open: ['order'] }, storage);
  const claimed = facts.claim(['order', 'new'], 'a mark', storage);
  facts.retract(['order'], storage);
  facts.close(['order'], false, storage);
  await claimed;
  await allWritten(facts);
  expect(list.entries.toSorted()).toEqual(['new', 'new?', 'order']);
});

test('A claim of what is noted leaves it as it was', async () => {
  const list = new SharedList();
  const storage = list.storage();
  await newList().record({ note: ['order'] }, storage);
  const facts = newList();
  const before = await facts.claim(['order'], 'a mark', storage);
  await allWritten(facts);
  expect([before.get('order'), list.entries]).toEqual(['noted', ['order']]);
});

test('Claims of one process at the same moment are written together, and one of those for the same fact wins', async () => {
  const list = new SharedList();
  const storage = list.storage();
  let writes = 0;
  const watched: ListStorage = {
    ...storage,
    record: async (entries) => {
      writes += 1;
      return await storage.record(entries);
    },
  };
  const facts = newList();
  const orders = Array.from({ length: 20 }, (_, index) => `order ${index}`);
  const claims = [...orders, 'order', 'order'].map(
    async (fact, index) => await facts.claim([fact], `mark ${index}`, watched),
  );
  const states = (await Promise.all(claims)).flatMap((before) => [...before.values()]);
  await allWritten(facts);
  expect(states).toEqual([...orders.map(() => 'unknown'), 'unknown', 'open']);
  expect(list.entries.filter((entry) => entry.startsWith('mark'))).toEqual([]);
  expect(writes).toBeLessThanOrEqual(4);
});

test('What another process writes back of a question can be claimed while it is removed again', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const facts = newList();
  const claims: Array<ReturnType<FactList['claim']>> = [];
  const watched: ListStorage = {
    ...storage,
    remove: async (entries) => {
      if (claims.length === 0) claims.push(facts.claim(['order'], 'mark of a claim', storage));
      await storage.remove(entries);
    },
  };
  const asked = await facts.ask(['order'], 'a mark', storage);
  list.entries = [...CLAIMED, 'a mark'];
  await facts.confirmRemoved([asked], watched);
  const before = (await Promise.all(claims)).map((states) => states.get('order'));
  expect(before).toEqual(['unknown']);
});

test('What this process has won stays its own when another process overwrites it', async () => {
  const list = new SharedList();
  const storage = list.storage();
  const facts = newList();
  await facts.claim(['order'], 'a mark', storage);
  list.entries = [];
  const before = await facts.claim(['order'], 'another mark', storage);
  expect(before.get('order')).toBe('open');
});

test('What is lost at once can be asked for by others while the rest of the claim is confirmed', async () => {
  const list = new SharedList();
  list.entries = ['order'];
  const storage = list.storage();
  const facts = newList();
  const claims: Array<ReturnType<FactList['claim']>> = [];
  const watched: ListStorage = {
    ...storage,
    waitForOthers: async () => {
      if (claims.length === 0) claims.push(facts.claim(['order'], 'another mark', storage));
      await Promise.all(claims);
    },
  };
  await facts.claim(['order', 'new'], 'a mark', watched);
  expect(await claims[0]).toEqual(new Map([['order', 'noted']]));
});

test('A question whose end the storage refuses leaves nothing behind', async () => {
  const list = new SharedList();
  const storage = list.storage();
  let removals = 0;
  const refusing: ListStorage = {
    ...storage,
    remove: async (entries) => {
      removals += 1;
      if (removals === 1) throw new Error('locked');
      await storage.remove(entries);
    },
  };
  const facts = newList();
  await facts.ask(['missing'], 'a mark', refusing);
  await allWritten(facts);
  expect(list.entries).toEqual([]);
});
