import type { Wait } from './wait';

/** Clocks of two machines and their timers agree to within a few milliseconds. */
const MARGIN = 5;

/** What a pacer needs of the world, so that tests and the benchmark can bring their own. */
export interface PacerClock {
  /** Milliseconds, never going back. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Permission for one request. */
export interface Slot {
  /** Call it when the answer has arrived. */
  readonly release: () => void;
  /** Gives the slot back if the request was not made, so that it does not count. */
  readonly cancel: () => void;
}

/** Instead of a slot, for a request that may not wait as long as the service asked. */
export class HeldTooLong {
  /** @param left of that wait, in milliseconds */
  constructor(readonly left: number) {}
}

/** A request in the queue for a slot. */
interface Waiting {
  /** When it came, by the pacer's clock. */
  readonly came: number;
  readonly limit: number;
  /** How much of {@link Pacer.held} it may see, in milliseconds. */
  readonly maxHeld: number;
  readonly settle: (result: Slot | HeldTooLong) => void;
}

/** The slots of all requests with one limit. */
interface Used {
  inFlight: number;
  /** When the answers that still count arrived, oldest first. */
  readonly answered: number[];
}

/**
 * Hands out request slots, first come, first served: at most `limit` requests in any window. A request that the service
 * refused returns to its place in the queue: where several processes share a key, some are refused in every window, and
 * at the end of the queue it would be the same ones each time.
 *
 * Runs may have different limits. A limit counts the requests of all runs with this limit or a lower one, and each request
 * keeps to its own limit and to every higher one in use. So runs of 60 make at most 60 together, beside a run of 600
 * that makes at most 600 with them. Whoever waits only for its own limit lets others pass; where the highest is used
 * up, the earliest comes first, so nobody waits for ever.
 *
 * A slot counts from the start of its request until a whole window after its answer. The service saw the request at some
 * time in between, so it never sees more than the limit in a window, whether it counts in sliding or fixed windows or
 * with a token bucket.
 */
export class Pacer {
  /** By limit; only those with a slot that counts. */
  private readonly used = new Map<number, Used>();
  private heldUntil = 0;
  /** All that the pacer was ever held, up to `heldUntil`, in milliseconds. */
  private held = 0;
  private latestAnswer = 0;
  /** Who waits for a slot, in the order in which they came. */
  private queue: Waiting[] = [];
  /** When the queue is looked at next; Infinity if that depends on an answer. */
  private wakesAt = Infinity;

  constructor(
    private readonly window: number,
    private readonly clock: PacerClock,
  ) {}

  /**
   * Waits for a slot.
   * @param limit requests in a window
   * @param came when the request first wanted a slot, by the pacer's clock
   * @param maxHold the most milliseconds that it waits because the service asked for it
   * @throws what `wait` throws when the run is stopped meanwhile
   */
  async acquire(limit: number, wait: Wait, came: number, maxHold: number): Promise<Slot | HeldTooLong>;
  async acquire(limit: number, wait: Wait): Promise<Slot>;
  async acquire(limit: number, wait: Wait, came = this.clock.now(), maxHold = Infinity): Promise<Slot | HeldTooLong> {
    let settle: Waiting['settle'] = () => undefined;
    const turn = new Promise<Slot | HeldTooLong>((resolve) => (settle = resolve));
    const maxHeld = this.held - this.heldFor(this.clock.now()) + maxHold;
    const own: Waiting = { came, limit, maxHeld, settle };
    const place = this.queue.findIndex((other) => other.came > came);
    this.queue.splice(place === -1 ? this.queue.length : place, 0, own);
    let isTurn = false;
    try {
      await wait(Promise.resolve());
      this.serve();
      if (this.queue.includes(own)) await wait(turn.then(() => undefined));
      isTurn = true;
    } finally {
      if (!isTurn) this.leave(own, turn);
    }
    return await turn;
  }

  /** Starts no request for this many milliseconds: the service asked for it. */
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

  /** What the latest answer took, as a share of the window; 0 before the first. */
  get answerTime(): number {
    return this.latestAnswer / this.window;
  }

  /** @param milliseconds from the start of a request to its answer */
  noteAnswer(milliseconds: number): void {
    this.latestAnswer = milliseconds;
  }

