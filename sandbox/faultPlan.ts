import { seededRandom } from '../tools/random';
import type { Endpoint, Fault } from './faults';

/** A fault, the requests of its endpoint since it was set, and how many of them it hit. */
export interface FaultProgress {
  fault: Fault;
  seen: number;
  hits: number;
}

/** Decides which request is hit by which fault: the first of the list that is due; the same for the same seed. */
export class FaultPlan {
  private entries: Array<FaultProgress & { random: () => number }> = [];

  constructor(private readonly seed: number) {}

  /** Replaces all faults; their counts and random numbers start again. */
  set(faults: Fault[]): void {
    this.entries = faults.map((fault, index) => ({
      fault,
      seen: 0,
      hits: 0,
      random: seededRandom(this.seed + index),
    }));
  }

  progress(): FaultProgress[] {
    return this.entries.map(({ fault, seen, hits }) => ({ fault, seen, hits }));
  }

  /**
   * The fault for the next request to `endpoint`. Every fault counts (and draws for) every request of its endpoint,
   * even one that another fault hits: which requests a fault can hit does not depend on the others.
   */
  pick(endpoint: Endpoint): Fault | null {
    let picked: Fault | null = null;
    for (const entry of this.entries) {
      const { fault } = entry;
      if (!concerns(fault, endpoint)) continue;
      entry.seen += 1;
      const drawn = fault.probability === undefined || entry.random() < fault.probability;
      const times = fault.times ?? (fault.probability === undefined ? 1 : Infinity);
      if (picked !== null || !drawn || entry.seen <= (fault.after ?? 0) || entry.hits >= times) continue;
      entry.hits += 1;
      picked = fault;
    }
    return picked;
  }
}

function concerns(fault: Fault, endpoint: Endpoint): boolean {
  if (fault.kind === 'bulk-answer') return endpoint === 'bulk';
  return fault.on === undefined || fault.on === 'any' || fault.on === endpoint;
}
