/** Entries that outlive an execution: one list for each node of a workflow. */
export interface LedgerStorage {
  /**
   * Appends the entries that are missing, and drops the oldest where the list gets too long.
   * @returns those that were there before
   */
  readonly record: (entries: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly remove: (entries: readonly string[]) => Promise<void>;
  /**
   * Resolves when what another process was writing meanwhile is most likely written.
   * @param took how long the latest write took here, in milliseconds
   * @param attempt counted from 0: later ones wait longer, each process for another time
   */
  readonly settle: (took: number, attempt: number) => Promise<void>;
}

/** An entry that only one may have, and one that goes with it until its end is known. */
export interface Claim {
  readonly entry: string;
  readonly companion: string;
}

/** No process takes so long from reading the list to writing it back, in milliseconds. */
const LONGEST_WRITE = 2_000;

/** What the list had of some entries. */
export interface Asked {
  readonly present: ReadonlySet<string>;
  readonly mark: string;
  /** Those that it did not have, and had for a moment. */
  readonly added: readonly string[];
}

/** Of how many answers what was written back is removed by one write: up to 200 entries for each. */
const ASKED_TOGETHER = 4;

/** How often what another process has overwritten is written again, within some 2 s. */
const MAX_ATTEMPTS = 12;

/**
 * n8n finds each entry to remove by reading the list from its start, which takes some 0.1 ms in a long one. Even, because
 * the two entries of a fact are removed by one write: between two, another process may write one of them back.
 */
const MAX_REMOVED = 100;

/**
 * The writes of all runs of a node in this process, one after the other: n8n reads the list, changes it and writes it
 * back, so of two concurrent writes one would be lost. Whatever arrives during a write is written together next.
 *
 * Another process may still overwrite a write. So each write that adds something repeats what is held: everything recent
 * that a run relies on.
 */
export class LedgerQueue {
  private last: Promise<unknown> = Promise.resolve();
  private additions: { readonly entries: Set<string>; readonly written: Promise<unknown> } | null = null;
  private readonly removals = new Set<string>();
  /** The same, as they are removed together. */
  private readonly removalGroups: Array<readonly string[]> = [];
  private isRemoving = false;
  private readonly held = new Set<string>();
  /** With the time from which on a write releases them that finds them. */
  private readonly unconfirmed = new Map<string, number>();
  private took = 0;

  /** @param now milliseconds, never going back */
  constructor(private readonly now: () => number) {}

  /** @throws what the storage throws, at the second attempt */
  async record(entries: readonly string[], storage: LedgerStorage): Promise<void> {
    for (const entry of entries) this.removals.delete(entry);
    this.additions ??= { entries: new Set(), written: this.next(async () => await this.writeAdditions(storage)) };
    const { entries: together, written } = this.additions;
    for (const entry of entries) together.add(entry);
    await written;
  }

  /**
   * In the background: what is not removed only makes a later re-run more careful than needed.
   * @param entries the two of a fact, if both are among them, one after the other, and at an even place
   */
  remove(entries: readonly string[], storage: LedgerStorage): void {
    for (let start = 0; start < entries.length; start += MAX_REMOVED) {
      this.removalGroups.push(entries.slice(start, start + MAX_REMOVED));
    }
    for (const entry of entries) {
      this.removals.add(entry);
      this.held.delete(entry);
      this.unconfirmed.delete(entry);
    }
    if (this.isRemoving || this.removalGroups.length === 0) return;
    this.isRemoving = true;
    void this.next(async () => await this.writeRemovals(storage)).catch(() => undefined);
  }

  /** Takes back what was to be removed, as far as that has not begun. */
  keep(entries: readonly string[]): void {
    for (const entry of entries) this.removals.delete(entry);
  }

  /**
   * Whether each entry is in the list. Missing ones are added for a moment, because n8n can't read without writing: see
   * {@link confirmRemoved}.
   * @param mark an entry of this call alone
   */
  async ask(entries: readonly string[], mark: string, storage: LedgerStorage): Promise<Asked> {
    return await this.next(async () => {
      const found = await storage.record([mark, ...entries]);
      const added = entries.filter((entry) => !found.has(entry));
      await storage.remove([mark, ...added]);
      const present = new Set(entries.filter((entry) => found.has(entry) && !this.removals.has(entry)));
      return { present, mark, added };
    });
  }

  /**
   * Another process may have read the list while an answer's entries were in it, and write them back: nobody could claim
   * them any more. The answer's mark shows it.
   */
  async confirmRemoved(asked: readonly Asked[], storage: LedgerStorage): Promise<void> {
    let open = asked.filter(({ added }) => added.length > 0);
    for (let attempt = 0; open.length > 0 && attempt < MAX_ATTEMPTS; attempt += 1) {
      await storage.settle(this.took, attempt);
      const back: Asked[] = [];
      for (let start = 0; start < open.length; start += ASKED_TOGETHER) {
        const some = open.slice(start, start + ASKED_TOGETHER);
        back.push(...(await this.next(async () => await this.removeWrittenBack(some, storage))));
      }
      open = back;
    }
  }

  /** @returns those that another process had written back */
  private async removeWrittenBack(asked: readonly Asked[], storage: LedgerStorage): Promise<Asked[]> {
    const marks = asked.map(({ mark }) => mark);
    const found = await storage.record(marks);
    const back = asked.filter(({ mark }) => found.has(mark));
    const added = back.flatMap((each) => each.added).filter((entry) => !this.isWanted(entry));
    // In one write: what is written back after it, is so with its mark.
    await storage.remove([...marks, ...added]);
    return back;
  }

