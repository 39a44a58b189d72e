import type { Reply } from '../api/reply';
import { backOff, reconnectDelay } from './backoff';
import type { Pacer } from './pacer';
import type { Wait } from './wait';

/** All that stands between wanting a request and making it. */
export interface Gate {
  readonly pacer: Pacer;
  /** Requests in a window. */
  readonly limit: number;
  /** How long one request may wait out 429s, in milliseconds. */
  readonly longestWait: number;
  readonly wait: Wait;
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Waits until a further request may start after the last one of this run ("Batch Interval"). */
  readonly space: () => Promise<void>;
  readonly tally: Tally;
}

/** What a run's requests came to, counted as they are made. */
export class Tally {
  requests = 0;
  /** Time in which at least one request waited for its slot, in milliseconds. */
  waited = 0;
  private waiting = 0;
  private since = 0;

  constructor(private readonly now: () => number) {}

  /** Counts the time until the given wait is over; times that overlap count once. */
  async during<T>(wait: Promise<T>): Promise<T> {
    if (this.waiting === 0) this.since = this.now();
    this.waiting += 1;
    try {
      return await wait;
    } finally {
      this.waiting -= 1;
      if (this.waiting === 0) this.waited += this.now() - this.since;
    }
  }
}

/** A `space` that lets the starts of requests come at least `interval` milliseconds apart. */
export function spaced(interval: number, now: () => number, wait: Wait): () => Promise<void> {
  let earliest = 0;
  return async () => {
    const start = Math.max(now(), earliest);
    earliest = start + interval;
    if (start > now()) await wait(start - now());
  };
}

/**
 * Makes a request when the pacer lets it, again after a 429, and a few times if the service can't be
 * reached. It is only ever repeated after a reply that says that nothing was sent.
 */
export async function attempt(post: () => Promise<Reply>, gate: Gate): Promise<Reply> {
  const came = gate.now();
  let firstRefusal: number | null = null;
  for (let refusals = 0, misses = 0; ;) {
    const reply = await throughPacer(post, gate, came);
    if (reply.kind !== 'rejected') return reply;

    if (reply.failure.code === 'RATE_LIMITED') {
      firstRefusal ??= gate.now();
      const pause = Math.max(reply.retryAfter ?? backOff(refusals, gate.random()), 1);
      if (gate.now() + pause - firstRefusal > gate.longestWait) return reply;
      refusals += 1;
      gate.pacer.hold(pause);
    } else {
      const pause = reply.unreached ? reconnectDelay(misses, gate.random()) : null;
      if (pause === null) return reply;
      misses += 1;
      await gate.wait(pause);
    }
  }
}

async function throughPacer(
  post: () => Promise<Reply>,
  { pacer, limit, wait, space, tally }: Gate,
  came: number,
): Promise<Reply> {
  const slot = await tally.during(pacer.acquire(limit, wait, came));
  try {
    await space();
    const reply = await post();
    // Not before: it throws if the run has ended while it waited.
    tally.requests += 1;
    return reply;
  } finally {
    slot.release();
  }
}
