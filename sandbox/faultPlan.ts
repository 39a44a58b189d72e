import { isObject } from '../tools/json';
import { seededRandom } from '../tools/random';
import type { Endpoint, Fault, RequestFault, TlsHangUpFault } from './faults';

/** A fault, the requests that it is about since it was set, and how many of them it hit. */
export interface FaultProgress {
  fault: Fault;
  seen: number;
  hits: number;
}

interface Entry extends FaultProgress {
  random: () => number;
  /** When it first hit a request, in ms since 1970. */
  begun: number | null;
  /** Balance requests since that first hit. */
  balanceRequests: number;
}

/** A request as faults see it. */
export interface FacedRequest {
  endpoint: Endpoint;
  /** Null until the body has been read. */
  messages: readonly unknown[] | null;
}

/** Decides which request is hit by which fault: the first of the list that is due; the same for the same seed. */
export class FaultPlan {
  private entries: Entry[] = [];

  constructor(private readonly seed: number) {}

  /** Replaces all faults; their counts and random numbers start again. */
  set(faults: Fault[]): void {
    this.entries = faults.map((fault, index) => ({
      fault,
      seen: 0,
      hits: 0,
      random: seededRandom(this.seed + index),
      begun: null,
      balanceRequests: 0,
    }));
  }

  progress(): FaultProgress[] {
    return this.entries.map(({ fault, seen, hits }) => ({ fault, seen, hits }));
  }

  /**
   * The fault for a request: when it arrives, one that needs no messages; if there is none, one that is about messages
   * when they have been read. Every fault counts (and draws for) every request that it is about, even one that another
   * fault of the list hits: which requests a fault can hit does not depend on the others.
   * @param now in ms since 1970
   */
  pick(request: FacedRequest, now: number): RequestFault | null {
    const picked = this.first((fault): fault is RequestFault => isAbout(fault, request), now);
    if (request.endpoint === 'balance' && request.messages === null) {
      for (const entry of this.entries) if (entry.begun !== null) entry.balanceRequests += 1;
    }
    return picked;
  }

  /** Whether a new connection is closed in its TLS handshake, at `now` (ms). */
  hangsUp(now: number): boolean {
    return this.first((fault): fault is TlsHangUpFault => fault.kind === 'tls-hang-up', now) !== null;
  }

  private first<Picked extends Fault>(isAbout: (fault: Fault) => fault is Picked, now: number): Picked | null {
    let picked: Picked | null = null;
    for (const entry of this.entries) {
      const { fault } = entry;
      if (!isAbout(fault) || !isDue(entry, now) || picked !== null) continue;
      entry.hits += 1;
      entry.begun ??= now;
      picked = fault;
    }
    return picked;
  }
}

/** Which of a request's messages the fault is about by `phones` or `text`; null if it has neither. */
export function chosenMessages({ phones, text }: RequestFault, messages: readonly unknown[]): number[] | null {
  if (phones === undefined && text === undefined) return null;
  return [...messages.keys()].filter((index) => {
    const message = messages[index];
    if (!isObject(message)) return false;
    const hasText = text !== undefined && typeof message.message === 'string' && message.message.includes(text);
    return hasText || (phones?.includes(String(message.phone)) ?? false);
  });
}

function isAbout(fault: Fault, { endpoint, messages }: FacedRequest): fault is RequestFault {
  if (fault.kind === 'tls-hang-up') return false;
  if (fault.kind === 'bulk-answer' && endpoint !== 'bulk') return false;
  if (fault.kind === 'unsent' && endpoint === 'balance') return false;
  if (fault.on !== undefined && fault.on !== 'any' && fault.on !== endpoint) return false;
  const chosen = chosenMessages(fault, messages ?? []);
  return messages === null ? chosen === null : chosen !== null && chosen.length > 0;
}

/** Counts the request. */
function isDue(entry: Entry, now: number): boolean {
  const { fault, begun } = entry;
  entry.seen += 1;
  const drawn = fault.probability === undefined || entry.random() < fault.probability;
  if (!drawn || entry.seen <= (fault.after ?? 0) || entry.hits >= maxHits(fault)) return false;
  if (begun === null) return true;
  const balanceRequests = fault.kind === 'tls-hang-up' ? undefined : fault.balanceRequests;
  return now < begun + 1000 * (fault.seconds ?? Infinity) && entry.balanceRequests < (balanceRequests ?? Infinity);
}

/** Parameters that limit a fault in another way than by a number of requests. */
const WITHOUT_NUMBER: ReadonlySet<string> = new Set(['probability', 'seconds', 'balanceRequests', 'phones', 'text']);

function maxHits(fault: Fault): number {
  return fault.times ?? (Object.keys(fault).some((name) => WITHOUT_NUMBER.has(name)) ? Infinity : 1);
}
