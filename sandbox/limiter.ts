/** The three usual ways to count requests against a limit. Pure: the time comes in as an argument, in ms. */
export const LIMITER_KINDS = ['sliding', 'fixed', 'token-bucket'] as const;
export type LimiterKind = (typeof LIMITER_KINDS)[number];

/** What is left: `resetInMs` is the time until more requests are free than now, 0 when all are. */
export interface Allowance {
  limit: number;
  remaining: number;
  resetInMs: number;
}

export type Permit = Allowance & { kind: 'granted' | 'refused' };

/** A refused request counts for nothing, so a client that hammers is let in again as soon as one that waits. */
export interface Limiter {
  /** What is left at `now` (ms), without taking any. */
  look(now: number): Allowance;
  /** Takes one request at `now` (ms) if one is left; the allowance is the one after it. */
  take(now: number): Permit;
}

/** A limiter of `limit` requests per `windowMs`, or null when `limit` is 0: no limit. */
export function createLimiter(kind: LimiterKind, limit: number, windowMs: number): Limiter | null {
  if (limit === 0) return null;
  return new LIMITERS[kind](limit, windowMs);
}

/** At most `limit` in any stretch of `windowMs`: a request is free again exactly `windowMs` after it was granted. */
export class SlidingLimiter implements Limiter {
  private granted: number[] = [];

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  look(now: number): Allowance {
    const stillCounted = this.granted.findIndex((at) => now - at < this.windowMs);
    this.granted = stillCounted === -1 ? [] : this.granted.slice(stillCounted);
    const oldest = this.granted[0];
    return {
      limit: this.limit,
      remaining: this.limit - this.granted.length,
      resetInMs: oldest === undefined ? 0 : oldest + this.windowMs - now,
    };
  }

  take(now: number): Permit {
    if (this.look(now).remaining === 0) return { kind: 'refused', ...this.look(now) };
    this.granted.push(now);
    return { kind: 'granted', ...this.look(now) };
  }
}

/** At most `limit` per window; windows start at whole multiples of `windowMs`, as a per-minute counter does. */
export class FixedLimiter implements Limiter {
  private window = -1;
  private used = 0;

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  look(now: number): Allowance {
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

  take(now: number): Permit {
    if (this.look(now).remaining === 0) return { kind: 'refused', ...this.look(now) };
    this.used += 1;
    return { kind: 'granted', ...this.look(now) };
  }
}

/**
 * A full bucket of `limit` tokens, refilled evenly over `windowMs`. The level is kept in token-milliseconds
 * (one token is `windowMs` of them, one ms adds `limit`), so that whole-number times give exact results.
 */
export class TokenBucketLimiter implements Limiter {
  private readonly capacity: number;
  private level: number;
  private filledAt: number | null = null;

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
  ) {
    this.capacity = limit * windowMs;
    this.level = this.capacity;
  }

  look(now: number): Allowance {
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

  take(now: number): Permit {
    if (this.look(now).remaining === 0) return { kind: 'refused', ...this.look(now) };
    this.level -= this.windowMs;
    return { kind: 'granted', ...this.look(now) };
  }
}

const LIMITERS = { sliding: SlidingLimiter, fixed: FixedLimiter, 'token-bucket': TokenBucketLimiter };
