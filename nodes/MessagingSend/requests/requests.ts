import { sleep } from 'n8n-workflow';

import { type Account, accountId } from '../api/account';
import { rateLimited } from '../api/answerFailure';
import type { ApiRequest, Call } from '../api/call';
import { GET_BALANCE } from '../api/endpoints';
import { rejected, type Reply } from '../api/reply';
import type { Failure } from '../failures/failure';
import { backoffDelay, reconnectDelay } from './backoff';
import { HeldTooLong, type KeyPacer, Pacers, type Slot } from './pacer';
import type { Tally } from './tally';
import { Traffic } from './traffic';
import { type Wait, waitUnless } from './wait';

/** How long requests wait, and what for. */
export interface RequestLimits {
  readonly requestsPerMinute: number;
  /** How long one request may wait out 429s, its own and those of other requests of the key, in milliseconds. */
  readonly maxWait: number;
  /** The minimum time between the starts of two requests of this run ("Batch Interval"), in milliseconds. */
  readonly interval: number;
}

export interface RequestsConfig {
  readonly call: Call;
  readonly pacer: KeyPacer;
  readonly limits: RequestLimits;
  /** The Stop button: ends waits. A request in flight is not cancelled. */
  readonly signal: AbortSignal | undefined;
  readonly clock: RequestsClock;
  /** Shared by the requests of all accounts of a run; by default these requests have their own. */
  readonly traffic?: Traffic | undefined;
}

/** The environment of requests; tests bring their own. */
export interface RequestsClock {
  /** Milliseconds, never going back. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Waits that throw when the signal aborts. */
  readonly waitUnless: (signal: AbortSignal) => Wait;
}

const SYSTEM_CLOCK = { now: () => performance.now(), random: Math.random, waitUnless, sleep };

/** Thrown where a request does not leave after all. */
class CalledOff extends Error {}

/** What surrounds each attempt of a request; one that waits for its turn has not left. */
export interface Flight {
  /** Whether the request is still wanted. */
  readonly mayLeave: () => boolean;
  /** Called when it is the request's turn; once this resolves, it leaves. */
  readonly leave: () => Promise<void>;
  /** Called with its reply, or with null if it did not leave after all. */
  readonly land: (reply: Reply | null) => void;
}

/** A working service reports the balance within this time, in milliseconds. */
const PROBE_TIMEOUT = 30_000;

const UNOBSERVED: Flight = {
  mayLeave: () => true,
  leave: async () => await Promise.resolve(),
  land: () => undefined,
};

/**
 * The requests of one run to one account. This one object is between a request and its reply: it waits for a slot of
 * the pacer and for the interval, makes the call, and repeats it after a 429, and a few times where the service can't be
 * reached. It repeats only what was certainly not sent.
 */
export class Requests {
  readonly tally: Tally;
  private readonly traffic: Traffic;
  private readonly halted = new AbortController();
  private readonly stopped: AbortSignal;
  private readonly wait: Wait;

  constructor(private readonly config: RequestsConfig) {
    const { signal, clock } = config;
    this.traffic = config.traffic ?? new Traffic(clock.now);
    this.tally = this.traffic.tally;
    this.stopped = AbortSignal.any([this.halted.signal, ...(signal === undefined ? [] : [signal])]);
    this.wait = clock.waitUnless(this.stopped);
  }

  /** How many may be in flight now, together with those of the run's other accounts. */
  readonly most = (): number => this.traffic.most(this.config.pacer.answerTime);

  /** Lets no further request start: one that waits for its turn throws. Those in flight still get their replies. */
  halt(): void {
    this.halted.abort();
  }

