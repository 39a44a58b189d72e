import { KnownFacts } from './knownFacts';

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

interface SharedWrite {
  readonly entries: Set<string>;
  readonly present: Promise<ReadonlySet<string>>;
}

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
      this.nextWrite = { entries: together, present };
    }
    const { entries: together, present } = this.nextWrite;
    for (const entry of entries) together.add(entry);
    return await present;
  }

  private async writeNow(entries: ReadonlySet<string>, storage: ListStorage): Promise<ReadonlySet<string>> {
    const began = this.now();
    const present = await storage.record([...new Set([...this.known.repeated, ...entries])]);
    this.known.found(present, began);
    this.removeSurplus(storage);
    return present;
  }

  /** In the background: what is not removed only makes a later re-run more careful, and is tried again with the next write. */
  removeSurplus(storage: ListStorage): void {
    if (this.isRemoving || this.known.surplus.size === 0) return;
    this.isRemoving = true;
    void this.turns
      .take(async () => {
        this.isRemoving = false;
        await this.removeNow(storage);
        this.removeSurplus(storage);
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
    const removal = this.known.removal;
    if (removal.entries.length > 0) await storage.remove(removal.entries);
    this.known.removed(removal);
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
