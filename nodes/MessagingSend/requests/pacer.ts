import { sleep } from 'n8n-workflow';

import { REQUESTS_PER_MINUTE } from '../api/endpoints';

/** Time and chance; tests have their own. */
export interface Clock {
  /** In milliseconds; never goes back. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

export const SYSTEM_CLOCK: Clock = { now: () => performance.now(), sleep, random: Math.random };

/** Waits for a number of milliseconds, or for a promise. Throws as soon as the run is stopped. */
export type Wait = (what: number | Promise<unknown>) => Promise<void>;

/** The service counts requests by the minute (API part 8), in milliseconds. */
const WINDOW = 60_000;
/** In milliseconds, because the clocks and timers of two machines differ. */
const MARGIN = 5;

/** A request's place in the queue. The request keeps it when it is repeated. */
interface Ticket {
  readonly number: number;
  /** How long the request may wait because of 429s, in milliseconds. */
  readonly maxWait: number;
  /** The pacer's `holdTime` when the request came. */
  readonly holdTimeBefore: number;
  /** When its wait because of 429s began, counted without a break; null until its own first 429. */
  waitsSince: number | null;
}

/**
 * Hands out the request slots of one API key, first come, first served: at most `limit` in any window.
 *
 * A slot counts from the start of its request until a whole window after the answer. The service counted the request at
 * some moment in between, so it never sees more than the limit in a window, whether it uses sliding windows, fixed
 * windows or a token bucket.
 *
 * A 429 puts a *hold* on the key: no request starts for as long as the service asks. The rejected request keeps its place
 * in the queue. At the end of the queue, the same requests would be rejected in every window when several processes
 * share a key.
 */
export class Pacer {
  /** Until a run sets another. */
  private limit = REQUESTS_PER_MINUTE;
  private tickets = 0;
  /** In the order of their tickets. */
  private queue: Array<{ readonly ticket: Ticket; readonly resolve: (hasSlot: boolean) => void }> = [];
  inFlight = 0;
  /** How many requests were made and have ended. */
  ended = 0;
  /** When the slots of answered requests become free, in that order. */
  private readonly freeAt: number[] = [];
  private holdEnd = 0;
  /** The length of all holds so far, including the rest of the present one, in milliseconds. */
  private holdTime = 0;
  /** When the queue is checked next; Infinity if that depends on an answer. */
  private wakesAt = Infinity;

  constructor(private readonly clock: Pick<Clock, 'now' | 'sleep'>) {}

  /** From now on, all requests of the key keep to this limit, including those that already wait. */
  limitTo(requests: number): void {
    this.limit = requests;
    this.serve();
  }

  /** @param maxWait how long the request may wait because of 429s, in milliseconds */
  ticket(maxWait: number): Ticket {
    this.tickets += 1;
    return { number: this.tickets, maxWait, holdTimeBefore: this.holdTime - this.holdLeft, waitsSince: null };
  }

  /**
   * Waits for a slot. Every slot must be given back by {@link release}.
   * @returns false, without a slot, if the hold lasts longer than the request may wait
   * @throws what `wait` throws when the run is stopped
   */
  async acquire(ticket: Ticket, wait: Wait): Promise<boolean> {
    const place = this.queue.findLastIndex((other) => other.ticket.number < ticket.number) + 1;
    const turn = new Promise<boolean>((resolve) => this.queue.splice(place, 0, { ticket, resolve }));
    this.serve();
    const waiting = wait(turn);
    // A stopped request passes its slot on.
    void waiting.catch(async () => (await turn) && this.release(false));
    await waiting;
    return await turn;
  }

  /** Gives a slot back. @param isMade whether its request was made, and has ended; otherwise it doesn't count */
  release(isMade: boolean): void {
    if (isMade) {
      this.freeAt.push(this.clock.now() + WINDOW + MARGIN);
      this.ended += 1;
    }
    this.inFlight -= 1;
    this.serve();
  }

  /**
   * Holds the key for this many milliseconds, because this request got a 429.
   * @returns false, without a hold, if that is longer than the request may wait
   */
  hold(milliseconds: number, ticket: Ticket): boolean {
    const now = this.clock.now();
    const end = now + milliseconds;
    ticket.waitsSince ??= now - (this.holdTime - this.holdLeft - ticket.holdTimeBefore);
    if (end - ticket.waitsSince > ticket.maxWait) return false;
    this.holdTime += Math.max(0, end - Math.max(now, this.holdEnd));
    this.holdEnd = Math.max(end, this.holdEnd);
    this.serve();
    return true;
  }

  /** What is left of the hold, in milliseconds. */
  get holdLeft(): number {
    return Math.max(0, this.holdEnd - this.clock.now());
  }

  /** Whether a request would get a slot at once. */
  get isFree(): boolean {
    return this.holdLeft === 0 && this.queue.length === 0 && this.inFlight + this.freeAt.length < this.limit;
  }

  /** Gives slots to the first requests in the queue, as many as the limit allows now. */
  private serve(): void {
    const isHeld = this.holdLeft > 0;
    if (isHeld) this.sendAway();
    while ((this.freeAt[0] ?? Infinity) <= this.clock.now()) this.freeAt.shift();
    const free = isHeld ? 0 : Math.max(0, this.limit - this.inFlight - this.freeAt.length);
    for (const { resolve } of this.queue.splice(0, free)) {
      this.inFlight += 1;
      resolve(true);
    }
    const next = isHeld ? this.holdEnd : (this.freeAt[0] ?? Infinity);
    if (this.queue.length === 0 || next >= this.wakesAt) return;
    this.wakesAt = next;
    void this.clock.sleep(Math.ceil(next - this.clock.now())).then(() => {
      if (this.wakesAt === next) this.wakesAt = Infinity;
      this.serve();
    });
  }

  /** Removes the requests that may not wait until the end of the hold. */
  private sendAway(): void {
    this.queue = this.queue.filter(({ ticket: { holdTimeBefore, waitsSince, maxWait }, resolve }) => {
      // Before its own first 429, only holds count; after it, the request waits for nothing else.
      const wait = waitsSince === null ? this.holdTime - holdTimeBefore : this.holdEnd - waitsSince;
      // One millisecond of tolerance, because sums of times are not exact.
      const isTooLong = wait > maxWait + 1;
      if (isTooLong) resolve(false);
      return !isTooLong;
    });
  }
}
