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
 * `open`: begun, and its end is not noted. `noted`: it is true.
 *
 * In the list, a noted fact is one entry, and an open one has a pending marker beside it. A question adds both for a
 * moment: if n8n is killed then, the fact stays open, which sends nothing and claims nothing.
 */
export type FactState = 'unknown' | 'open' | 'noted';

/** What the list had of some facts. */
export interface Answer {
  readonly states: readonly FactState[];
  /** An entry of this question alone: where it comes back, another process has written back what was added for it. */
  readonly mark: string;
  /** What was added for a moment. */
  readonly added: readonly string[];
}

/** What this process knows of a fact that it has changed lately. It counts more than what the list says. */
interface Known {
  state: FactState;
  /**
   * Whether each write repeats its entries, because another process can overwrite them: while it is `held`, or until a
   * write that begins after this time finds them. A `claiming` run has not won it yet, and repeats nothing.
   */
  hold: 'claiming' | 'held' | { readonly untilFoundAfter: number } | null;
  /** Called when the run that holds it has settled or released it. */
  readonly waiting: Array<() => void>;
}

/** The next write, which several callers share. */
interface SharedWrite {
  readonly entries: Set<string>;
  readonly present: Promise<ReadonlySet<string>>;
}

/** No process takes longer from reading the list to writing it back, in milliseconds. */
const LONGEST_WRITE = 2_000;

/** How often an overwritten write is repeated: another process may write without a pause for many seconds. */
const MAX_ATTEMPTS = 25;

/** n8n looks for each entry to remove from the start of the list, which takes some 0.1 ms in a long one. */
const MAX_REMOVED = 100;

/** How many answers one write confirms: each has up to 200 entries. */
const CONFIRMED_TOGETHER = 4;

/**
 * The facts of all runs of a node in this process. n8n reads the list, changes it and writes it back without a lock, so
 * of two concurrent writes one would be lost: writes take turns, and what arrives during one goes into the next.
 *
 * Another process can still overwrite a write. So each write repeats what a run relies on.
 */
export class FactList {
  private lastTurn: Promise<unknown> = Promise.resolve();
  private nextWrite: SharedWrite | null = null;
  private readonly known = new Map<string, Known>();
  /** Facts with entries in the list that their state does not have. */
  private readonly removals = new Set<string>();
  private isRemoving = false;
  private runs = 0;

  /** @param now milliseconds, never going back */
  constructor(private readonly now: () => number) {}

  /** Called before a run uses the list. */
  enter(): void {
    this.runs += 1;
  }

  /** Called when a run has ended. While others run, all that is in the list may be what they rely on. */
  leave(storage: ListStorage): void {
    this.runs -= 1;
    if (this.runs > 0) return;
    void this.inTurn(async () => await storage.shorten()).catch(() => undefined);
  }

  /**
   * Resolves once these facts are stored. They are held until they are closed, retracted or released.
   * @returns those that another process has noted or opened before
   * @throws what the storage throws
   */
  async record(
    { open = [], note = [] }: { readonly open?: readonly string[]; readonly note?: readonly string[] },
    storage: ListStorage,
  ): Promise<ReadonlySet<string>> {
    const unknown = [...open, ...note].filter((fact) => !this.known.has(fact));
    for (const fact of open) this.set(fact, 'open', 'held');
    for (const fact of note) this.set(fact, 'noted', 'held');
    const present = await this.write([], storage);
    return new Set(unknown.filter((fact) => present.has(fact)));
  }

  /**
   * From open to noted.
   * @param isShared whether other executions rely on it, so that it is repeated for longer
   */
  close(facts: readonly string[], isShared: boolean, storage: ListStorage): void {
    const hold = { untilFoundAfter: isShared ? this.now() + LONGEST_WRITE : -Infinity };
    for (const fact of facts) this.set(fact, 'noted', hold, true);
    this.removeInTurn(storage);
  }

  /** Back to unknown. */
  retract(facts: readonly string[], storage: ListStorage): void {
    for (const fact of facts) this.set(fact, 'unknown', null, true);
    this.removeInTurn(storage);
  }

  /**
   * Notes one fact in place of others, which become unknown. Pending markers stay until then: to remove them first would
   * be a write for nothing.
   */
  async replace(facts: readonly string[], by: string, storage: ListStorage): Promise<void> {
    for (const fact of facts) this.removals.delete(fact);
    try {
      await this.record({ note: [by] }, storage);
      this.retract(facts, storage);
    } catch {
      // The facts themselves are still in the list, noted or open.
    }
    this.release([...facts, by]);
  }

  /** Another process may now overwrite these facts without harm, because their run has ended. */
  release(facts: readonly string[]): void {
    for (const fact of facts) this.changeHold(fact, null);
  }

