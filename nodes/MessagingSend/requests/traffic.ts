import { parallelFor } from './parallel';
import { Tally } from './tally';
import type { Wait } from './wait';

/** What the requests of one run share, whatever account they are of. */
export class Traffic {
  readonly tally: Tally;
  /** When the next request may start, by the interval. */
  earliest = 0;
  private inFlight = 0;
  private readonly queue: Array<() => void> = [];

  /** @param parallelRequests the most requests in flight at the same time; null for as many as the answers need */
  constructor(
    now: () => number,
    private readonly parallelRequests: number | null = null,
  ) {
    this.tally = new Tally(now);
  }

  /**
   * How many requests may be in flight.
   * @param answerTime what the latest answer took, as a share of the window
   */
  most(answerTime: number): number {
    return this.parallelRequests ?? parallelFor(answerTime);
  }

  /**
   * Waits until one more request may be in flight; call {@link leave} when it no longer is.
   * @param most how many may be
   * @throws what `wait` throws when the run is stopped meanwhile
   */
  async enter(wait: Wait, most: () => number): Promise<void> {
    while (this.inFlight >= most()) {
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

  leave(): void {
    this.inFlight -= 1;
    this.queue.shift()?.();
  }

  private giveUp(wake: () => void): void {
    const place = this.queue.indexOf(wake);
    // It may have been woken in the same moment; then it is the next one's turn.
    if (place === -1) this.queue.shift()?.();
    else this.queue.splice(place, 1);
  }
}
