import { REQUESTS_PER_MINUTE } from '../api/endpoints';
import type { Wait } from './wait';

/** How many requests of a run are in flight at once by default. An outage makes the messages of all of them uncertain. */
export const PARALLEL_REQUESTS = 16;

/** By when all requests that a window allows should be answered, as a share of the window. */
const SHARE = 1 / 3;

/** How many requests a run made, and how long it waited for the limit. */
export class Tally {
  requests = 0;
  /** Time in which at least one request waited for its slot, in milliseconds. */
  waited = 0;
  private waiting = 0;
  private since = 0;

  constructor(private readonly now: () => number) {}

  /** Counts the time until the wait is over. Waits that overlap count once. */
  async during<T>(wait: Promise<T>): Promise<T> {
    if (this.waiting === 0) this.since = this.now();
    this.waiting += 1;
    try {
      return await wait;
    } finally {
      this.waiting -= 1;
      if (this.waiting === 0) this.waited += this.now() - this.since;
    }
  }
}

/** What the requests of one run share, to all its accounts. */
export class Traffic {
  readonly tally: Tally;
  /** When the next request may start, by the interval. */
  earliest = 0;
  private inFlight = 0;
  private readonly queue: Array<() => void> = [];

  /** @param parallelRequests how many requests may be in flight; null for as many as the service's answers need */
  constructor(
    now: () => number,
    private readonly parallelRequests: number | null = null,
  ) {
    this.tally = new Tally(now);
  }

  /**
   * How many requests may be in flight now. By default, more than usual for a service that takes longer than 5 s to
   * answer: otherwise its limit would stay unused for most of a minute.
   * @param answerTime how long the latest answer took, as a share of the window
   */
  maxConcurrent(answerTime: number): number {
    const needed = Math.ceil((REQUESTS_PER_MINUTE * answerTime) / SHARE);
    return this.parallelRequests ?? Math.min(REQUESTS_PER_MINUTE, Math.max(PARALLEL_REQUESTS, needed));
  }

  /**
   * Waits until one more request may be in flight. Call {@link release} when it no longer is.
   * @param maxConcurrent how many requests may be in flight; read again after each wait
   * @throws what `wait` throws when the run is stopped
   */
  async enter(wait: Wait, maxConcurrent: () => number): Promise<void> {
    while (this.inFlight >= maxConcurrent()) {
      let wake: () => void = () => undefined;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      this.queue.push(wake);
      let isStopped = true;
      try {
        await wait(woken);
        isStopped = false;
      } finally {
        if (isStopped) this.giveUp(wake);
      }
    }
    this.inFlight += 1;
  }

  release(): void {
    this.inFlight -= 1;
    this.queue.shift()?.();
  }

  private giveUp(wake: () => void): void {
    const place = this.queue.indexOf(wake);
    // Woken at the same moment: the next request may go instead.
    if (place === -1) this.queue.shift()?.();
    else this.queue.splice(place, 1);
  }
}
