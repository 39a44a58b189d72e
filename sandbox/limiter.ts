/** What is left of the limit. `resetInMs` is the time until more requests are free than now; 0 when all are. */
interface Allowance {
  remaining: number;
  resetInMs: number;
}

/**
 * At most `limit` requests in any stretch of `windowMs`: the strictest of the usual ways to count. A rejected request
 * doesn't count, so it doesn't delay the next one. Times are in ms.
 */
export class Limiter {
  private granted: number[] = [];

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  look(now: number): Allowance {
    const { limit, windowMs } = this;
    this.granted = this.granted.filter((at) => now - at < windowMs);
    const [first] = this.granted;
    return { remaining: limit - this.granted.length, resetInMs: first === undefined ? 0 : first + windowMs - now };
  }

  /** Takes one request if one is left; returns what is left after it. */
  take(now: number): Allowance & { isGranted: boolean } {
    const isGranted = this.look(now).remaining > 0;
    if (isGranted) this.granted.push(now);
    return { isGranted, ...this.look(now) };
  }
}
