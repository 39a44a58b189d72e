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
   * @param longest what one of the latest changes took here at the most, in milliseconds
   * @param attempt counted from 0: later ones wait longer, each process for another time
   */
  readonly settle: (longest: number, attempt: number) => Promise<void>;
}

/** An entry that only one may have, and one that goes with it until its end is known. */
export interface Claim {
  readonly entry: string;
  readonly companion: string;
}

function entriesOf(claims: readonly Claim[]): string[] {
  return claims.flatMap(({ entry, companion }) => [entry, companion]);
}

/** The entries that were won, and all that were there before. */
interface Claimed {
  readonly won: ReadonlySet<string>;
  readonly present: ReadonlySet<string>;
}

/** No process takes so long from reading the list to writing it back, in milliseconds. */
const LONGEST_WRITE = 2_000;

/** What is written together. */
interface Additions {
  readonly entries: Set<string>;
  /** Those among them whose removal is called off when they are written, also if it was asked for meanwhile. */
  readonly claimed: Set<string>;
  readonly written: Promise<Added>;
}

interface Added {
  readonly present: ReadonlySet<string>;
  /** Those whose removal was called off: they count as removed. */
  readonly kept: ReadonlySet<string>;
}

/** What the list had of some entries. */
export interface Asked {
  readonly present: ReadonlySet<string>;
  readonly mark: string;
  /** Those that it did not have, and had for a moment. */
  readonly added: readonly string[];
}

/** Of how many answers what was written back is removed by one write: up to 200 entries for each. */
const ASKED_TOGETHER = 4;

/**
 * After this time, in milliseconds, a slow change counts half. Between two bursts of requests there is up to a minute, in
 * which the node changes little, and the database of another process is no faster.
 */
const HALF_LIFE = 60_000;

/** How often what another process has overwritten is written again: it may write without a pause for many seconds. */
const MAX_ATTEMPTS = 25;

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
  private additions: Additions | null = null;
  /** What nobody else in this process can win: the entries of the claims that have not ended, with their marks. */
  private readonly claiming = new Map<string, string>();
  private readonly removals = new Set<string>();
  /** The same, as they are removed together. */
  private readonly removalGroups: Array<readonly string[]> = [];
  private isRemoving = false;
  private readonly held = new Set<string>();
  /** With the time from which on a write releases them that finds them. */
  private readonly unconfirmed = new Map<string, number>();
  private slowest = { took: 0, at: 0 };

  /** @param now milliseconds, never going back */
  constructor(private readonly now: () => number) {}

  /** @throws what the storage throws, at the second attempt */
  async record(entries: readonly string[], storage: LedgerStorage): Promise<void> {
    for (const entry of entries) this.removals.delete(entry);
    const { entries: together, written } = this.nextAdditions(storage);
    for (const entry of entries) together.add(entry);
    await written;
  }

  private nextAdditions(storage: LedgerStorage): Additions {
    if (this.additions !== null) return this.additions;
    const [entries, claimed] = [new Set<string>(), new Set<string>()];
    const written = this.next(async () => {
      this.additions = null;
      return await this.writeAdditions(entries, claimed, storage);
    });
    return (this.additions = { entries, claimed, written });
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
      await storage.remove([mark, ...added]).catch(() => this.remove([...added, mark], storage));
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
      await storage.settle(this.longest, attempt);
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

  /** What one turn of this queue took at the most, in milliseconds; the longer ago, the less it counts. */
  private get longest(): number {
    return this.slowest.took * 2 ** ((this.slowest.at - this.now()) / HALF_LIFE);
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
  async claim(wanted: readonly Claim[], mark: string, storage: LedgerStorage): Promise<Claimed> {
    const own = wanted.filter(({ entry }) => !this.claiming.has(entry));
    const others = wanted.filter(({ entry }) => this.claiming.has(entry));
    for (const { entry } of own) this.claiming.set(entry, mark);
    try {
      const { won, present } = await this.claimFromOthers(own, mark, storage);
      return { won, present: new Set([...present, ...entriesOf(others)]) };
    } finally {
      this.endClaim(own, mark);
    }
  }

  private endClaim(claims: readonly Claim[], mark: string): void {
    for (const { entry } of claims) if (this.claiming.get(entry) === mark) this.claiming.delete(entry);
  }

  /** Claims what nobody else in this process does; what is won is held. */
  private async claimFromOthers(wanted: readonly Claim[], mark: string, storage: LedgerStorage): Promise<Claimed> {
    // What is about to be removed counts as removed, and must stay if it is won.
    const removed = new Set<string>();
    const write = async (claims: readonly Claim[]) => {
      const entries = [mark, ...entriesOf(claims)];
      const { claimed, written, entries: together } = this.nextAdditions(storage);
      for (const entry of entries) {
        together.add(entry);
        claimed.add(entry);
      }
      const { present, kept } = await written;
      for (const entry of entries) if (kept.has(entry)) removed.add(entry);
      // What is held may be missing because another process has overwritten it.
      return new Set(entries.filter((entry) => (present.has(entry) || this.isWanted(entry)) && !removed.has(entry)));
    };
    const present = await write(wanted);
    if (present.has(mark)) throw new Error('a write that seemed to fail had been made');
    // Added to those that others have done with, and no sign of a claim.
    const removeSigns = (claims: readonly Claim[], found: ReadonlySet<string>) => {
      const added = claims.filter(({ entry, companion }) => found.has(entry) && !found.has(companion));
      this.remove(
        added.map(({ companion }) => companion),
        storage,
      );
    };
    removeSigns(wanted, present);
    const isFree = ({ entry, companion }: Claim) => !present.has(entry) && !present.has(companion);
    let open = wanted.filter(isFree);
    const lost = wanted.filter((claim) => !isFree(claim));
    this.endClaim(lost, mark);
    let isWon = false;
    try {
      for (let attempt = 0; open.length > 0 && attempt <= MAX_ATTEMPTS; attempt += 1) {
        await storage.settle(this.longest, attempt);
        const claims = open;
        const found = await write(claims);
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
    this.hold(entriesOf(open));
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
    const result = this.last.then(async () => {
      const began = this.now();
      const done = await work();
      const took = this.now() - began;
      if (took > this.longest) this.slowest = { took, at: this.now() };
      return done;
    });
    this.last = result.catch(() => undefined);
    return await result;
  }

  private async writeAdditions(
    entries: ReadonlySet<string>,
    claimed: ReadonlySet<string>,
    storage: LedgerStorage,
  ): Promise<Added> {
    const kept = new Set([...claimed].filter((entry) => this.removals.delete(entry)));
    const write = async () => await this.add([...entries], storage);
    let isWritten = false;
    try {
      const present = await write().catch(write);
      isWritten = true;
      return { present, kept };
    } finally {
      if (!isWritten) this.remove([...kept], storage);
    }
  }

  /** @returns those that were in the list before */
  private async add(entries: readonly string[], storage: LedgerStorage): Promise<ReadonlySet<string>> {
    const began = this.now();
    const present = await storage.record([...new Set([...this.held, ...this.unconfirmed.keys(), ...entries])]);
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
