import { hash, randomBytes } from 'node:crypto';

import { entriesOf, type FactList, type FactState, type ListStorage, stateIn } from './factList';

/** Facts per question: asking blocks n8n for some milliseconds, and a kill during it leaves only these open. */
const MAX_ASKED = 200;

/** No process takes longer than this from reading the list to writing it back, in milliseconds. */
const LONGEST_WRITE = 2_000;

/** How often an overwritten write is repeated: another process may write without a pause for many seconds. */
const MAX_ROUNDS = 25;

const HASH_LENGTH = 16;

/** With 72 bits, two messages don't share a digest by chance. */
export const DIGEST_LENGTH = 12;

/** A short hash of values. @param length in characters of 6 bits */
export function digestOf(values: readonly unknown[], length = DIGEST_LENGTH): string {
  return hash('sha256', JSON.stringify(values), 'base64').slice(0, length);
}

/** Facts that outlive executions, as one run sees them. The list contains a hash of each name. */
export class Facts {
  /**
   * @param secret hashed with each fact, so that nobody can guess what an entry is about
   * @param isShared whether other executions rely on these facts, even if this process dies
   */
  constructor(
    readonly list: FactList,
    private readonly storage: ListStorage,
    private readonly secret: string,
    private readonly isShared: boolean,
  ) {}

  /** The hashes that stand for these names. */
  of(names: readonly string[]): string[] {
    return names.map((name) => digestOf([this.secret, name], HASH_LENGTH));
  }

  /** No write repeats these facts any longer: they may be overwritten. */
  release(facts: readonly string[]): void {
    for (const fact of facts) this.list.known.repeat(fact, null);
  }

  shorten(): void {
    this.list.shorten(this.storage);
  }

  /**
   * Asks, and removes what the question added, even if another process writes it back: it would count as claimed.
   * @param inFlight the state of facts that another run of this process has in flight
   * @throws what the storage throws
   */
  async ask(facts: readonly string[], inFlight: FactState = 'open'): Promise<FactState[]> {
    const parts: Array<Promise<readonly FactState[]>> = [];
    for (let start = 0; start < facts.length; start += MAX_ASKED) {
      parts.push(this.askTogether(facts.slice(start, start + MAX_ASKED), inFlight));
    }
    return (await Promise.all(parts)).flat();
  }

  private async askTogether(facts: readonly string[], inFlight: FactState): Promise<readonly FactState[]> {
    const { list, storage } = this;
    // Unique to this question: if it comes back, another process has written back what the question added.
    const mark = randomBytes(12).toString('base64');
    let added: readonly string[] = [];
    const states = await list.turns.take(async () => {
      // Read first: by the time the list answers, only the list may know these facts.
      const known = facts.map((fact) => (list.known.isInFlight(fact) ? inFlight : list.known.stateOf(fact)));
      const asked = facts.filter((_fact, index) => known[index] === undefined);
      const entries = asked.flatMap((fact) => entriesOf(fact, 'open'));
      const present = entries.length === 0 ? new Set<string>() : await storage.record([mark, ...entries]);
      added = entries.filter((entry) => !present.has(entry));
      if (entries.length > 0) {
        await storage.remove([mark, ...added]).catch(() => this.removeLater([...asked, mark], present));
      }
      return facts.map((fact, index) => {
        const now = list.known.isInFlight(fact) ? inFlight : list.known.stateOf(fact);
        return now ?? known[index] ?? stateIn(present, fact);
      });
    });
    for (let round = 0; added.length > 0 && round < MAX_ROUNDS; round += 1) {
      await storage.waitForOthers(round);
      if (!(await list.turns.take(async () => await this.removeWrittenBack(mark, added)))) break;
    }
    return states;
  }

  /** Removes later what a question added, because removing it at once did not work. */
  private removeLater(facts: readonly string[], present: ReadonlySet<string>): void {
    for (const fact of facts) {
      const state = stateIn(present, fact);
      if (this.list.known.stateOf(fact) === undefined && state !== 'open')
        this.list.known.set(fact, { state, repeat: null, hasSurplus: true });
    }
    this.list.removeSurplus(this.storage);
  }

  /** @returns whether another process had written back what a question added */
  private async removeWrittenBack(mark: string, added: readonly string[]): Promise<boolean> {
    const isBack = (await this.storage.record([mark])).has(mark);
    // One write removes both, so an entry that is written back later comes back with its mark.
    await this.storage.remove([mark, ...(isBack ? this.list.known.withoutKnown(added) : [])]);
    return isBack;
  }

