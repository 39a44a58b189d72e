/** A node's list of texts, which outlives executions. It can only tell which texts it contains. */
export interface ListStorage {
  /**
   * Appends the missing entries. n8n has no read-only call for this list: looking an entry up adds it.
   * @returns the entries that were there before
   * @throws if the database doesn't take it within Max Wait
   */
  readonly record: (entries: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly remove: (entries: readonly string[]) => Promise<void>;
  /** Drops the oldest entries if the list has become too long. */
  readonly shorten: () => Promise<void>;
  /**
   * Resolves when a write by another process at the same time has most likely ended.
   * @param round counted from 0: later ones wait longer, each process for a random time
   */
  readonly waitForOthers: (round: number) => Promise<void>;
}

/**
 * `barred`: may no longer be opened. `open`: begun, its end not noted. `noted`: true.
 *
 * In the list, a noted fact is one entry, an open fact is the entry with a pending marker, and a barred fact is the
 * marker alone. A question adds both for a moment. If n8n is killed then, the fact stays open: nothing is sent or
 * called sent.
 */
export type FactState = 'unknown' | 'barred' | 'open' | 'noted';

/** The entries of a fact in a state. The pending marker shows that the end of the fact is not noted. */
export function entriesOf(fact: string, state: FactState): string[] {
  const marker = `${fact}?`;
  return { unknown: [], barred: [marker], open: [fact, marker], noted: [fact] }[state];
}

export function stateIn(present: ReadonlySet<string>, fact: string): FactState {
  if (present.has(`${fact}?`)) return present.has(fact) ? 'open' : 'barred';
  return present.has(fact) ? 'noted' : 'unknown';
}

/**
 * How long each write repeats a fact's entries, because another process can overwrite them: `always`, until the fact is
 * released, or until a write that begins after this time finds them. A fact that is still `claiming` isn't repeated.
 */
type Repeat = 'claiming' | 'always' | { readonly untilFoundAfter: number } | null;

interface Known {
  state: FactState;
  repeat: Repeat;
}

/** Facts that this process relies on or has just changed: their state here is newer than the list's. */
class KnownFacts {
  readonly all = new Map<string, Known>();
  /** Facts whose entries in the list may not all fit their state: the others are to be removed. */
  readonly surplus = new Set<string>();

  /** @returns undefined if only the list knows */
  stateOf(fact: string): FactState | undefined {
    return this.all.get(fact)?.state;
  }

  /** `hasSurplus`: whether the list may have entries of the fact that don't fit this state; unchanged by default. */
  set(fact: string, { state, repeat, hasSurplus = this.surplus.has(fact) }: Known & { hasSurplus?: boolean }): void {
    this.all.set(fact, { state, repeat });
    if (hasSurplus) this.surplus.add(fact);
    else this.surplus.delete(fact);
    this.repeat(fact, repeat);
  }

  repeat(fact: string, repeat: Repeat): void {
    const known = this.all.get(fact);
    if (known === undefined) return;
    known.repeat = repeat;
    // A fact that no write repeats, and with nothing to remove, is left to the list.
    if (repeat === null && !this.surplus.has(fact)) this.all.delete(fact);
  }

  /** Whether a run of this process has opened the fact, and neither settled nor released it. */
  isInFlight(fact: string): boolean {
    const known = this.all.get(fact);
    return known?.state === 'open' && (known.repeat === 'always' || known.repeat === 'claiming');
  }

  /** Leaves out the entries of known facts. */
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

/** For each entry to remove, n8n searches the list from its start: some 0.1 ms in a long list. */
const MAX_REMOVED = 100;

/**
 * All writes of this process to the list of a node. n8n reads the list, changes it and writes it back without a lock,
 * so one of two concurrent writes would be lost. So writes take turns, and entries that arrive during a write go into
 * the next.
 *
 * Another process can still overwrite a write, so each write repeats the entries that runs rely on.
 */
export class FactList {
  readonly known = new KnownFacts();
  readonly turns = new Turns();
  private nextWrite: SharedWrite | null = null;
  private isRemoving = false;

  /** @param now in milliseconds; never goes back */
  constructor(readonly now: () => number) {}

  /**
   * Writes these entries with all that runs rely on.
   * @returns the entries that were in the list before
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
    // The run that wrote for both may have been stopped, or have a shorter Max Wait.
    return await (writer === storage ? present : present.catch(async () => await this.write(entries, storage)));
  }

  private async writeNow(entries: Set<string>, storage: ListStorage): Promise<ReadonlySet<string>> {
    const { all } = this.known;
    const began = this.now();
    const own = [...entries];
    for (const [fact, { state, repeat }] of all) {
      if (repeat !== null && repeat !== 'claiming') for (const entry of entriesOf(fact, state)) entries.add(entry);
    }
    const present = await storage.record([...entries]);
    for (const entry of own) {
      const found = stateIn(present, entry);
      const isBegun = found === 'open' || found === 'noted';
      // Too late to bar it: the entries of the process that has begun it must stay.
      if (isBegun && all.get(entry)?.state === 'barred')
        this.known.set(entry, { state: found, repeat: null, hasSurplus: true });
    }
    for (const [fact, { state, repeat }] of all) {
      if (repeat === null || typeof repeat === 'string' || repeat.untilFoundAfter > began) continue;
      if (entriesOf(fact, state).every((entry) => present.has(entry))) this.known.repeat(fact, null);
    }
    this.removeSurplus(storage);
    return present;
  }

  /**
   * Runs in the background: leftover entries only make a later re-run more careful, and the next write tries again.
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
   * Resolves when none of these facts waits to be removed: entries that the list has then are another process's.
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
      const removed = entriesOf(fact, 'open').filter((entry) => !kept.includes(entry));
      if (entries.length + removed.length > MAX_REMOVED) break;
      states.set(fact, state);
      entries.push(...removed);
    }
    if (entries.length > 0) await storage.remove(entries);
    for (const [fact, state] of states) {
      const known = all.get(fact);
      if (known?.state !== state) continue;
      surplus.delete(fact);
      this.known.repeat(fact, known.repeat);
    }
  }

  /** Runs in the background, once no run of this process relies on facts: the oldest entries could be theirs. */
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
  /** Resolves when all turns taken so far have ended. */
  last: Promise<unknown> = Promise.resolve();

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return await result;
  }
}
