import { seededRandom } from '../tools/random';
import type { Endpoint, Fault } from './faults';

interface Entry {
  fault: Fault;
  random: () => number;
  /** How many requests it could have hit since it was set, and how many it hit. */
  seen: number;
  hits: number;
  /** When it first hit a request, in ms since 1970. */
  begun: number | null;
  /** Balance requests since that first hit. */
  balanceRequests: number;
}

/** Decides which fault hits a request: the first one in the list that is due. */
export class FaultPlan {
  private entries: Entry[] = [];

  /** Replaces all faults; their counts and random numbers start again. */
  set(faults: Fault[]): void {
    this.entries = faults.map((fault, index) => ({
      fault,
      random: seededRandom(index + 1),
      seen: 0,
      hits: 0,
      begun: null,
      balanceRequests: 0,
    }));
  }

  /**
   * Picks the fault for a request. Every fault counts (and draws for) every request that it could hit, even if another
   * fault hits the request, so faults don't influence each other.
   * @param now in ms since 1970
   */
  pick(endpoint: Endpoint, messages: readonly unknown[], now: number): Fault | null {
    const [picked] = this.entries.filter((entry) => isAbout(entry.fault, endpoint, messages) && isDue(entry, now));
    if (picked !== undefined) {
      picked.hits += 1;
      picked.begun ??= now;
    }
    for (const entry of this.entries) if (endpoint === 'balance' && entry.begun !== null) entry.balanceRequests += 1;
    return picked?.fault ?? null;
  }
}

/** The request's messages that the fault's `phones` or `text` match; null if it has neither. */
export function chosenMessages({ phones, text }: Fault, messages: readonly unknown[]): number[] | null {
  if (phones === undefined && text === undefined) return null;
  return [...messages.keys()].filter((index) => {
    const { phone, message } = Object(messages[index]) as Record<string, unknown>;
    const hasText = text !== undefined && String(message).includes(text);
    return hasText || (phones?.includes(String(phone)) ?? false);
  });
}

function isAbout(fault: Fault, endpoint: Endpoint, messages: readonly unknown[]): boolean {
  if (fault.kind === 'bulk-answer' && endpoint !== 'bulk') return false;
  if (fault.kind === 'unsent' && endpoint === 'balance') return false;
  if (fault.on !== undefined && fault.on !== 'any' && fault.on !== endpoint) return false;
  return chosenMessages(fault, messages)?.length !== 0;
}

/** Counts the request. */
function isDue(entry: Entry, now: number): boolean {
  const { fault, begun } = entry;
  entry.seen += 1;
  const drawn = fault.probability === undefined || entry.random() < fault.probability;
  if (!drawn || entry.seen <= (fault.after ?? 0) || entry.hits >= maxHits(fault)) return false;
  if (begun === null) return true;
  return (
    now < begun + 1000 * (fault.seconds ?? Infinity) && entry.balanceRequests < (fault.balanceRequests ?? Infinity)
  );
}

/** Parameters that limit a fault in other ways than by a number of requests. */
const WITHOUT_NUMBER: ReadonlySet<string> = new Set(['probability', 'seconds', 'balanceRequests', 'phones', 'text']);

function maxHits(fault: Fault): number {
  return fault.times ?? (Object.keys(fault).some((name) => WITHOUT_NUMBER.has(name)) ? Infinity : 1);
}
