import { SYSTEM_CLOCK } from './wait';

/** How many requests a run made, and how long it waited for the rate limit. */
export class Tally {
  requests = 0;
  /** Time in which at least one request waited for its slot, in milliseconds. */
  waited = 0;
  private waiting = 0;
  private since = 0;

  constructor(private readonly now = SYSTEM_CLOCK.now) {}

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