  /** Whether it knows nothing that a new one would need. */
  isIdle(): boolean {
    const now = this.clock.now();
    this.forget(now);
    return this.queue.length === 0 && this.used.size === 0 && this.heldFor(now) === 0;
  }

  /** Takes a request whose run was stopped out of the queue. */
  private leave(own: Waiting, turn: Promise<Slot | HeldTooLong>): void {
    if (this.queue.includes(own)) this.queue = this.queue.filter((other) => other !== own);
    // Its turn came at the same moment.
    else void turn.then((result) => 'cancel' in result && result.cancel());
    this.serve();
  }

  /** Gives a slot to everyone whose turn has come, and sends away those for whom the hold is too long. */
  private serve(): void {
    const now = this.clock.now();
    this.forget(now);
    const hold = this.heldFor(now);
    const full = new Set<number>();
    let next = Infinity;
    this.queue = this.queue.filter(({ limit, maxHeld, settle }) => {
      // A millisecond, because sums of times are not exact.
      if (hold > 0 && this.held > maxHeld + 1) {
        settle(new HeldTooLong(hold));
        return false;
      }
      const delay = hold > 0 ? hold : full.has(limit) ? null : this.delay(limit, now);
      if (delay === 0) {
        settle(this.slot(limit));
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

  /** Milliseconds until a request may start, 0 for now; null while that depends on an answer that has not arrived. */
  private delay(own: number, now: number): number | null {
    let longest = 0;
    for (const limit of new Set([own, ...this.used.keys()])) {
      const delay = limit < own ? 0 : this.delayBy(limit, now);
      if (delay === null) return null;
      longest = Math.max(longest, delay);
    }
    return longest;
  }

  /** The same, by this limit alone. */
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

  /** Forgets the answers that no longer count. */
  private forget(now: number): void {
    for (const [limit, { inFlight, answered }] of this.used) {
      while (answered.length > 0 && (answered[0] ?? 0) + this.window + MARGIN <= now) answered.shift();
      if (inFlight + answered.length === 0) this.used.delete(limit);
    }
  }

  /** Milliseconds for which no request may start, because the service asked for it. */
  private heldFor(now: number): number {
    return Math.max(0, this.heldUntil - now);
  }
}

/** The pacer of a key, for as long as a run wants it. */
export interface KeyPacer {
  /** {@link Pacer.acquire} */
  readonly acquire: (limit: number, wait: Wait, came: number, maxHold: number) => Promise<Slot | HeldTooLong>;
  /** {@link Pacer.hold} */
  readonly hold: (milliseconds: number) => void;
  /** {@link Pacer.isHeld} */
  readonly isHeld: boolean;
  /** {@link Pacer.noteAnswer} */
  readonly noteAnswer: (milliseconds: number) => void;
  /** {@link Pacer.answerTime} */
  readonly answerTime: number;
}

/** The pacers of this process, one for each key and address: the limit is counted per API key (API part 8). */
export class Pacers {
  private readonly pacers = new Map<string, Pacer>();

  constructor(
    private readonly window: number,
    private readonly clock: PacerClock,
  ) {}

  /** How many are kept. */
  get size(): number {
    return this.pacers.size;
  }

  /** @param account identifies the account without being a secret */
  for(account: string): KeyPacer {
    // Each time the one that is kept now: a run may be idle for longer than its pacer is kept.
    const current = (): Pacer => this.current(account);
    return {
      acquire: async (...wanted) => await current().acquire(...wanted),
      hold: (milliseconds) => current().hold(milliseconds),
      get isHeld() {
        return current().isHeld;
      },
      noteAnswer: (milliseconds) => current().noteAnswer(milliseconds),
      get answerTime() {
        return current().answerTime;
      },
    };
  }

  private current(account: string): Pacer {
    const known = this.pacers.get(account);
    if (known !== undefined) return known;
    for (const [other, pacer] of this.pacers) if (pacer.isIdle()) this.pacers.delete(other);
    const pacer = new Pacer(this.window, this.clock);
    this.pacers.set(account, pacer);
    return pacer;
  }
}

function byTime(one: number, other: number): number {
  return one - other;
}