  private isWanted(entry: string): boolean {
    return this.held.has(entry) || this.unconfirmed.has(entry);
  }

  /**
   * Adds entries that nobody else may have. Another process may have read the list before they were in it, and write it
   * back afterwards. So they are looked for once more when such a write has most likely ended.
   * @param mark an entry of this call alone: where it is missing afterwards, another process has overwritten the write
   * @returns the entries that nobody had, and all that were there before
   * @throws where others overwrite it each time; then nothing is claimed
   */
  async claim(
    wanted: readonly Claim[],
    mark: string,
    storage: LedgerStorage,
  ): Promise<{ readonly won: ReadonlySet<string>; readonly present: ReadonlySet<string> }> {
    const entriesOf = (claims: readonly Claim[]) => claims.flatMap(({ entry, companion }) => [entry, companion]);
    // What is about to be removed counts as removed, and must stay if it is won.
    const removed = new Set<string>();
    const write = async (claims: readonly Claim[]) =>
      await this.next(async () => {
        const entries = entriesOf(claims);
        const kept = entries.filter((entry) => this.removals.delete(entry));
        for (const entry of kept) removed.add(entry);
        let isWritten = false;
        try {
          const present = await this.add([mark, ...entries], storage);
          isWritten = true;
          return new Set([mark, ...entries].filter((entry) => present.has(entry) && !removed.has(entry)));
        } finally {
          if (!isWritten) this.remove(kept, storage);
        }
      });
    const present = await write(wanted);
    // Added to those that others have done with, and no sign of a claim.
    const removeSigns = (claims: readonly Claim[], found: ReadonlySet<string>) => {
      const added = claims.filter(({ entry, companion }) => found.has(entry) && !found.has(companion));
      this.remove(
        added.map(({ companion }) => companion),
        storage,
      );
    };
    removeSigns(wanted, present);
    let open = wanted.filter(({ entry, companion }) => !present.has(entry) && !present.has(companion));
    let isWon = false;
    try {
      for (let attempt = 0; open.length > 0 && attempt <= MAX_ATTEMPTS; attempt += 1) {
        await storage.settle(this.took, attempt);
        const claims = open;
        const found = await write(claims).catch(async () => await write(claims));
        isWon = found.has(mark);
        if (isWon) break;
        // What another process wrote over it is there now, and what nobody has is added again.
        removeSigns(claims, found);
        open = claims.filter(({ entry }) => !found.has(entry));
      }
    } finally {
      this.remove(isWon ? [mark] : [...entriesOf(open), mark], storage);
    }
    if (!isWon && open.length > 0) throw new Error('other processes overwrite every claim');
    return {
      won: new Set(open.map(({ entry }) => entry)),
      present: new Set(entriesOf(wanted).filter((entry) => present.has(entry))),
    };
  }

  /** Until they are released or removed, each write writes these entries again where they are missing. */
  hold(entries: readonly string[]): void {
    for (const entry of entries) this.held.add(entry);
  }

  release(entries: readonly string[]): void {
    for (const entry of entries) {
      this.held.delete(entry);
      this.unconfirmed.delete(entry);
    }
  }

  /** Releases them once a further write has found them in the list: the one that added them may have been overwritten. */
  releaseWhenFound(entries: readonly string[]): void {
    this.releaseFrom(-Infinity, entries);
  }

  /** The same, once nobody can write a list any more that was read before they were in it. */
  releaseWhenSafe(entries: readonly string[]): void {
    this.releaseFrom(this.now() + LONGEST_WRITE, entries);
  }

  private releaseFrom(time: number, entries: readonly string[]): void {
    for (const entry of entries) if (this.held.delete(entry)) this.unconfirmed.set(entry, time);
  }

  /** Resolves when the writes that were asked for so far have ended. */
  async whenWritten(): Promise<void> {
    await this.last;
  }

  private async next<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return await result;
  }

  private async writeAdditions(storage: LedgerStorage): Promise<void> {
    const entries = [...(this.additions?.entries ?? [])];
    this.additions = null;
    const write = async () => await this.add(entries, storage);
    await write().catch(write);
  }

  /** @returns those that were in the list before */
  private async add(entries: readonly string[], storage: LedgerStorage): Promise<ReadonlySet<string>> {
    const began = this.now();
    const present = await storage.record([...new Set([...this.held, ...this.unconfirmed.keys(), ...entries])]);
    this.took = this.now() - began;
    for (const [entry, time] of this.unconfirmed) {
      if (time <= began && present.has(entry)) this.unconfirmed.delete(entry);
    }
    return present;
  }

  private async writeRemovals(storage: LedgerStorage): Promise<void> {
    this.isRemoving = false;
    const groups = this.nextRemovals();
    const entries = groups.flat().filter((entry) => this.removals.has(entry));
    // They stay listed until they are gone, so that nobody takes them for valid meanwhile.
    if (entries.length > 0) await storage.remove(entries);
    this.removalGroups.splice(0, groups.length);
    for (const entry of entries) this.removals.delete(entry);
    this.remove([], storage);
  }

  /** As many groups as one write may have. */
  private nextRemovals(): Array<readonly string[]> {
    const groups: Array<readonly string[]> = [];
    let size = 0;
    for (const group of this.removalGroups) {
      size += group.length;
      if (groups.length > 0 && size > MAX_REMOVED) break;
      groups.push(group);
    }
    return groups;
  }
}
