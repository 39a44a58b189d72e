/** A list of texts that outlives an execution, one for each node of a workflow. Only membership can be asked of it. */
export interface ListStorage {
  /**
   * Appends the entries that are missing. There is no read without it.
   * @returns those that were there before
   * @throws when the database does not take it, however long it was waited for
   */
  readonly record: (entries: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly remove: (entries: readonly string[]) => Promise<void>;
  /** Drops the oldest entries of a list that has become too long. */
  readonly shorten: () => Promise<void>;
  /**
   * Resolves when another process that was writing at the same time has most likely ended.
   * @param attempt counted from 0: later ones wait longer, each process for another time
   */
  readonly waitForOthers: (attempt: number) => Promise<void>;
}

/**
 * `barred`: nobody may open it any more. `open`: begun, and its end is not noted. `noted`: it is true.
 *
 * In the list, a noted fact is one entry, an open one has a pending marker beside it, and a barred one is the marker alone. A
 * question adds both for a moment: if n8n is killed then, the fact stays open, which sends nothing and claims nothing.
 */
export type FactState = 'unknown' | 'barred' | 'open' | 'noted';

/** With its pending marker, which shows that the end of the fact is not noted. */
export function entriesOfOpen(fact: string): [entry: string, marker: string] {
  return [fact, `${fact}?`];
}

function entriesOf(fact: string, state: FactState): string[] {
  const [entry, marker] = entriesOfOpen(fact);
  return { unknown: [], barred: [marker], open: [entry, marker], noted: [entry] }[state];
}

export function stateIn(present: ReadonlySet<string>, fact: string): FactState {
  const [entry, marker] = entriesOfOpen(fact);
  if (present.has(marker)) return present.has(entry) ? 'open' : 'barred';
  return present.has(entry) ? 'noted' : 'unknown';
}

/**
 * How long each write repeats the entries of a fact, because another process can overwrite them: while it is `held`, or
 * until a write that begins after this time finds them. A `claiming` run has not won it yet, and repeats nothing.
 */
type Hold = 'claiming' | 'held' | { readonly untilFoundAfter: number } | null;

interface Known {
  state: FactState;
  hold: Hold;
}

/** The facts of a node that this process relies on, or has changed lately: it knows them better than the list. */
class KnownFacts {
  readonly all = new Map<string, Known>();
  /** Of these, the list may have entries that their state does not have. */
  readonly surplus = new Set<string>();

  /** @returns undefined where only the list knows */
  stateOf(fact: string): FactState | undefined {
    return this.all.get(fact)?.state;
  }

  /** @param hasSurplus whether the list may have entries of the fact that this state does not have; as before by default */
  set(fact: string, state: FactState, hold: Hold, hasSurplus = this.surplus.has(fact)): void {
    this.all.set(fact, { state, hold });
    if (hasSurplus) this.surplus.add(fact);
    else this.surplus.delete(fact);
    this.hold(fact, hold);
  }

  hold(fact: string, hold: Hold): void {
    const known = this.all.get(fact);
    if (known === undefined) return;
    known.hold = hold;
    // What nobody holds and nothing is to be removed of is in the list alone.
    if (hold === null && !this.surplus.has(fact)) this.all.delete(fact);
  }

  /** Whether a run of this process has opened it, and neither settled nor released it. */
  isInFlight(fact: string): boolean {
    const known = this.all.get(fact);
    return known?.state === 'open' && (known.hold === 'held' || known.hold === 'claiming');
  }

  /** These entries, without those that known facts have. */
  withoutKnown(entries: readonly string[]): string[] {
    const kept = new Set([...this.all].flatMap(([fact, { state }]) => entriesOf(fact, state)));
    return entries.filter((entry) => !kept.has(entry));
  }
}

interface SharedWrite {
  readonly entries: Set<string>;
  readonly present: Promise<ReadonlySet<string>>;
  readonly storage: ListStorage;
}

/** n8n looks for each entry to remove from the start of the list, which takes some 0.1 ms in a long one. */
const MAX_REMOVED = 100;

/**
 * The list of a node, as this process writes it, for all its runs. n8n reads the list, changes it and writes it back
 * without a lock, so of two concurrent writes one would be lost: writes take turns, and what arrives during one goes into
 * the next.
 *
 * Another process can still overwrite a write. So each write repeats what a run relies on.
 */
export class FactList {
  readonly known = new KnownFacts();
  readonly turns = new Turns();
  private nextWrite: SharedWrite | null = null;
  private isRemoving = false;