  /**
   * Releases facts once a later write has found them: the one that added them may have been overwritten.
   * @param isShared {@link close}
   */
  releaseWhenFound(facts: readonly string[], isShared: boolean): void {
    const hold = { untilFoundAfter: isShared ? this.now() + LONGEST_WRITE : -Infinity };
    for (const fact of facts) if (this.known.get(fact)?.hold === 'held') this.changeHold(fact, hold);
  }

  /** @returns a promise that resolves when a run of this process has settled the fact; null where none has it in flight */
  whenSettled(fact: string): Promise<void> | null {
    const known = this.known.get(fact);
    if (known?.state !== 'open' || (known.hold !== 'held' && known.hold !== 'claiming')) return null;
    return new Promise((resolve) => known.waiting.push(resolve));
  }

  /** Resolves when all changes so far are stored, as far as the storage takes them. */
  async whenWritten(): Promise<void> {
    await this.lastTurn;
  }

  /** @param mark an entry of this call alone */
  async ask(facts: readonly string[], mark: string, storage: ListStorage): Promise<Answer> {
    return await this.inTurn(async () => {
      const asked = facts.filter((fact) => !this.known.has(fact));
      const entries = asked.flatMap(entriesOfOpen);
      const present = entries.length === 0 ? new Set<string>() : await storage.record([mark, ...entries]);
      const added = entries.filter((entry) => !present.has(entry));
      if (entries.length > 0) {
        await storage.remove([mark, ...added]).catch(() => this.removeLater([...asked, mark], present, storage));
      }
      return { states: facts.map((fact) => this.known.get(fact)?.state ?? stateIn(present, fact)), mark, added };
    });
  }

  /**
   * Removes what other processes have written back of the entries that questions added for a moment: nobody could claim
   * their facts any more.
   */
  async confirmRemoved(answers: readonly Answer[], storage: ListStorage): Promise<void> {
    let open = answers.filter(({ added }) => added.length > 0);
    for (let attempt = 0; open.length > 0 && attempt < MAX_ATTEMPTS; attempt += 1) {
      await storage.waitForOthers(attempt);
      const back: Answer[] = [];
      for (let start = 0; start < open.length; start += CONFIRMED_TOGETHER) {
        const some = open.slice(start, start + CONFIRMED_TOGETHER);
        back.push(...(await this.inTurn(async () => await this.removeWrittenBack(some, storage))));
      }
      open = back;
    }
  }

  /** @returns the answers that another process had written back */
  private async removeWrittenBack(answers: readonly Answer[], storage: ListStorage): Promise<Answer[]> {
    const marks = answers.map(({ mark }) => mark);
    const present = await storage.record(marks);
    const back = answers.filter(({ mark }) => present.has(mark));
    const kept = new Set([...this.known].flatMap(([fact, { state }]) => entriesOf(fact, state)));
    // One write removes both: an entry that is written back after it comes back with its mark.
    await storage.remove([...marks, ...back.flatMap(({ added }) => added).filter((entry) => !kept.has(entry))]);
    return back;
  }

  /**
   * Opens facts that nobody else has. Another process may have read the list before they were in it, and write it back
   * afterwards. So they are looked for once more when such a write has most likely ended.
   * @param mark an entry of this call alone: where it is missing afterwards, another process has overwritten the write
   * @returns what each was before: an unknown one is now held by the caller
   * @throws what the storage throws, and where others overwrite each write; then nothing is claimed
   */
  async claim(facts: readonly string[], mark: string, storage: ListStorage): Promise<ReadonlyMap<string, FactState>> {
    const before = new Map<string, FactState>();
    /** Queued for removal: what the list still has of them is ours. */
    const freed = new Set<string>();
    const wanted: string[] = [];
    for (const fact of facts) {
      const known = this.known.get(fact);
      if (known !== undefined && known.state !== 'unknown') {
        before.set(fact, known.state);
        continue;
      }
      if (known !== undefined) freed.add(fact);
      wanted.push(fact);
      this.set(fact, 'open', 'claiming');
    }
    if (wanted.length === 0) return before;
    const lose = (facts: readonly string[], present: ReadonlySet<string>): string[] => {
      for (const fact of facts) {
        const state = stateIn(present, fact);
        before.set(fact, state);
        // The claim has added a pending marker to what is noted.
        this.set(fact, state, null, state === 'noted');
      }
      this.removeInTurn(storage);
      return wanted.filter((fact) => !before.has(fact));
    };
    let open = wanted;
    let isAdded = false;
    try {
      const found = await this.write([mark, ...wanted.flatMap(entriesOfOpen)], storage);
      if (found.has(mark)) throw new Error('a write that was reported as failed had been stored');
      isAdded = true;
      open = lose(
        wanted.filter((fact) => !freed.has(fact) && stateIn(found, fact) !== 'unknown'),
        found,
      );
      for (let attempt = 0; open.length > 0; attempt += 1) {
        if (attempt > MAX_ATTEMPTS) throw new Error('other processes overwrite every claim');
        await storage.waitForOthers(attempt);
        const present = await this.write([mark, ...open.flatMap(entriesOfOpen)], storage);
        if (present.has(mark)) break;
        // The list is what another process wrote over it, and what nobody had was added again.
        open = lose(
          open.filter((fact) => present.has(fact)),
          present,
        );
      }
      for (const fact of open) {
        before.set(fact, 'unknown');
        this.changeHold(fact, 'held');
      }
      return before;
    } finally {
      // Where the first write failed, nobody knows whose entries there are.
      const lost = open.filter((fact) => !before.has(fact));
      for (const fact of lost) this.set(fact, 'unknown', null, isAdded || freed.has(fact));
      this.retract([mark], storage);
    }
  }

