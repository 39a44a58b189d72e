import type { Wait } from './wait';

/** In milliseconds, because the clocks and timers of two machines differ. */
const MARGIN = 5;

/** The time that a pacer goes by; tests bring their own. */
export interface PacerClock {
  /** Milliseconds, never going back. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Permission for one request. */
export interface Slot {
  /** Must be called when the answer has arrived. */
  readonly release: () => void;
  /** Gives the slot back if the request was not made: it does not count. */
  readonly cancel: () => void;
}

/** What a request gets instead of a slot if the service asked for a longer wait than it accepts. */
export class HeldTooLong {
  /** @param left what is left of that wait, in milliseconds */
  constructor(readonly left: number) {}
}

interface Waiting {
  /** When the request first wanted a slot, by the pacer's clock. */
  readonly came: number;
  readonly limit: number;
  /** Leaves the queue without a slot once {@link Pacer.held} exceeds this, in milliseconds. */
  readonly maxHeld: number;
  readonly resolve: (result: Slot | HeldTooLong) => void;
}

/** The slots taken under one limit. */
interface Used {
  inFlight: number;
  /** When the answers that still count have arrived, oldest first. */
  readonly answered: number[];
}

/**
 * Hands out request slots, first come, first served: at most `limit` requests in any window. A request rejected with a
 * 429 returns to its place in the queue. At the end of the queue, the same requests would be rejected in every window
 * when several processes share a key.
 *
 * Runs may have different limits. A limit counts the requests of all runs with this limit or a lower one, and a request
 * keeps to its own limit and to every higher one in use. So runs with a limit of 60 make at most 60 requests together,
 * and a run with 600 beside them makes at most 600 including theirs. A request that waits only for its own limit lets
 * others pass. When the highest limit is used up, the earliest request goes first, so none waits for ever.
 *
 * A slot counts from the start of its request until a whole window after the answer. The service counted the request at
 * some moment in between, so it never sees more than the limit in a window, whether it uses sliding windows, fixed
 * windows or a token bucket.
 */
export class Pacer {
  /** By limit. Limits without a slot that counts are removed. */
  private readonly used = new Map<number, Used>();
  private heldUntil = 0;
  /** The sum of all holds so far, including the rest of the present one, in milliseconds. */
  private held = 0;
  private latestAnswer = 0;
  /** In the order in which the requests first wanted a slot. */
  private queue: Waiting[] = [];
  /** When the queue is checked next; Infinity if that depends on an answer. */
  private wakesAt = Infinity;

  constructor(
    private readonly window: number,
    private readonly clock: PacerClock,
  ) {}

  /**
   * Waits for a slot.
   * @param limit requests in a window
   * @param came when the request first wanted a slot, by the pacer's clock
   * @param maxHold how long it may wait because the service asked for it, in milliseconds
   * @throws what `wait` throws when the run is stopped
   */
  async acquire(limit: number, wait: Wait, came: number, maxHold: number): Promise<Slot | HeldTooLong>;
  async acquire(limit: number, wait: Wait): Promise<Slot>;
  async acquire(limit: number, wait: Wait, came = this.clock.now(), maxHold = Infinity): Promise<Slot | HeldTooLong> {
    let give: Waiting['resolve'] = () => undefined;
    const turn = new Promise<Slot | HeldTooLong>((resolve) => (give = resolve));
    const maxHeld = this.held - this.heldFor(this.clock.now()) + maxHold;
    const own: Waiting = { came, limit, maxHeld, resolve: give };
    const place = this.queue.findIndex((other) => other.came > came);
    this.queue.splice(place === -1 ? this.queue.length : place, 0, own);
    let isTurn = false;
    try {
      await wait(Promise.resolve());
      this.serve();
      if (this.queue.includes(own)) await wait(turn.then(() => undefined));
      isTurn = true;
    } finally {
      if (!isTurn) this.withdraw(own, turn);
    }
    return await turn;
  }

  /** Lets no request start for this many milliseconds, because the service asked for a wait. */
  hold(milliseconds: number): void {
    const now = this.clock.now();
    const from = Math.max(this.heldUntil, now);
    const until = Math.max(this.heldUntil, now + milliseconds);
    this.held += Math.max(0, until - from);
    this.heldUntil = until;
    this.serve();
  }