  /** @param now milliseconds, never going back */
  constructor(readonly now: () => number) {}

  /**
   * Writes these entries with all that a run relies on.
   * @returns what was in the list before
   * @throws what the storage throws
   */
  async write(entries: readonly string[], storage: ListStorage): Promise<ReadonlySet<string>> {
    if (this.nextWrite === null) {
      const together = new Set<string>();
      const present = this.turns.take(async () => {
        this.nextWrite = null;
        return await this.writeNow(together, storage);
      });
      this.nextWrite = { entries: together, present, storage };
    }
    const { entries: together, present, storage: writer } = this.nextWrite;
    for (const entry of entries) together.add(entry);
    // The run that wrote for both may have been stopped, or may wait less long.
    return await (writer === storage ? present : present.catch(async () => await this.write(entries, storage)));
  }

  private async writeNow(entries: Set<string>, storage: ListStorage): Promise<ReadonlySet<string>> {
    const { all } = this.known;
    const began = this.now();
    const own = [...entries];
    for (const [fact, { state, hold }] of all) {
      if (hold !== null && hold !== 'claiming') for (const entry of entriesOf(fact, state)) entries.add(entry);
    }
    const present = await storage.record([...entries]);
    for (const fact of own) {
      const found = stateIn(present, fact);
      const isBegun = found === 'open' || found === 'noted';
      // It can't be barred any more: the entries of the process that has begun it must stay.
      if (isBegun && all.get(fact)?.state === 'barred') this.known.set(fact, found, null, true);
    }
    for (const [fact, { state, hold }] of all) {
      if (hold === null || typeof hold === 'string' || hold.untilFoundAfter > began) continue;
      if (entriesOf(fact, state).every((entry) => present.has(entry))) this.known.hold(fact, null);
    }
    this.removeSurplus(storage);
    return present;
  }

  /**
   * In the background: what is not removed only makes a later re-run more careful, and is tried again with the next write.
   * @param mayYield whether it may let a request's write go first
   */
  removeSurplus(storage: ListStorage, mayYield = true): void {
    if (this.isRemoving || this.known.surplus.size === 0) return;
    this.isRemoving = true;
    void this.turns
      .take(async () => {
        this.isRemoving = false;
        const yields = mayYield && this.nextWrite !== null;
        if (!yields) await this.removeNow(storage);
        this.removeSurplus(storage, !yields);
      })
      .catch(() => undefined);
  }

  /**
   * Resolves when none of these facts waits for its removal: what the list has of them then is another process's.
   * @throws what the storage throws
   */
  async finishRemoval(facts: readonly string[], storage: ListStorage): Promise<void> {
    while (facts.some((fact) => this.known.stateOf(fact) === 'unknown')) {
      await this.turns.take(async () => await this.removeNow(storage));
    }
  }

  private async removeNow(storage: ListStorage): Promise<void> {
    const { all, surplus } = this.known;
    const states = new Map<string, FactState>();
    const entries: string[] = [];
    for (const fact of surplus) {
      const state = all.get(fact)?.state ?? 'unknown';
      const kept = entriesOf(fact, state);
      const removed = entriesOfOpen(fact).filter((entry) => !kept.includes(entry));
      if (entries.length + removed.length > MAX_REMOVED) break;
      states.set(fact, state);
      entries.push(...removed);
    }
    if (entries.length > 0) await storage.remove(entries);
    for (const [fact, state] of states) {
      const known = all.get(fact);
      if (known?.state !== state) continue;
      surplus.delete(fact);
      this.known.hold(fact, known.hold);
    }
  }

  /** In the background. While a run of this process goes on, what it relies on may be the oldest in the list. */
  shorten(storage: ListStorage): void {
    void this.turns
      .take(async () => {
        while (this.known.surplus.size > 0) await this.removeNow(storage);
        if (this.known.all.size === 0) await storage.shorten();
      })
      .catch(() => undefined);
  }
}

class Turns {
  /** Resolves when all that has begun so far has ended. */
  last: Promise<unknown> = Promise.resolve();

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return await result;
  }
}