  /**
   * Resolves once these facts are stored in these states. Each write repeats them until they are closed, retracted or released.
   * @param fresh those of the facts that nobody else may have begun
   * @returns whether another process has begun one of the fresh facts
   * @throws what the storage throws
   */
  async record(
    states: Partial<Record<Exclude<FactState, 'unknown'>, readonly string[]>>,
    fresh: readonly string[] = [],
  ): Promise<boolean> {
    const { list } = this;
    const unseen = fresh.filter((fact) => list.known.stateOf(fact) === undefined);
    const { noted = [], open = [], barred = [] } = states;
    for (const fact of noted) list.known.set(fact, { state: 'noted', repeat: 'always' });
    for (const fact of open) list.known.set(fact, { state: 'open', repeat: 'always' });
    // Adds the fact's entry and removes it again: n8n has no other way to tell whether it was there.
    for (const fact of barred) list.known.set(fact, { state: 'barred', repeat: 'always', hasSurplus: true });
    let isWritten = false;
    try {
      // It also writes everything that is repeated: the noted facts and the open ones.
      const present = await list.write(barred, this.storage);
      isWritten = true;
      return unseen.some((fact) => entriesOf(fact, 'open').some((entry) => present.has(entry)));
    } finally {
      // Nobody knows whose entries the list has now, so another try must look again.
      if (!isWritten)
        for (const fact of [...noted, ...open, ...barred])
          list.known.set(fact, { state: 'unknown', repeat: null, hasSurplus: false });
    }
  }

  /**
   * Opens facts that nobody else has. Another process may have read the list before they were in it, and write it back
   * afterwards, so they are looked up again when such a write has most likely ended.
   * @returns the state of each before: an unknown fact is now the caller's
   * @throws what the storage throws, or if others overwrite every write; then nothing is claimed
   */
  async claim(facts: readonly string[]): Promise<FactState[]> {
    const { list, storage } = this;
    await list.finishRemoval(facts, storage);
    const before = new Map(facts.map((fact) => [fact, list.known.stateOf(fact)]));
    const open = new Set(facts.filter((fact) => before.get(fact) === undefined));
    const states = () => facts.map((fact) => before.get(fact) ?? 'unknown');
    if (open.size === 0) return states();
    for (const fact of open) list.known.set(fact, { state: 'open', repeat: 'claiming' });
    const mark = randomBytes(12).toString('base64');
    let isAdded = false;
    try {
      for (let round = 0; open.size > 0; round += 1) {
        if (round > MAX_ROUNDS) throw new Error('other processes overwrite every claim');
        if (round > 0) await storage.waitForOthers(round - 1);
        const present = await list.write([mark, ...[...open].flatMap((fact) => entriesOf(fact, 'open'))], storage);
        if (present.has(mark) && isAdded) break;
        if (present.has(mark)) throw new Error('a write that was reported as failed had been stored');
        // The first write, or another process overwrote the last one: this one has added what nobody had.
        isAdded = true;
        for (const fact of open) {
          const state = stateIn(present, fact);
          if (state === 'unknown') continue;
          before.set(fact, state);
          open.delete(fact);
          // The claim added a pending marker to a noted fact.
          list.known.set(fact, { state, repeat: null, hasSurplus: state === 'noted' });
        }
        list.removeSurplus(storage);
      }
      for (const fact of open) list.known.repeat(fact, 'always');
      open.clear();
      return states();
    } finally {
      // If the first write failed, nobody knows whose entries the list has.
      for (const fact of open) list.known.set(fact, { state: 'unknown', repeat: null, hasSurplus: isAdded });
      list.known.set(mark, { state: 'unknown', repeat: null, hasSurplus: true });
      list.removeSurplus(storage);
    }
  }

  /** Turns open facts into noted ones. */
  close(facts: readonly string[]): void {
    for (const fact of facts) this.list.known.set(fact, { state: 'noted', repeat: this.untilFound, hasSurplus: true });
    this.list.removeSurplus(this.storage);
  }

  retract(facts: readonly string[]): void {
    for (const fact of facts) this.list.known.set(fact, { state: 'unknown', repeat: null, hasSurplus: true });
    this.list.removeSurplus(this.storage);
  }

  /** Releases facts once a later write has found them: the write that added them may have been overwritten. */
  releaseWhenFound(facts: readonly string[]): void {
    for (const fact of facts) {
      if (this.list.known.all.get(fact)?.repeat === 'always') this.list.known.repeat(fact, this.untilFound);
    }
  }

  /** Until no other process can still overwrite what the list has now, if others rely on it. */
  private get untilFound(): { readonly untilFoundAfter: number } {
    return { untilFoundAfter: this.isShared ? this.list.now() + LONGEST_WRITE : -Infinity };
  }
}
