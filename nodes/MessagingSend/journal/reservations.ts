import { identityOf, mayHaveBeenSent, type Row } from '../messages/row';
import type { FactState } from './list/factList';
import type { Facts } from './list/facts';

/** Messages that other executions have: `noted` ones were sent, `open` ones may have been. */
export type Taken = ReadonlyMap<Row, Exclude<FactState, 'unknown'>>;

/** How many messages a node remembers. */
export const MAX_REMEMBERED = 50_000;

/** In one write: it blocks n8n for some 50 ms, and each reads and writes the whole list. */
const NOTED_TOGETHER = 10_000;

/**
 * The messages that all executions have sent from an account. A message is reserved before its request leaves, and
 * given up only if it was certainly not sent.
 */
export class Reservations {
  private readonly own = new Set<Row>();
  /** Until when messages wait for other runs of this process, in milliseconds of the list's clock. */
  private readonly patience = new Map<Row, number>();

  /** @param maxWait how long a message may wait for another run of this process, in milliseconds */
  constructor(
    private readonly facts: Facts,
    private readonly maxWait: number,
  ) {}

  /** Whether another run of this process has some of these in flight, and they may still wait for it. */
  mustWait(rows: readonly Row[]): boolean {
    const { list } = this.facts;
    const facts = this.factsOf(rows);
    return rows.some((row, index) => {
      if (this.own.has(row) || !list.isInFlight(facts[index] ?? '')) return false;
      const end = this.patience.get(row) ?? list.now() + this.maxWait;
      this.patience.set(row, end);
      return list.now() < end;
    });
  }

  /**
   * Finds messages that were sent or reserved before, and reserves none. What another run of this process has in flight
   * is left for {@link reserve}: by then, that run may have given it up.
   * @throws what the storage throws
   */
  async find(rows: readonly Row[]): Promise<Taken> {
    return takenOf(rows, await this.facts.ask(this.factsOf(rows), 'unknown'));
  }

  /**
   * Reserves messages that are not reserved yet: all of them, or none.
   * @returns the messages that can't be reserved; `wait` if some must wait for another run of this process
   * @throws what the storage throws
   */
  async reserve(rows: readonly Row[]): Promise<Taken | 'wait'> {
    const left = rows.filter((row) => !this.own.has(row));
    const taken = takenOf(left, await this.facts.claim(this.factsOf(left)));
    if (taken.size === 0) for (const row of left) this.own.add(row);
    // Asked at once: in a moment, the other run may have given them up, and they would be left out for nobody.
    return taken.size > 0 && this.mustWait(left) ? 'wait' : taken;
  }

  /** Leaves those that a run without this memory has sent meanwhile. */
  giveUp(rows: readonly Row[]): void {
    const facts = this.factsOf(rows.filter((row) => this.own.delete(row)));
    this.facts.change({ facts: facts.filter((fact) => this.facts.list.isInFlight(fact)), to: 'unknown' });
  }

  /** Keeps messages that were sent, or may have been, and gives up the rest. @param rows that have just been settled */
  settled(rows: readonly Row[]): void {
    const ofKind = (kind: string) => rows.filter((row) => this.own.has(row) && row.outcome?.kind === kind);
    this.facts.change({ facts: this.factsOf(ofKind('sent')), to: 'noted' });
    // No other run has to wait for these any longer: nobody will learn their outcome.
    this.facts.change({ facts: this.factsOf(ofKind('uncertain')) });
    this.giveUp(rows.filter(({ outcome }) => !mayHaveBeenSent(outcome)));
  }

  /**
   * Called when the run has ended: reserved messages stay reserved. Those that were sent, or may have been, without
   * being reserved are noted, so that later runs find them. Resolves once all of it is stored.
   * @returns whether later runs find all of them
   */
  async finish(sent: readonly Row[] = []): Promise<boolean> {
    let isStored = true;
    const left = sent.filter((row) => !this.own.has(row));
    for (let start = 0; start < left.length; start += NOTED_TOGETHER) {
      const part = left.slice(start, start + NOTED_TOGETHER);
      const noted = this.factsOf(part.filter(({ outcome }) => outcome?.kind === 'sent'));
      const open = this.factsOf(part.filter(({ outcome }) => outcome?.kind !== 'sent'));
      // If the database doesn't take it, later runs may send these again, as they would without this memory.
      await this.facts.note({ noted, open }).catch(() => (isStored = false));
    }
    await this.facts.list.turns.last;
    this.facts.end(this.factsOf([...this.own]));
    return isStored;
  }

  private factsOf(rows: readonly Row[]): string[] {
    return rows.map((row) => this.facts.of(identityOf(row)));
  }
}

function takenOf(rows: readonly Row[], states: readonly FactState[]): Taken {
  const taken = new Map<Row, Exclude<FactState, 'unknown'>>();
  for (const [index, row] of rows.entries()) {
    const state = states[index] ?? 'open';
    if (state !== 'unknown') taken.set(row, state);
  }
  return taken;
}
