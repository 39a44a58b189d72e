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

  remaining(now: number): number {
    this.granted = this.granted.filter((at) => now - at < this.windowMs);
    return this.limit - this.granted.length;
  }

  /** Takes one request if one is left. @returns the time until one is, 0 if it was taken */
  take(now: number): number {
    if (this.remaining(now) === 0) return (this.granted[0] ?? now) + this.windowMs - now;
    this.granted.push(now);
    return 0;
  }
}