  /**
   * @param repeats whether it is repeated after a 429; else its own 429 is its reply, and only those of others are waited out
   * @throws where the run was stopped or halted, or the flight called off, while nothing was sent; never in flight
   */
  async make(request: ApiRequest, flight: Flight = UNOBSERVED, repeats = true): Promise<Reply> {
    const { pacer, limits, clock } = this.config;
    const came = clock.now();
    let firstRefusal: number | null = null;
    for (let refusals = 0, misses = 0; ;) {
      const maxHold = limits.maxWait - (firstRefusal === null ? 0 : clock.now() - firstRefusal);
      const slot = await this.slot(came, maxHold);
      if (slot instanceof HeldTooLong) return rejected(rateLimited(slot.left), { fromService: true });
      let delay: number | null;
      try {
        const reply = await this.attempt(slot, request, flight);
        if (reply === null) {
          firstRefusal ??= clock.now();
          continue;
        }
        if (reply.kind !== 'rejected') return reply;

        if (reply.failure.code === 'RATE_LIMITED') {
          firstRefusal ??= clock.now();
          const hold = reply.retryAfter ?? backoffDelay(refusals, clock.random());
          if (!repeats || clock.now() + hold - firstRefusal > limits.maxWait) return reply;
          refusals += 1;
          // Before the slot is released to one who waits.
          pacer.hold(hold);
          continue;
        }
        delay = reply.retryable ? reconnectDelay(misses, clock.random()) : null;
        if (delay === null) return reply;
        misses += 1;
      } finally {
        slot.release();
      }
      await this.wait(delay);
    }
  }

  /**
   * Reads the balance, which costs nothing, until an answer shows that the service works: with backoff, within Max Wait.
   * @returns null once it works; else why the last answer does not show it
   * @throws where the run was stopped or halted
   */
  async probe(): Promise<Failure | null> {
    const { limits, clock } = this.config;
    const start = clock.now();
    for (let attempt = 0; ; attempt += 1) {
      const reply = await this.make({ endpoint: GET_BALANCE, timeout: PROBE_TIMEOUT });
      if (reply.kind === 'accepted' || (reply.kind === 'rejected' && reply.fromService)) return null;
      const delay = backoffDelay(attempt, clock.random());
      if (clock.now() + delay - start > limits.maxWait) return reply.failure;
      await this.wait(delay);
    }
  }

  /**
   * Reads the balance once, to find out whether a 429 that outlasted Max Wait is about its request alone.
   * @throws where the run was stopped or halted
   */
  async isOverLimit(): Promise<boolean> {
    return (await this.make({ endpoint: GET_BALANCE }, UNOBSERVED, false)).kind !== 'accepted';
  }

  /**
   * Where the request is not made, its slot is given back.
   * @returns null where the service has asked for a wait since it got the slot
   * @throws where it is called off, or the run was stopped
   */
  private async attempt(slot: Slot, request: ApiRequest, flight: Flight): Promise<Reply | null> {
    const { call, pacer, clock } = this.config;
    let isMade = false;
    try {
      await this.interval();
      await this.traffic.enter(this.wait, this.most);
      try {
        if (!flight.mayLeave()) throw new CalledOff();
        if (pacer.isHeld) return null;
        await flight.leave();
        // To be noted takes a moment, in which the run can end.
        if (!flight.mayLeave() || this.stopped.aborted) {
          flight.land(null);
          throw new CalledOff();
        }
        isMade = true;
        this.tally.requests += 1;
        const left = clock.now();
        const reply = await call(request);
        if (reply.kind === 'accepted') pacer.noteAnswer(clock.now() - left);
        flight.land(reply);
        return reply;
      } finally {
        this.traffic.leave();
      }
    } finally {
      if (!isMade) slot.cancel();
    }
  }

  private async slot(came: number, maxHold: number): Promise<Slot | HeldTooLong> {
    const { pacer, limits } = this.config;
    return await this.tally.during(pacer.acquire(limits.requestsPerMinute, this.wait, came, maxHold));
  }

  private async interval(): Promise<void> {
    const { limits, clock } = this.config;
    const now = clock.now();
    const start = Math.max(now, this.traffic.earliest);
    this.traffic.earliest = start + limits.interval;
    if (start > now) await this.wait(start - now);
  }
}

/** The service counts requests by the minute (API part 8), in milliseconds. */
const WINDOW = 60_000;

/** Shared by all nodes and executions of this process. */
const pacers = new Pacers(WINDOW, SYSTEM_CLOCK);

/** What the requests of a run share, those of all its accounts. */
export function trafficOf(parallelRequests: number | null): Traffic {
  return new Traffic(SYSTEM_CLOCK.now, parallelRequests);
}

/** The requests of one run, which share the limit of their key with all other runs of this process. */
export function requestsOf(
  account: Account,
  call: Call,
  limits: RequestLimits,
  signal: AbortSignal | undefined,
  traffic?: Traffic,
): Requests {
  const pacer = pacers.for(accountId(account));
  return new Requests({ call, pacer, limits, signal, clock: SYSTEM_CLOCK, traffic });
}
