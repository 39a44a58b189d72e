/** The values that a list had before a write. */
interface Present extends ReadonlySet<string> {
  /** Whether a try of the write was reported as failed, and may have stored them all the same. */
  readonly isUnsure?: boolean;
}

/** A node's list of texts, which outlives executions. It can only tell which texts it contains. */
export interface ListStorage {
  /**
   * Appends the missing values. n8n has no read-only call for this list: looking a value up adds it.
   * @param values each once
   * @returns the values that were there before
   * @throws if the database doesn't take it within Max Wait
   */
  readonly add: (values: readonly string[]) => Promise<Present>;
  /** In one write, during which n8n does nothing else: in a long list, half a millisecond for each value. */
  readonly remove: (values: readonly string[]) => Promise<void>;
  /** Drops the oldest values if the list has become too long. */
  readonly shorten: () => Promise<void>;
  /**
   * Resolves when a write by another process at the same time has most likely ended.
   * @param round counted from 0: later ones wait longer, each process for a random time
   */
  readonly waitForOthers: (round: number) => Promise<void>;
}

/**
 * What is known of a fact. This is its one machine, of a page as of a message under send once:
 *
 *     unknown ---> open ---> noted
 *      |    ^        |
 *      |    +--------+
 *      +---> barred
 *
 * `open`: begun, its end not noted. `noted`: true. `barred`: may no longer be opened. What needs no end is noted at once,
 * and what nobody needs any longer becomes unknown again. What was begun elsewhere can't be barred.
 *
 * In the list, a noted fact is one value, an open fact is the value with a pending marker, and a barred fact is the
 * marker alone. A question adds both for a moment. If n8n is killed then, the fact stays open: nothing is sent or
 * called sent.
 */
export type FactState = 'unknown' | 'barred' | 'open' | 'noted';

const NEXT: Readonly<Record<FactState, readonly FactState[]>> = {
  unknown: ['open', 'barred', 'noted'],
  open: ['noted', 'unknown'],
  noted: ['unknown'],
  barred: ['unknown', 'open', 'noted'],
};

/** The values of a fact in a state. The pending marker shows that the end of the fact is not noted. */
export function valuesOf(fact: string, state: FactState): string[] {
  if (state === 'unknown') return [];
  if (state === 'noted') return [fact];
  return state === 'barred' ? [`${fact}?`] : [fact, `${fact}?`];
}

export function stateIn(present: ReadonlySet<string>, fact: string): FactState {
  if (present.has(`${fact}?`)) return present.has(fact) ? 'open' : 'barred';
  return present.has(fact) ? 'noted' : 'unknown';
}

/**
 * A fact that this process relies on or has just changed: its state here is newer than the list's. A fact that no write
 * repeats, and with nothing to remove, is left to the list.
 */
interface Known {
  readonly state: FactState;
  /**
   * How long each write repeats its values, because another process can overwrite them: `always`, until it is released,
   * or until a write that begins after this time finds them. A fact that is still `claiming` isn't repeated.
   */
  readonly repeat: 'claiming' | 'always' | number | null;
  /** Whether the list may have values that don't fit the state: they are to be removed. */
  readonly hasSurplus: boolean;
}

interface Change extends Partial<Omit<Known, 'state'>> {
  readonly fact: string;
  /** The same state by default. */
  readonly to?: FactState;
}

interface SharedWrite {
  readonly values: Set<string>;
  readonly present: Promise<Present>;
  readonly storage: ListStorage;
}

/** How many facts a process keeps for a node: a megabyte or two. */
const MAX_KEPT = 20_000;

/** In one write. */
const MAX_REMOVED = 100;

/** The list is shortened after so many values that this process has added, because n8n writes all of it each time. */
const SHORTENED_EVERY = 1_000;

/**
 * All writes of this process to the list of a node. n8n reads the list, changes it and writes it back without a lock,
 * so one of two concurrent writes would be lost. So writes take turns, and values that arrive during a write go into
 * the next.
 *
 * Another process can still overwrite a write, so each write repeats the values that runs rely on.
 */
export class FactList {
  readonly known = new Map<string, Known>();
  /** Facts that are noted for good, as far as this process knows. Nobody need ask about them again. */
  readonly forGood = new Set<string>();
  readonly turns = new Turns();
  /** How many values this process has added since it last shortened the list. */
  added = Infinity;
  /** What ended runs of this process have left: that they began, and the details. */
  readonly ended: Array<{ readonly begun: readonly string[]; readonly details: string[]; readonly at: number }> = [];
  private nextWrite: SharedWrite | null = null;

  /** @param now in milliseconds; never goes back */
  constructor(readonly now: () => number) {}

