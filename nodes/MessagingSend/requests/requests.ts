import { sleep } from 'n8n-workflow';

import { type Account, accountId } from '../api/account';
import { rateLimited } from '../api/answerFailure';
import { GET_BALANCE } from '../api/endpoints';
import { type ApiRequest, type Call, rejected, type Reply } from '../api/reply';
import type { Failure } from '../failures/failure';
import { backoffDelay, reconnectDelay } from './backoff';
import { HeldTooLong, Pacer, type Slot } from './pacer';
import { type Tally, Traffic } from './traffic';
import { type Wait, waitUnless } from './wait';

export interface RequestLimits {
  readonly requestsPerMinute: number;
  /** How long a request may wait because of 429s, its own and those of the key's other requests, in milliseconds. */
  readonly maxWait: number;
  /** The minimum time between the starts of two requests of this run ("Batch Interval"), in milliseconds. */
  readonly interval: number;
}

export interface RequestsConfig {
  readonly call: Call;
  readonly pacer: Pick<Pacer, 'acquire' | 'hold' | 'isHeld' | 'noteAnswer' | 'answerTime'>;
  readonly limits: RequestLimits;
  /** The Stop button: ends every wait. A request in flight is not cancelled. */
  readonly signal: AbortSignal | undefined;
  readonly clock: RequestsClock;
  /** Shared by the requests of a run to all its accounts. By default, these requests have their own. */
  readonly traffic?: Traffic | undefined;
}

/** Time and chance; tests bring their own. */
export interface RequestsClock {
  /** Milliseconds, never going back. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Waits that throw when the signal aborts. */
  readonly waitUnless: (signal: AbortSignal) => Wait;
}

const SYSTEM_CLOCK = { now: () => performance.now(), random: Math.random, waitUnless, sleep };

/** Thrown if a request does not leave after all. */
class CalledOff extends Error {}

/** Asked and told about each attempt of a request. */
export interface Flight {
  /** Whether the request is still wanted. */
  readonly mayLeave: () => boolean;
  /** Called when it is the request's turn. The request leaves only if this resolves to true. */
  readonly beforeRequest: () => Promise<boolean>;
  /**
   * Called once for each attempt that {@link beforeRequest} has allowed: with the reply, or with null if the request did
   * not leave after all.
   */
  readonly afterReply: (reply: Reply | null) => void;
}

/** A working service reports the balance within this time, in milliseconds. */
const PROBE_TIMEOUT = 30_000;

/** A request that nobody asks or is told about. */
export const UNOBSERVED: Flight = {
  mayLeave: () => true,
  beforeRequest: async () => await Promise.resolve(true),
  afterReply: () => undefined,
};

/**
 * The requests of one run to one account. Waits for a slot of the pacer and for the interval, makes the call, and repeats
 * it after a 429, and a few times if the service can't be reached. Repeats only what was certainly not sent.
 */
export class Requests {
  readonly tally: Tally;
  private readonly traffic: Traffic;
  private readonly halted = new AbortController();
  private readonly stopped: AbortSignal;
  /** Throws as soon as the run is stopped or halted. */
  readonly wait: Wait;

  constructor(private readonly config: RequestsConfig) {
    const { signal, clock } = config;
    this.traffic = config.traffic ?? new Traffic(clock.now);
    this.tally = this.traffic.tally;
    this.stopped = AbortSignal.any([this.halted.signal, ...(signal === undefined ? [] : [signal])]);
    this.wait = clock.waitUnless(this.stopped);
  }

  /** How many requests may be in flight now, including those to the run's other accounts. */
  readonly maxConcurrent = (): number => this.traffic.maxConcurrent(this.config.pacer.answerTime);

  /** Lets no further request start: requests that wait throw. Requests in flight still get their replies. */
  halt(): void {
    this.halted.abort();
  }

  /** @throws if the run is stopped or halted, or the flight called off, before the request leaves; never in flight */
  async make(request: ApiRequest, flight: Flight = UNOBSERVED): Promise<Reply> {
    const { pacer, limits, clock } = this.config;
    const came = clock.now();
    let firstRefusal: number | null = null;
    for (let refusals = 0, misses = 0; ;) {
      const maxHold = limits.maxWait - (firstRefusal === null ? 0 : clock.now() - firstRefusal);
      const turn = pacer.acquire(limits.requestsPerMinute, this.wait, came, maxHold);
      const slot = await this.tally.during(turn);
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
          if (clock.now() + hold - firstRefusal > limits.maxWait) return reply;
          refusals += 1;
          // Before the slot is released, or a waiting request would take it.
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
   * Reads the balance, which costs nothing, until an answer shows that the service works: with backoff, up to Max Wait.
   * @returns null once it works, else why the last answer does not show it
   * @throws if the run is stopped or halted
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
   * Gives the slot back if the request is not made.
   * @returns null if the service asked for a wait after the request got its slot
   * @throws if the request is called off, or the run stopped
   */
  private async attempt(slot: Slot, request: ApiRequest, flight: Flight): Promise<Reply | null> {
    const { call, pacer, clock } = this.config;
    let isMade = false;
    try {
      await this.interval();
      await this.traffic.enter(this.wait, this.maxConcurrent);
      try {
        if (!flight.mayLeave()) throw new CalledOff();
        if (pacer.isHeld) return null;
        if (!(await flight.beforeRequest())) throw new CalledOff();
        // The run may have ended in the meantime.
        if (!flight.mayLeave() || this.stopped.aborted) {
          flight.afterReply(null);
          throw new CalledOff();
        }
        isMade = true;
        this.tally.requests += 1;
        const left = clock.now();
        const reply = await call(request);
        if (reply.kind === 'accepted') pacer.noteAnswer(clock.now() - left);
        flight.afterReply(reply);
        return reply;
      } finally {
        this.traffic.release();
      }
    } finally {
      if (!isMade) slot.cancel();
    }
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

/** By account, for all nodes and executions of this process: the limit is counted per API key (API part 8). */
const pacers = new Map<string, Pacer>();

function pacerOf(account: Account): Pacer {
  const id = accountId(account);
  const known = pacers.get(id);
  if (known !== undefined) return known;
  const pacer = new Pacer(WINDOW, SYSTEM_CLOCK);
  pacers.set(id, pacer);
  return pacer;
}

export function trafficOf(parallelRequests: number | null): Traffic {
  return new Traffic(SYSTEM_CLOCK.now, parallelRequests);
}

/** The requests of one run. They share the limit of their key with all other runs of this process. */
export function requestsOf(
  account: Account,
  call: Call,
  limits: RequestLimits,
  signal: AbortSignal | undefined,
  traffic?: Traffic,
): Requests {
  return new Requests({ call, pacer: pacerOf(account), limits, signal, clock: SYSTEM_CLOCK, traffic });
}