  /** @param hasSurplus whether the list may have entries of the fact that this state does not have */
  private set(fact: string, state: FactState, hold: Known['hold'], hasSurplus = false): void {
    const known = this.known.get(fact) ?? { state, hold, waiting: [] };
    known.state = state;
    this.known.set(fact, known);
    if (hasSurplus) this.removals.add(fact);
    else this.removals.delete(fact);
    this.changeHold(fact, hold);
  }

  private changeHold(fact: string, hold: Known['hold']): void {
    const known = this.known.get(fact);
    if (known === undefined) return;
    known.hold = hold;
    if (hold === 'held' || hold === 'claiming') return;
    for (const resolve of known.waiting.splice(0)) resolve();
    this.forget(fact);
  }

  /** What nobody holds and nothing is to be removed of is in the list alone. */
  private forget(fact: string): void {
    if (this.known.get(fact)?.hold === null && !this.removals.has(fact)) this.known.delete(fact);
  }

  private heldEntries(): string[] {
    const entries: string[] = [];
    for (const [fact, { state, hold }] of this.known) {
      if (hold !== null && hold !== 'claiming') entries.push(...entriesOf(fact, state));
    }
    return entries;
  }

  /** @returns what was in the list before */
  private async write(entries: readonly string[], storage: ListStorage): Promise<ReadonlySet<string>> {
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
    const present = await storage.record([...new Set([...this.heldEntries(), ...entries])]);
    for (const [fact, { state, hold }] of this.known) {
      if (hold === null || typeof hold === 'string' || hold.untilFoundAfter > began) continue;
      if (entriesOf(fact, state).every((entry) => present.has(entry))) this.changeHold(fact, null);
    }
    this.removeInTurn(storage);
    return present;
  }

  /** In the background: what is not removed only makes a later re-run more careful, and is tried again with the next write. */
  private removeInTurn(storage: ListStorage): void {
    if (this.removals.size === 0 || this.isRemoving) return;
    this.isRemoving = true;
    void this.inTurn(async () => {
      this.isRemoving = false;
      await this.removeNow(storage);
      this.removeInTurn(storage);
    }).catch(() => undefined);
  }

  private async removeNow(storage: ListStorage): Promise<void> {
    const facts = new Map<string, FactState>();
    const entries: string[] = [];
    for (const fact of this.removals) {
      const state = this.known.get(fact)?.state ?? 'unknown';
      const surplus = entriesOfOpen(fact).slice(entriesOf(fact, state).length);
      if (entries.length + surplus.length > MAX_REMOVED) break;
      facts.set(fact, state);
      entries.push(...surplus);
    }
    if (entries.length > 0) await storage.remove(entries);
    for (const [fact, state] of facts) {
      if (this.known.get(fact)?.state !== state) continue;
      this.removals.delete(fact);
      this.forget(fact);
    }
  }

  /** Queues what a question added and could not remove. */
  private removeLater(facts: readonly string[], present: ReadonlySet<string>, storage: ListStorage): void {
    for (const fact of facts) {
      const state = stateIn(present, fact);
      if (!this.known.has(fact) && state !== 'open') this.set(fact, state, null, true);
    }
    this.removeInTurn(storage);
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.lastTurn.then(work);
    this.lastTurn = result.catch(() => undefined);
    return await result;
  }
}

/** The second entry of an open fact, which shows that its end is not noted. */
function pendingMarker(fact: string): string {
  return `${fact}?`;
}

function entriesOfOpen(fact: string): [entry: string, marker: string] {
  return [fact, pendingMarker(fact)];
}

function entriesOf(fact: string, state: FactState): string[] {
  return entriesOfOpen(fact).slice(0, state === 'open' ? 2 : state === 'noted' ? 1 : 0);
}

function stateIn(present: ReadonlySet<string>, fact: string): FactState {
  if (present.has(pendingMarker(fact))) return 'open';
  return present.has(fact) ? 'noted' : 'unknown';
}
