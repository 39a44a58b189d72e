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
 * In the list, a noted fact is one entry, an open one has a pending marker beside it, and a barred one is the marker alone. A question adds both for a
 * moment: if n8n is killed then, the fact stays open, which sends nothing and claims nothing.
 */
export type FactState = 'unknown' | 'barred' | 'open' | 'noted';

/**
 * How long each write repeats the entries of a fact, because another process can overwrite them: while it is `held`, or
 * until a write that begins after this time finds them. A `claiming` run has not won it yet, and repeats nothing.
 */
export type Hold = 'claiming' | 'held' | { readonly untilFoundAfter: number } | null;

/** What this process knows of a fact that it has changed lately. It counts more than what the list says. */
interface Changed {
  state: FactState;
  hold: Hold;
  /** Called when the run that holds it has settled or released it. */
  readonly waiting: Array<() => void>;
}

interface SharedWrite {
  readonly entries: Set<string>;
  readonly present: Promise<ReadonlySet<string>>;
}

/** n8n looks for each entry to remove from the start of the list, which takes some 0.1 ms in a long one. */
const MAX_REMOVED = 100;

/**
 * What this process knows of the facts of a node, for all its runs. n8n reads the list, changes it and writes it back
 * without a lock, so of two concurrent writes one would be lost: writes take turns, and what arrives during one goes into
 * the next.
 *
 * Another process can still overwrite a write. So each write repeats what a run relies on.
 */
export class FactList {
  private lastTurn: Promise<unknown> = Promise.resolve();
  private nextWrite: SharedWrite | null = null;
  private readonly changed = new Map<string, Changed>();
  /** Of these, the list may have entries that their state does not have. */
  private readonly surplus = new Set<string>();
  private isRemoving = false;
  runs = 0;

  /** @param now milliseconds, never going back */
  constructor(readonly now: () => number) {}

  /** @returns undefined where only the list knows */
  stateOf(fact: string): FactState | undefined {
    return this.changed.get(fact)?.state;
  }

  /** @param hasSurplus whether the list may have entries of the fact that this state does not have; as before by default */
  set(fact: string, state: FactState, hold: Hold, hasSurplus = this.surplus.has(fact)): void {
    const { waiting } = this.changed.get(fact) ?? { waiting: [] };
    this.changed.set(fact, { state, hold, waiting });
    if (hasSurplus) this.surplus.add(fact);
    else this.surplus.delete(fact);
    this.changeHold(fact, hold);
  }

  changeHold(fact: string, hold: Hold): void {
    const changed = this.changed.get(fact);
    if (changed === undefined) return;
    changed.hold = hold;
    if (hold === 'held' || hold === 'claiming') return;
    for (const resolve of changed.waiting.splice(0)) resolve();
    // What nobody holds and nothing is to be removed of is in the list alone.
    if (hold === null && !this.surplus.has(fact)) this.changed.delete(fact);
  }

  /** Releases a fact that is held once a write that begins after this time has found it. */
  releaseWhenFound(fact: string, after: number): void {
    if (this.changed.get(fact)?.hold === 'held') this.changeHold(fact, { untilFoundAfter: after });
  }

  /** @returns a promise that resolves when a run of this process has settled the fact; null where none has it in flight */
  whenSettled(fact: string): Promise<void> | null {
    const changed = this.changed.get(fact);
    if (changed?.state !== 'open' || (changed.hold !== 'held' && changed.hold !== 'claiming')) return null;
    return new Promise((resolve) => changed.waiting.push(resolve));
  }

  /** The entries of these, without those that facts of this process have. */
  withoutKnown(entries: readonly string[]): string[] {
    const kept = new Set([...this.changed].flatMap(([fact, { state }]) => entriesOf(fact, state)));
    return entries.filter((entry) => !kept.has(entry));
  }

  /** Resolves when all changes so far are stored, as far as the storage takes them. */
  async whenWritten(): Promise<void> {
    await this.lastTurn;
  }

  /**
   * Writes these entries with all that a run relies on.
   * @returns what was in the list before
   * @throws what the storage throws
   */
  async write(entries: readonly string[], storage: ListStorage): Promise<ReadonlySet<string>> {
    if (this.nextWrite === null) {
      const together = new Set<string>();
      const present = this.inTurn(async () => {
        this.nextWrite = null;
        return await this.writeNow(together, storage);
      });
      this.nextWrite = { entries: together, present };
    }
    const { entries: together, present } = this.nextWrite;
    for (const entry of entries) together.add(entry);
    return await present;
  }

  private async writeNow(entries: ReadonlySet<string>, storage: ListStorage): Promise<ReadonlySet<string>> {
    const began = this.now();
    const held: string[] = [];
    for (const [fact, { state, hold }] of this.changed) {
      if (hold !== null && hold !== 'claiming') held.push(...entriesOf(fact, state));
    }
    const present = await storage.record([...new Set([...held, ...entries])]);
    for (const [fact, { state, hold }] of this.changed) {
      if (hold === null || typeof hold === 'string' || hold.untilFoundAfter > began) continue;
      if (entriesOf(fact, state).every((entry) => present.has(entry))) this.changeHold(fact, null);
    }
    this.removeSurplus(storage);
    return present;
  }

  /** In the background: what is not removed only makes a later re-run more careful, and is tried again with the next write. */
  removeSurplus(storage: ListStorage): void {
    if (this.isRemoving || this.surplus.size === 0) return;
    this.isRemoving = true;
    void this.inTurn(async () => {
      this.isRemoving = false;
      await this.removeNow(storage);
      this.removeSurplus(storage);
    }).catch(() => undefined);
  }

  /**
   * Resolves when none of these facts waits for its removal: what the list has of them then is another process's.
   * @throws what the storage throws
   */
  async finishRemoval(facts: readonly string[], storage: ListStorage): Promise<void> {
    while (facts.some((fact) => this.stateOf(fact) === 'unknown')) {
      await this.inTurn(async () => await this.removeNow(storage));
    }
  }

  private async removeNow(storage: ListStorage): Promise<void> {
    const removed = new Map<string, FactState>();
    const entries: string[] = [];
    for (const fact of this.surplus) {
      const state = this.stateOf(fact) ?? 'unknown';
      const kept = entriesOf(fact, state);
      const surplus = entriesOfOpen(fact).filter((entry) => !kept.includes(entry));
      if (entries.length + surplus.length > MAX_REMOVED) break;
      removed.set(fact, state);
      entries.push(...surplus);
    }
    if (entries.length > 0) await storage.remove(entries);
    for (const [fact, state] of removed) {
      const changed = this.changed.get(fact);
      if (changed?.state !== state) continue;
      this.surplus.delete(fact);
      this.changeHold(fact, changed.hold);
    }
  }

  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.lastTurn.then(work);
    this.lastTurn = result.catch(() => undefined);
    return await result;
  }
}

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
