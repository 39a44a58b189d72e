import { randomBytes } from 'node:crypto';

import { digestOf } from '../../messages/row';
import { type FactList, type FactState, type ListStorage, stateIn, valuesOf } from './factList';

/** Facts per question. One write must end it: a part of its values, written back by another process, would be claims. */
const MAX_ASKED = 1_000;

/** No process takes longer than this from reading the list to writing it back, in milliseconds. */
const LONGEST_WRITE = 2_000;

/** How often an overwritten write is repeated: another process may write without a pause for many seconds. */
const MAX_ROUNDS = 25;

/** What a run leaves for a Retry is removed so long after its end, in milliseconds, or after so many other runs. */
const KEPT_FOR = 3_600_000;
const KEPT_RUNS = 500;
/** More details of ended runs would push out people. Without its details, all that a run has begun is uncertain. */
const KEPT_DETAILS = 8_000;

/**
 * Facts that outlive executions, as one run sees them. The list contains a hash of each name.
 *
 *     store     makes them noted, open or barred; each write repeats them, until they are changed
 *     claim     opens them, unless somebody else has one, and looks again
 *     change    makes them noted, open or unknown, or leaves them, for the last time
 *     note      makes them noted or open with one write, which is not repeated
 */
export class Facts {
  private readonly salt: string;

  /**
   * @param secret hashed with each fact, so that nobody can guess what a value is about
   * @param isShared whether other executions rely on these facts, even if this process dies
   */
  constructor(
    readonly list: FactList,
    private readonly storage: ListStorage,
    secret: string,
    private readonly isShared: boolean,
  ) {
    this.salt = digestOf(secret);
  }

  /** The hash that stands for this name. */
  of(name: string): string {
    return digestOf(this.salt + name);
  }

  /**
   * Asks, and removes what the question added, even if another process writes it back: it would count as claimed.
   * @param inFlight the state of facts that another run of this process has in flight
   * @throws what the storage throws
   */
  async ask(facts: readonly string[], inFlight: FactState = 'open'): Promise<FactState[]> {
    if (facts.length > MAX_ASKED) {
      const parts = [facts.slice(0, MAX_ASKED), facts.slice(MAX_ASKED)];
      return (await Promise.all(parts.map(async (part) => await this.ask(part, inFlight)))).flat();
    }
    const { list, storage } = this;
    const stateOf = (fact: string) => list.known.get(fact)?.state ?? (list.forGood.has(fact) ? 'noted' : undefined);
    const known = () => facts.map((fact) => (list.isInFlight(fact) ? inFlight : stateOf(fact)));
    // Unique to this question: if it comes back, another process has written back what the question added.
    const mark = randomBytes(12).toString('base64');
    let added: readonly string[] = [];
    const states = await list.turns.take(async () => {
      // Read first: by the time the list answers, only the list may know these facts.
      const before = known();
      const asked = facts.filter((_fact, index) => before[index] === undefined);
      const values = [...new Set(asked)].flatMap((fact) => valuesOf(fact, 'open'));
      const present = values.length === 0 ? new Set<string>() : await storage.add([mark, ...values]);
      if (present.has(mark)) throw new Error('a question that was reported as failed had been stored');
      added = values.filter((value) => !present.has(value));
      if (values.length > 0) {
        await storage.remove([mark, ...added]).catch(() => {
          for (const fact of [...asked, mark]) {
            const to = stateIn(present, fact);
            if (!list.known.has(fact) && to !== 'open') list.change({ fact, to, hasSurplus: true });
          }
        });
      }
      return known().map((now, index) => now ?? before[index] ?? stateIn(present, facts[index] ?? ''));
    });
    // Written back, the values of a fact that nobody has begun would be a claim. A marker only makes noted facts doubtful.
    let isBack = states.includes('unknown') && added.length > 0;
    for (let round = 0; isBack && round < MAX_ROUNDS; round += 1) {
      await storage.waitForOthers(round);
      await list.turns.take(async () => {
        isBack = (await storage.add([mark])).has(mark);
        const kept = new Set([...list.known].flatMap(([fact, { state }]) => valuesOf(fact, state)));
        // One write removes both, so a value that is written back later comes back with its mark.
        await storage.remove([mark, ...(isBack ? added.filter((value) => !kept.has(value)) : [])]);
      });
    }
    if (this.isShared) for (const [index, fact] of facts.entries()) if (states[index] === 'noted') list.keep(fact);
    return states;
  }

  /**
   * Resolves once these facts are stored in these states. Each write repeats them until they are changed.
   * @param fresh those of the facts that nobody else may have begun
   * @returns whether another process has begun one of the fresh facts
   * @throws what the storage throws
   */
  async store(
    { noted = [], open = [], barred = [] }: Partial<Record<Exclude<FactState, 'unknown'>, readonly string[]>>,
    fresh: readonly string[] = [],
  ): Promise<boolean> {
    const { list } = this;
    const unseen = fresh.filter((fact) => !list.known.has(fact));
    for (const fact of barred) list.change({ fact, to: 'barred', repeat: 'always' });
    for (const fact of noted) list.change({ fact, to: 'noted', repeat: 'always' });
    for (const fact of open) list.change({ fact, to: 'open', repeat: 'always' });
    // If it fails, nobody knows whose values the list has, so another try must look again.
    const fail = (error: unknown): never => {
      for (const fact of [...noted, ...open, ...barred]) list.known.delete(fact);
      throw error;
    };
    // It also writes everything that is repeated: the noted facts and the open ones.
    const present = await list.write(barred, this.storage).catch(fail);
    const isTaken = unseen.some((fact) => stateIn(present, fact) !== 'unknown');
    if (isTaken && present.isUnsure === true) fail(new Error('a write that was reported as failed had been stored'));
    return isTaken;
  }

