import type { Wait } from './wait';

/** Clocks of two machines and their timers agree to within a few milliseconds. */
const MARGIN = 5;

/** What a pacer needs of the world, so that tests and the benchmark can bring their own. */
export interface PacerClock {
  /** Milliseconds, never going back. */
  readonly now: () => number;
}

/** Leave for one request; `release` is called when its answer is there. */
export interface Slot {
  readonly release: () => void;
}

/**
 * Hands out request slots, first come first served: at most `limit` requests in any window.
 *
 * A slot counts from the start of its request until a whole window after its answer. The service saw
 * the request at some time in between, so it never sees more than the limit in a window of its own,
 * whether it counts in sliding or fixed windows or with a token bucket.
 */
export class Pacer {
  private inFlight = 0;
  /** When the answers came that still count, oldest first. */
  private answered: number[] = [];
  private heldUntil = 0;
  private queue: Promise<void> = Promise.resolve();
  private wakeUp: () => void = () => {};

  constructor(
    private readonly window: number,
    private readonly clock: PacerClock,
  ) {}

  /**
   * Waits for a slot.
   * @param limit requests in a window
   * @throws what `wait` throws when the run is stopped meanwhile
   */
  async acquire(limit: number, wait: Wait): Promise<Slot> {
    const turn = this.queue;
    let passOn = () => {};
    this.queue = new Promise((resolve) => (passOn = resolve));
    try {
      await wait(turn);
      for (let delay = this.delay(limit); delay !== 0; delay = this.delay(limit)) {
        await wait(delay ?? this.nextRelease());
      }
    } finally {
      // Whoever gives up hands on the turn, but not before its own has come.
      void turn.then(passOn);
    }
    this.inFlight += 1;
    return { release: once(() => this.release()) };
  }

  /** Lets no request start for so many milliseconds from now: the service asked for it. */
  hold(milliseconds: number): void {
    this.heldUntil = Math.max(this.heldUntil, this.clock.now() + milliseconds);
  }

  /** Milliseconds until a request may start, 0 for now; null while that depends on an answer to come. */
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
    this.wakeUp();
  }

  private async nextRelease(): Promise<void> {
    // Only the head of the queue waits here.
    return await new Promise((resolve) => (this.wakeUp = resolve));
  }
}

/** The pacers of this process, one for each key and address: the limit is counted per API key (API part 8). */
export class Pacers {
  private readonly pacers = new Map<string, Pacer>();

  constructor(
    private readonly window: number,
    private readonly clock: PacerClock,
  ) {}

  /** @param account what tells accounts apart, without being a secret itself */
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
