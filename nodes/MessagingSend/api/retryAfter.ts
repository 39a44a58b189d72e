import type { JsonRecord } from './records';

/** A longer wait, in milliseconds, is a mistake of the header. */
const MAX_WAIT = 24 * 60 * 60 * 1000;
/** A larger number is a time, in seconds since 1970. */
const EPOCH = 1_000_000_000;

/**
 * How long the service asks to wait, in milliseconds: from Retry-After (seconds or a date), else from RateLimit-Reset
 * (seconds from now, or a time). Null where neither makes sense, or where the time has passed.
 * @param now milliseconds since 1970
 */
export function readRetryAfter(headers: JsonRecord, now: number): number | null {
  const names = ['retry-after', 'ratelimit-reset', 'x-ratelimit-reset'];
  return names.map((name) => fromHeader(headers[name], now)).find((wait) => wait !== null) ?? null;
}

function fromHeader(value: unknown, now: number): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).trim();
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
  const wait = seconds === null ? Date.parse(text) - now : seconds > EPOCH ? seconds * 1000 - now : seconds * 1000;
  if (!Number.isFinite(wait) || wait > MAX_WAIT || wait <= 0) return null;
  return wait;
}