  /**
   * Writes facts once, unless a run of this process has them. If another process overwrites them, nobody learns them.
   * @throws what the storage throws
   */
  async note({ noted, open }: Readonly<Record<'noted' | 'open', readonly string[]>>): Promise<void> {
    const { list, storage } = this;
    // Another run may have it in flight, and must not give it up, as not sent; or what it has given up waits to be removed.
    this.change({ facts: noted.filter((fact) => list.known.has(fact)), to: 'noted' });
    const doubtful = open.filter((fact) => list.known.get(fact)?.state !== 'noted');
    const ofNoRun = doubtful.filter((fact) => !list.known.has(fact));
    this.change({ facts: doubtful, to: 'open' });
    await list.write(noted, storage);
    for (const fact of ofNoRun) list.change({ fact });
  }

  /**
   * Opens facts, unless somebody else has one of them. Another process may have read the list before they were in it, and
   * write it back afterwards, so they are looked up again when such a write has most likely ended.
   * @returns the state of each before: if all were unknown, they are now the caller's; if not, none is
   * @throws what the storage throws, or if others overwrite every write; then nothing is claimed
   */
  async claim(facts: readonly string[]): Promise<FactState[]> {
    const { list, storage } = this;
    // Values that the list has once none of these waits to be removed are another process's.
    while (facts.some((fact) => list.known.get(fact)?.state === 'unknown')) {
      await list.turns.take(async () => await list.removeNow(storage));
    }
    const isFree = (states: readonly FactState[]) => states.every((state) => state === 'unknown');
    const before = facts.map((fact) => list.known.get(fact)?.state ?? 'unknown');
    if (facts.length === 0 || !isFree(before)) return before;
    for (const fact of facts) list.change({ fact, to: 'open', repeat: 'claiming' });
    const mark = randomBytes(12).toString('base64');
    let isAdded = false;
    try {
      for (let round = 0; round <= MAX_ROUNDS; round += 1) {
        if (round > 0) await storage.waitForOthers(round - 1);
        const own = facts.filter((fact) => list.isInFlight(fact));
        const present = await list.write([mark, ...own.flatMap((fact) => valuesOf(fact, 'open'))], storage);
        const isStored = present.has(mark);
        if (isStored && !isAdded) throw new Error('a write that was reported as failed had been stored');
        // The first write, or another process overwrote the last one: this one has added what nobody had.
        isAdded = true;
        const states = facts.map((fact) => {
          // It was noted, or a run without this memory has noted it meanwhile.
          if (!list.isInFlight(fact)) return list.known.get(fact)?.state ?? 'noted';
          const state = isStored ? 'unknown' : stateIn(present, fact);
          if (state !== 'unknown') list.known.delete(fact);
          return state;
        });
        if (isFree(states) && !isStored) continue;
        if (isFree(states)) for (const fact of facts) list.change({ fact, repeat: 'always' });
        return states;
      }
      throw new Error('other processes overwrite every claim');
    } finally {
      for (const fact of facts.filter((each) => list.known.get(each)?.repeat === 'claiming')) {
        // If the first write failed, nobody knows whose values the list has.
        if (isAdded) list.change({ fact, to: 'unknown' });
        else list.known.delete(fact);
      }
      list.change({ fact: mark, to: 'unknown' });
      list.tidy(storage);
    }
  }

  /**
   * What a run knows last of facts. Another process may overwrite them, so each write repeats them: until the run ends, or,
   * if they are shared and so may be many, until no process can still overwrite the write that added them.
   * @param to without it, they stay what they are: nobody will learn more, and those of one run are no longer repeated
   */
  change({ facts, to }: { readonly facts: readonly string[]; readonly to?: 'noted' | 'open' | 'unknown' }): void {
    const { list, isShared } = this;
    const isLeft = to === 'unknown' || (to === undefined && !isShared);
    const repeat = isLeft ? null : isShared ? list.now() + LONGEST_WRITE : 'always';
    for (const fact of facts) list.change({ fact, to, repeat });
    list.tidy(this.storage);
  }

  /**
   * Releases the facts of a run that has ended. Those that only its Retries need are removed, but not yet: n8n may not
   * have stored the execution. What long ended runs have left goes in the background, unless another run relies on it.
   */
  end(begun: readonly string[], details: readonly string[] = []): void {
    const { ended, known, now } = this.list;
    if (!this.isShared) ended.push({ begun, details: [...details], at: now() });
    const count = ended.findIndex(({ at }, index) => at > now() - KEPT_FOR && index >= ended.length - KEPT_RUNS);
    const old = ended.splice(0, count === -1 ? ended.length : count).flatMap((run) => [...run.begun, ...run.details]);
    let room = KEPT_DETAILS;
    for (const { details: own } of ended.toReversed()) {
      room -= own.length;
      if (room < 0) old.push(...own.splice(0));
    }
    this.change({ facts: old.filter((fact) => known.get(fact)?.repeat !== 'always'), to: 'unknown' });
    // Only now, because an earlier attempt may have left some of them, too.
    for (const fact of [...begun, ...details]) this.list.change({ fact });
  }
}
