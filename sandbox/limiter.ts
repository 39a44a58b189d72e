/** The three usual ways to count requests against a limit. Each gets the time in ms as an argument. */
export const LIMITER_KINDS = ['sliding', 'fixed', 'token-bucket'] as const;
export type LimiterKind = (typeof LIMITER_KINDS)[number];

/** What is left of the limit. `resetInMs` is the time until more requests are free than now; 0 when all are. */
export interface Allowance {
  remaining: number;
  resetInMs: number;
}

/** Counts requests against a limit. A rejected request doesn't count, so it doesn't delay the next one. */
export interface Limiter {
  look: (now: number) => Allowance;
  /** Takes one request at `now` if one is left; returns what is left after it. */
  take: (now: number) => Allowance & { kind: 'granted' | 'refused' };
}

/** A limiter of `limit` requests per `windowMs`, or null when `limit` is 0: no limit. */
export function createLimiter(kind: LimiterKind, limit: number, windowMs: number): Limiter | null {
  if (limit === 0) return null;
  const { look, count } = COUNTERS[kind](limit, windowMs);
  return {
    look,
    take: (now) => {
      const isGranted = look(now).remaining > 0;
      if (isGranted) count(now);
      return { kind: isGranted ? 'granted' : 'refused', ...look(now) };
    },
  };
}

type Counter = (limit: number, windowMs: number) => Pick<Limiter, 'look'> & { count: (now: number) => void };

/** At most `limit` in any stretch of `windowMs`: a request is free again exactly `windowMs` after it was granted. */
const sliding: Counter = (limit, windowMs) => {
  let granted: number[] = [];
  return {
    look: (now) => {
      granted = granted.filter((at) => now - at < windowMs);
      const resetInMs = granted[0] === undefined ? 0 : granted[0] + windowMs - now;
      return { remaining: limit - granted.length, resetInMs };
    },
    count: (now) => void granted.push(now),
  };
};

/** At most `limit` per window; windows start at whole multiples of `windowMs`, as a per-minute counter does. */
const fixed: Counter = (limit, windowMs) => {
  let window = -1;
  let used = 0;
  return {
    look: (now) => {
      if (Math.floor(now / windowMs) !== window) used = 0;
      window = Math.floor(now / windowMs);
      return { remaining: limit - used, resetInMs: used === 0 ? 0 : (window + 1) * windowMs - now };
    },
    count: () => void (used += 1),
  };
};

/**
 * A full bucket of `limit` tokens, refilled evenly over `windowMs`. The level is kept in token-milliseconds
 * (one token is `windowMs` of them, one ms adds `limit`), so that whole-number times give exact results.
 */
const tokenBucket: Counter = (limit, windowMs) => {
  const capacity = limit * windowMs;
  let level = capacity;
  let filledAt = Infinity;
  return {
    look: (now) => {
      level = Math.min(capacity, level + Math.max(0, now - filledAt) * limit);
      filledAt = now;
      const resetInMs = level === capacity ? 0 : Math.ceil((windowMs - (level % windowMs)) / limit);
      return { remaining: Math.floor(level / windowMs), resetInMs };
    },
    count: () => void (level -= windowMs),
  };
};

const COUNTERS = { sliding, fixed, 'token-bucket': tokenBucket };