  /** Whether the service has asked for a wait that is not over. */
  get isHeld(): boolean {
    return this.heldFor(this.clock.now()) > 0;
  }

  /** How long the latest answer took, as a share of the window; 0 before the first. */
  get answerTime(): number {
    return this.latestAnswer / this.window;
  }

  /** @param milliseconds from the start of a request to its answer */
  noteAnswer(milliseconds: number): void {
    this.latestAnswer = milliseconds;
  }

  /** Takes a request whose run was stopped out of the queue. */
  private withdraw(own: Waiting, turn: Promise<Slot | HeldTooLong>): void {
    if (this.queue.includes(own)) this.queue = this.queue.filter((other) => other !== own);
    // It got its slot at the same moment.
    else void turn.then((result) => 'cancel' in result && result.cancel());
    this.serve();
  }

  /** Gives a slot to every request whose turn it is, and removes requests for which the hold is too long. */
  private serve(): void {
    const now = this.clock.now();
    this.forget(now);
    const hold = this.heldFor(now);
    const full = new Set<number>();
    let next = Infinity;
    this.queue = this.queue.filter(({ limit, maxHeld, resolve }) => {
      // One millisecond of tolerance, because sums of times are not exact.
      if (hold > 0 && this.held > maxHeld + 1) {
        resolve(new HeldTooLong(hold));
        return false;
      }
      const delay = hold > 0 ? hold : full.has(limit) ? null : this.delay(limit, now);
      if (delay === 0) {
        resolve(this.slot(limit));
        return false;
      }
      full.add(limit);
      next = Math.min(next, delay ?? Infinity);
      return true;
    });
    if (now + next < this.wakesAt) this.wakeAt(now + next, Math.ceil(next));
  }

  private wakeAt(time: number, delay: number): void {
    this.wakesAt = time;
    void this.clock.sleep(delay).then(() => {
      if (this.wakesAt === time) this.wakesAt = Infinity;
      this.serve();
    });
  }

  /** Milliseconds until a request may start, 0 for now; null if that depends on an answer that has not arrived. */
  private delay(own: number, now: number): number | null {
    let longest = 0;
    for (const limit of new Set([own, ...this.used.keys()])) {
      const delay = limit < own ? 0 : this.delayBy(limit, now);
      if (delay === null) return null;
      longest = Math.max(longest, delay);
    }
    return longest;
  }

  /** Like {@link delay}, for one limit alone. */
  private delayBy(limit: number, now: number): number | null {
    const counted = [...this.used].filter(([other]) => other <= limit).map(([, used]) => used);
    const count = counted.reduce((sum, { inFlight, answered }) => sum + inFlight + answered.length, 0);
    const tooMany = count - limit + 1;
    if (tooMany <= 0) return 0;
    const answered =
      counted.length === 1 ? counted[0]?.answered : counted.flatMap((used) => used.answered).sort(byTime);
    const leaving = answered?.[tooMany - 1];
    return leaving === undefined ? null : leaving + this.window + MARGIN - now;
  }

  private slot(limit: number): Slot {
    const used = this.used.get(limit) ?? { inFlight: 0, answered: [] };
    this.used.set(limit, used);
    used.inFlight += 1;
    let isOpen = true;
    const close = (isCounted: boolean): void => {
      if (!isOpen) return;
      isOpen = false;
      used.inFlight -= 1;
      if (isCounted) used.answered.push(this.clock.now());
      this.serve();
    };
    return { release: () => close(true), cancel: () => close(false) };
  }

  private forget(now: number): void {
    for (const [limit, { inFlight, answered }] of this.used) {
      while (answered.length > 0 && (answered[0] ?? 0) + this.window + MARGIN <= now) answered.shift();
      if (inFlight + answered.length === 0) this.used.delete(limit);
    }
  }

  /** How much longer no request may start, in milliseconds, because the service asked for a wait. */
  private heldFor(now: number): number {
    return Math.max(0, this.heldUntil - now);
  }
}

function byTime(one: number, other: number): number {
  return one - other;
}