  /** All that happens to a fact. Without `to`, nothing happens to one that only the list knows. */
  change({ fact, to, repeat = null, hasSurplus }: Change): void {
    const from = this.known.get(fact);
    const state = to ?? from?.state;
    if (state === undefined) return;
    if (from !== undefined && from.state !== state && !NEXT[from.state].includes(state)) {
      throw new Error(`a fact that is ${from.state} can't become ${state}`);
    }
    const leaves = to === 'unknown' || (to === 'noted' && from?.state === 'open');
    const isKept = hasSurplus ?? (leaves || from?.hasSurplus === true);
    if (repeat === null && !isKept) this.known.delete(fact);
    else this.known.set(fact, { state, repeat, hasSurplus: isKept });
  }

  /** Learns that a fact is noted for good. */
  keep(fact: string): void {
    this.forGood.add(fact);
    const [oldest = ''] = this.forGood;
    if (this.forGood.size > MAX_KEPT) this.forGood.delete(oldest);
  }

  /** Whether a run of this process has opened the fact, and neither settled nor released it. */
  isInFlight(fact: string): boolean {
    const { state, repeat } = this.known.get(fact) ?? {};
    return state === 'open' && (repeat === 'always' || repeat === 'claiming');
  }

  /**
   * Writes these values with all that runs rely on.
   * @returns the values that were in the list before
   * @throws what the storage throws
   */
  async write(values: readonly string[], storage: ListStorage): Promise<Present> {
    if (this.nextWrite === null) {
      const together = new Set<string>();
      const present = this.turns.take(async () => {
        this.nextWrite = null;
        return await this.writeNow(together, storage);
      });
      this.nextWrite = { values: together, present, storage };
    }
    const { values: together, present, storage: writer } = this.nextWrite;
    for (const value of values) together.add(value);
    // The run that wrote for both may have been stopped, or have a shorter Max Wait.
    return await (writer === storage ? present : present.catch(async () => await this.write(values, storage)));
  }

  private async writeNow(values: Set<string>, storage: ListStorage): Promise<Present> {
    const began = this.now();
    for (const [fact, { state, repeat }] of this.known) {
      if (repeat !== null && repeat !== 'claiming') for (const value of valuesOf(fact, state)) values.add(value);
    }
    const present = await storage.add([...values]);
    this.added += values.size - present.size;
    for (const [fact, { state, repeat }] of this.known) {
      const before = stateIn(present, fact);
      const isSent = state === 'open' && before === 'noted' && values.has(`${fact}?`);
      // Too late to bar or to open it: the values of the process that has begun or sent it must stay.
      if (isSent || (state === 'barred' && present.has(fact))) this.change({ fact, to: before, hasSurplus: true });
      // The write that bars a fact adds its value as well: n8n has no other way to tell whether it was there.
      else if (state === 'barred' && values.has(fact)) this.change({ fact, repeat, hasSurplus: true });
      else if (typeof repeat === 'number' && repeat <= began && before === state) this.change({ fact });
    }
    this.tidy(storage);
    return present;
  }

  /**
   * Runs in the background: leftover values only make a later re-run more careful, and the next write tries again. At its
   * end, drops the oldest values of the list, unless a run of this process relies on facts: they could be theirs.
   */
  tidy(storage: ListStorage): void {
    this.turns.takeOneInBackground(async () => {
      if (await this.removeNow(storage)) this.tidy(storage);
      else if (this.known.size === 0 && this.added >= SHORTENED_EVERY) {
        this.added = 0;
        await storage.shorten();
      }
    });
  }

  /**
   * Removes values that don't fit, in a turn of the caller's.
   * @returns whether there were any; more may be left
   * @throws what the storage throws
   */
  async removeNow(storage: ListStorage): Promise<boolean> {
    const removed = new Map<string, FactState>();
    const values: string[] = [];
    for (const [fact, { state, hasSurplus }] of this.known) {
      if (!hasSurplus) continue;
      const kept = valuesOf(fact, state);
      const others = valuesOf(fact, 'open').filter((value) => !kept.includes(value));
      if (values.length + others.length > MAX_REMOVED) break;
      removed.set(fact, state);
      values.push(...others);
    }
    if (values.length > 0) await storage.remove(values);
    for (const [fact, state] of removed) {
      const known = this.known.get(fact);
      if (known?.state === state) this.change({ fact, repeat: known.repeat, hasSurplus: false });
    }
    return removed.size > 0;
  }
}

class Turns {
  /** Resolves when all turns taken so far have ended. */
  last: Promise<unknown> = Promise.resolve();
  private isOneWaiting = false;

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return await result;
  }

  /** Nothing happens if one that was taken in the background still waits. An error is left to the next one. */
  takeOneInBackground(work: () => Promise<void>): void {
    if (this.isOneWaiting) return;
    this.isOneWaiting = true;
    void this.take(async () => {
      this.isOneWaiting = false;
      await work();
    }).catch(() => undefined);
  }
}
