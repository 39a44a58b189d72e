import type { Wait } from './wait';

/** Clocks of two machines and their timers agree to within a few milliseconds. */
const MARGIN = 5;

/** What a pacer needs of the world, so that tests and the benchmark can bring their own. */
export interface PacerClock {
  /** Milliseconds, never going back. */
  readonly now: () => number;
}

/** Permission for one request; call `release` when its answer has arrived. */
export interface Slot {
  readonly release: () => void;
}

/** A request in the queue for a slot. */
interface Waiting {
  /** When it came, by the pacer's clock. */
  readonly came: number;
  /** Lets it check whether its turn has come. */
  wake: () => void;
}

/**
 * Hands out request slots, first come, first served: at most `limit` requests in any window. A request that the service
 * refused returns to its place in the queue: where several processes share a key, some are refused in every window, and
 * at the end of the queue it would be the same ones each time.
 *
 * A slot counts from the start of its request until a whole window after its answer. The service saw the request at some
 * time in between, so it never sees more than the limit in a window, whether it counts in sliding or fixed windows or
 * with a token bucket.
 */
export class Pacer {
  private inFlight = 0;
  /** When the answers that still count arrived, oldest first. */
  private answered: number[] = [];
  private heldUntil = 0;
  /** Who waits for a slot; only the first may take one. */
  private readonly queue: Waiting[] = [];

  constructor(
    private readonly window: number,
    private readonly clock: PacerClock,
  ) {}

  /**
   * Waits for a slot.
   * @param limit requests in a window
   * @param came when the request first wanted a slot, by the pacer's clock
   * @throws what `wait` throws when the run is stopped meanwhile
   */
  async acquire(limit: number, wait: Wait, came = this.clock.now()): Promise<Slot> {
    const own: Waiting = { came, wake: () => undefined };
    const place = this.queue.findIndex((other) => other.came > came);
    this.queue.splice(place === -1 ? this.queue.length : place, 0, own);
    try {
      await wait(Promise.resolve());
      for (let delay = this.delayOf(own, limit); delay !== 0; delay = this.delayOf(own, limit)) {
        await wait(delay ?? new Promise<void>((resolve) => (own.wake = resolve)));
      }
      this.inFlight += 1;
    } finally {
      this.queue.splice(this.queue.indexOf(own), 1);
      this.queue[0]?.wake();
    }
    return { release: once(() => this.release()) };
  }

  /** Starts no request for this many milliseconds: the service asked for it. */
  hold(milliseconds: number): void {
    this.heldUntil = Math.max(this.heldUntil, this.clock.now() + milliseconds);
  }

  /** Milliseconds until the one who waits may start, 0 for now; null while it must be woken first. */
  private delayOf(waiting: Waiting, limit: number): number | null {
    return this.queue[0] === waiting ? this.delay(limit) : null;
  }

  /** Milliseconds until a request may start, 0 for now; null while that depends on an answer that has not arrived. */
  private delay(limit: number): number | null {
    const now = this.clock.now();
    while (this.answered.length > 0 && (this.answered[0] ?? 0) + this.window + MARGIN <= now) this.answered.shift();
    const held = Math.max(0, this.heldUntil - now);
    const tooMany = this.inFlight + this.answered.length - limit + 1;
    if (tooMany <= 0) return Math.ceil(held);
    const leaving = this.answered[tooMany - 1];
    return leaving === undefined ? null : Math.ceil(Math.max(held, leaving + this.window + MARGIN - now));
  }

  private release(): void {
    this.inFlight -= 1;
    this.answered.push(this.clock.now());
    this.queue[0]?.wake();
  }
}

/** The pacers of this process, one for each key and address: the limit is counted per API key (API part 8). */
export class Pacers {
  private readonly pacers = new Map<string, Pacer>();

  constructor(
    private readonly window: number,
    private readonly clock: PacerClock,
  ) {}

  /** @param account identifies the account without being a secret */
  for(account: string): Pacer {
    let pacer = this.pacers.get(account);
    if (pacer === undefined) {
      pacer = new Pacer(this.window, this.clock);
      this.pacers.set(account, pacer);
    }
    return pacer;
  }
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}
