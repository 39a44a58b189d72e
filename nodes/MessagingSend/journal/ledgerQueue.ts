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
   * @param attempt counted from 0: later ones wait longer, each process for another time
   */
  readonly settle: (attempt: number) => Promise<void>;
}

/** An entry that only one may have, and one that goes with it until its end is known. */
export interface Claim {
  readonly entry: string;
  readonly companion: string;
}

/** How often a claim is repeated after another process has overwritten it, within some 2 s. */
const MAX_CLAIMS = 12;

/** n8n finds each entry to remove by reading the list from its start, which takes some 0.1 ms in a long one. */
const MAX_REMOVED = 100;

/**
 * The writes of all runs of a node in this process, one after the other: n8n reads the list, changes it and writes it
 * back, so of two concurrent writes one would be lost. Whatever arrives during a write is written together next.
 *
 * Another process may still overwrite a write. So each write repeats what is held: everything recent that a run relies on.
 */
export class LedgerQueue {
  private last: Promise<unknown> = Promise.resolve();
  private additions: { readonly entries: Set<string>; readonly written: Promise<unknown> } | null = null;
  private readonly removals = new Set<string>();
  private isRemoving = false;
  private readonly held = new Set<string>();
  /** See {@link releaseWhenFound}. */
  private readonly unconfirmed = new Set<string>();

  /** @throws what the storage throws, at the second attempt */
  async record(entries: readonly string[], storage: LedgerStorage): Promise<void> {
    for (const entry of entries) this.removals.delete(entry);
    this.additions ??= { entries: new Set(), written: this.next(async () => await this.writeAdditions(storage)) };
    const { entries: together, written } = this.additions;
    for (const entry of entries) together.add(entry);
    await written;
  }

  /** In the background: what is not removed only makes a later re-run more careful than needed. */
  remove(entries: readonly string[], storage: LedgerStorage): void {
    for (const entry of entries) {
      this.removals.add(entry);
      this.held.delete(entry);
      this.unconfirmed.delete(entry);
    }
    if (this.isRemoving || this.removals.size === 0) return;
    this.isRemoving = true;
    void this.next(async () => await this.writeRemovals(storage)).catch(() => undefined);
  }

  /** Takes back what was to be removed, as far as that has not begun. */
  keep(entries: readonly string[]): void {
    for (const entry of entries) this.removals.delete(entry);
  }

  /** Whether each entry is in the list. Missing ones are added for a moment, because n8n can't read without writing. */
  async ask(entries: readonly string[], storage: LedgerStorage): Promise<ReadonlySet<string>> {
    return await this.next(async () => {
      const present = await storage.record(entries);
      const missing = entries.filter((entry) => !present.has(entry));
      if (missing.length > 0) await storage.remove(missing);
      return new Set(entries.filter((entry) => present.has(entry) && !this.removals.has(entry)));
    });
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
    const write = async (claims: readonly Claim[]) =>
      await this.next(async () => {
        const entries = entriesOf(claims);
        // What is about to be removed counts as removed, and must stay if it is won.
        const removed = new Set(entries.filter((entry) => this.removals.delete(entry)));
        const present = await storage.record([mark, ...entries]);
        return new Set([...present].filter((entry) => !removed.has(entry)));
      });
    const present = await write(wanted);
    // Added to those that others have done with, and no sign of a claim.
    const added = wanted.filter(({ entry, companion }) => present.has(entry) && !present.has(companion));
    this.remove(
      added.map(({ companion }) => companion),
      storage,
    );
    let open = wanted.filter(({ entry, companion }) => !present.has(entry) && !present.has(companion));
    for (let attempt = 0; open.length > 0; attempt += 1) {
      await storage.settle(attempt);
      const found = await write(open);
      if (found.has(mark)) break;
      // What another process wrote over it is there now, and what nobody has is added again.
      open = open.filter(({ entry }) => !found.has(entry));
      if (attempt < MAX_CLAIMS || open.length === 0) continue;
      this.remove([mark, ...entriesOf(open)], storage);
      throw new Error('other processes overwrite every claim');
    }
    this.remove([mark], storage);
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
    for (const entry of entries) if (this.held.delete(entry)) this.unconfirmed.add(entry);
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
    const unconfirmed = [...this.unconfirmed];
    const entries = [...new Set([...this.held, ...unconfirmed, ...(this.additions?.entries ?? [])])];
    this.additions = null;
    const write = async () => await storage.record(entries);
    const present = await write().catch(write);
    for (const entry of unconfirmed) if (present.has(entry)) this.unconfirmed.delete(entry);
  }

  private async writeRemovals(storage: LedgerStorage): Promise<void> {
    this.isRemoving = false;
    const entries = [...this.removals].slice(0, MAX_REMOVED);
    if (entries.length === 0) return;
    // They stay listed until they are gone, so that nobody takes them for valid meanwhile.
    await storage.remove(entries);
    for (const entry of entries) this.removals.delete(entry);
    this.remove([], storage);
  }
}
