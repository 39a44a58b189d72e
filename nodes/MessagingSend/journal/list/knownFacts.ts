/**
 * `barred`: nobody may open it any more. `open`: begun, and its end is not noted. `noted`: it is true.
 *
 * In the list, a noted fact is one entry, an open one has a pending marker beside it, and a barred one is the marker alone. A
 * question adds both for a moment: if n8n is killed then, the fact stays open, which sends nothing and claims nothing.
 */
export type FactState = 'unknown' | 'barred' | 'open' | 'noted';

/**
 * How long each write repeats the entries of a fact, because another process can overwrite them: while it is `held`, or
 * until a write that begins after this time finds them. A `claiming` run has not won it yet, and repeats nothing.
 */
type Hold = 'claiming' | 'held' | { readonly untilFoundAfter: number } | null;

interface Known {
  readonly state: FactState;
  readonly hold: Hold;
  /** Called when the run that holds it has settled or released it. */
  readonly waiting: Array<() => void>;
}

/** Entries to remove from the list, and the states that their facts have then. */
interface Removal {
  readonly entries: readonly string[];
  readonly states: ReadonlyMap<string, FactState>;
}

/** n8n looks for each entry to remove from the start of the list, which takes some 0.1 ms in a long one. */
const MAX_REMOVED = 100;

/** The facts of a node that this process relies on, or has changed lately: it knows them better than the list. */
export class KnownFacts {
  readonly all = new Map<string, Known>();
  /** Of these, the list may have entries that their state does not have. */
  readonly surplus = new Set<string>();

  /** @returns undefined where only the list knows */
  stateOf(fact: string): FactState | undefined {
    return this.all.get(fact)?.state;
  }

  /** @param hasSurplus whether the list may have entries of the fact that this state does not have; as before by default */
  set(fact: string, state: FactState, hold: Hold, hasSurplus = this.surplus.has(fact)): void {
    const { waiting } = this.all.get(fact) ?? { waiting: [] };
    this.all.set(fact, { state, hold, waiting });
    if (hasSurplus) this.surplus.add(fact);
    else this.surplus.delete(fact);
    this.hold(fact, hold);
  }

  hold(fact: string, hold: Hold): void {
    const known = this.all.get(fact);
    if (known === undefined) return;
    this.all.set(fact, { ...known, hold });
    if (hold === 'held' || hold === 'claiming') return;
    for (const resolve of known.waiting.splice(0)) resolve();
    // What nobody holds and nothing is to be removed of is in the list alone.
    if (hold === null && !this.surplus.has(fact)) this.all.delete(fact);
  }

  /** Releases a fact that is held once a write that begins after this time has found it. */
  releaseWhenFound(fact: string, after: number): void {
    if (this.all.get(fact)?.hold === 'held') this.hold(fact, { untilFoundAfter: after });
  }

  /** @returns a promise that resolves when a run of this process has settled the fact; null where none has it in flight */
  whenSettled(fact: string): Promise<void> | null {
    const known = this.all.get(fact);
    if (known?.state !== 'open' || (known.hold !== 'held' && known.hold !== 'claiming')) return null;
    return new Promise((resolve) => known.waiting.push(resolve));
  }

  /** What each write repeats. */
  get repeated(): string[] {
    const held = [...this.all].filter(([, { hold }]) => hold !== null && hold !== 'claiming');
    return held.flatMap(([fact, { state }]) => entriesOf(fact, state));
  }

  /** A write that began at this time has found these entries in the list. */
  found(present: ReadonlySet<string>, began: number): void {
    for (const [fact, { state, hold }] of this.all) {
      if (hold === null || typeof hold === 'string' || hold.untilFoundAfter > began) continue;
      if (entriesOf(fact, state).every((entry) => present.has(entry))) this.hold(fact, null);
    }
  }

  /** These entries, without those that known facts have. */
  withoutKnown(entries: readonly string[]): string[] {
    const kept = new Set([...this.all].flatMap(([fact, { state }]) => entriesOf(fact, state)));
    return entries.filter((entry) => !kept.has(entry));
  }

  /** What the next call can remove. */
  get removal(): Removal {
    const states = new Map<string, FactState>();
    const entries: string[] = [];
    for (const fact of this.surplus) {
      const state = this.stateOf(fact) ?? 'unknown';
      const kept = entriesOf(fact, state);
      const surplus = entriesOfOpen(fact).filter((entry) => !kept.includes(entry));
      if (entries.length + surplus.length > MAX_REMOVED) break;
      states.set(fact, state);
      entries.push(...surplus);
    }
    return { entries, states };
  }

  removed({ states }: Removal): void {
    for (const [fact, state] of states) {
      const known = this.all.get(fact);
      if (known?.state !== state) continue;
      this.surplus.delete(fact);
      this.hold(fact, known.hold);
    }
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
