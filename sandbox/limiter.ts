/** The three usual ways to count requests against a limit. Each gets the time as an argument, in ms. */
export const LIMITER_KINDS = ['sliding', 'fixed', 'token-bucket'] as const;
export type LimiterKind = (typeof LIMITER_KINDS)[number];

/** What is left: `resetInMs` is the time until more requests are free than now, 0 when all are. */
export interface Allowance {
  limit: number;
  remaining: number;
  resetInMs: number;
}

export type Permit = Allowance & { kind: 'granted' | 'refused' };

/** Counts requests against a limit. A refused request counts for nothing: it does not delay the next one. */
export abstract class Limiter {
  constructor(
    protected readonly limit: number,
    protected readonly windowMs: number,
  ) {}

  /** What is left at `now` (ms). */
  abstract look(now: number): Allowance;

  /** Counts one request at `now` (ms), after a look at that time. */
  protected abstract count(now: number): void;

  /** Takes one request at `now` (ms) if one is left; returns what is left after it. */
  take(now: number): Permit {
    const kind = this.look(now).remaining === 0 ? 'refused' : 'granted';
    if (kind === 'granted') this.count(now);
    return { kind, ...this.look(now) };
  }
}

/** A limiter of `limit` requests per `windowMs`, or null when `limit` is 0: no limit. */
export function createLimiter(kind: LimiterKind, limit: number, windowMs: number): Limiter | null {
  if (limit === 0) return null;
  return new LIMITERS[kind](limit, windowMs);
}

/** At most `limit` in any stretch of `windowMs`: a request is free again exactly `windowMs` after it was granted. */
class SlidingLimiter extends Limiter {
  private granted: number[] = [];

  override look(now: number): Allowance {
    const stillCounted = this.granted.findIndex((at) => now - at < this.windowMs);
    this.granted = stillCounted === -1 ? [] : this.granted.slice(stillCounted);
    const oldest = this.granted[0];
    return {
      limit: this.limit,
      remaining: this.limit - this.granted.length,
      resetInMs: oldest === undefined ? 0 : oldest + this.windowMs - now,
    };
  }

  protected override count(now: number): void {
    this.granted.push(now);
  }
}

/** At most `limit` per window; windows start at whole multiples of `windowMs`, as a per-minute counter does. */
class FixedLimiter extends Limiter {
  private window = -1;
  private used = 0;

  override look(now: number): Allowance {
    const window = Math.floor(now / this.windowMs);
    if (window !== this.window) {
      this.window = window;
      this.used = 0;
    }
    return {
      limit: this.limit,
      remaining: this.limit - this.used,
      resetInMs: this.used === 0 ? 0 : (window + 1) * this.windowMs - now,
    };
  }

  protected override count(): void {
    this.used += 1;
  }
}

/**
 * A full bucket of `limit` tokens, refilled evenly over `windowMs`. The level is kept in token-milliseconds
 * (one token is `windowMs` of them, one ms adds `limit`), so that whole-number times give exact results.
 */
class TokenBucketLimiter extends Limiter {
  private readonly capacity = this.limit * this.windowMs;
  private level = this.capacity;
  private filledAt: number | null = null;

  override look(now: number): Allowance {
    const elapsed = Math.max(0, now - (this.filledAt ?? now));
    this.level = Math.min(this.capacity, this.level + elapsed * this.limit);
    this.filledAt = now;
    const toNextToken = this.windowMs - (this.level % this.windowMs);
    return {
      limit: this.limit,
      remaining: Math.floor(this.level / this.windowMs),
      resetInMs: this.level === this.capacity ? 0 : Math.ceil(toNextToken / this.limit),
    };
  }

  protected override count(): void {
    this.level -= this.windowMs;
  }
}

const LIMITERS = { sliding: SlidingLimiter, fixed: FixedLimiter, 'token-bucket': TokenBucketLimiter };
