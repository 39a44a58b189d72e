import type { Account } from '../api/account';
import { rateLimited } from '../api/answerFailure';
import { GET_BALANCE } from '../api/endpoints';
import { type ApiRequest, balanceIn, type Call, rejected, type Reply } from '../api/reply';
import { type Failure, isFailure } from '../failures/failure';
import { type Clock, Pacer, SYSTEM_CLOCK, type Wait } from './pacer';

export interface RequestLimits {
  /** Applies to the key from this run's first request on, until another run sets its own; null leaves it as it is. */
  readonly requestsPerMinute: number | null;
  /** How long a request may wait because of 429s, its own or those of other requests with its key, in milliseconds. */
  readonly maxWait: number;
  /** The minimum time between the starts of two requests of this run ("Batch Interval"), in milliseconds. */
  readonly interval: number;
}

interface RequestsConfig {
  readonly call: Call;
  /** Shared by all requests with this key. */
  readonly pacer: Pacer;
  readonly limits: RequestLimits;
  /** The Stop button: ends every wait. A request in flight is not canceled. */
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Is asked before each try of a request, and told its end. */
export interface Flight {
  /** Called when it is the request's turn. The request leaves only if this resolves to true; else it is called off. */
  readonly beforeRequest: () => Promise<boolean>;
  /** Called once for each try that {@link beforeRequest} has allowed: after its reply, or if it did not leave after all. */
  readonly afterFlight: () => void;
}

/** A working service reports the balance within this time, in milliseconds. */
const BALANCE_TIMEOUT = 30_000;

/** How long a run that has ended waits for the balance, in milliseconds. */
const LAST_LOOK = 5_000;

/** Waits before another try to connect, in milliseconds: few, because a failed try costs the service nothing. */
const RECONNECT_DELAYS: readonly number[] = [250, 1_000];

/**
 * How long to wait after a 429 without Retry-After, and between probes of a service that is down, in milliseconds.
 * Doubles each time, up to a minute, in which every window of the limit has passed. A quarter is random, so that
 * several processes don't return at the same moment.
 * @param tries so far
 * @param random from 0 to 1
 */
function backoffDelay(tries: number, random: number): number {
  return Math.min(60_000, 1_000 * 2 ** tries) * (0.75 + 0.25 * random);
}

/**
 * The requests of one run to one account. Waits for a slot of the pacer and for the interval, and makes the call.
 * Repeats it after a 429, and a few times if the service can't be reached: only what was certainly not sent.
 */
export class Requests {
  /** How many requests were made so far. */
  made = 0;
  /** Why no further request starts; null as long as one may, unless the run is stopped. Set by {@link halt}. */
  whyHalted: Failure | null = null;
  /** Throws as soon as the run is stopped or halted. */
  readonly wait: Wait;
  private readonly halted = new AbortController();
  private readonly stopped: AbortSignal;
  /** How many requests with this key had ended when the first of this run left; null before. */
  private endedBefore: number | null = null;
  /** Whether an answer to a request with messages has come. */
  private hasAnswer = false;
  /** Whether a request that has no answer left before that. */
  private isUnclear = false;
  /** Whether the balance could not be read when it was last asked for. */
  private isDown = false;
  /** When the next request may start, by the interval. */
  private earliest = 0;

  constructor(private readonly config: RequestsConfig) {
    const { signal, clock } = config;
    this.stopped = AbortSignal.any([this.halted.signal, ...(signal === undefined ? [] : [signal])]);
    this.wait = waitUnless(this.stopped, clock);
  }

  /**
   * Lets no further request start: requests that wait throw. Requests in flight still get their replies. The first
   * reason counts.
   */
  halt(why: Failure): void {
    this.whyHalted ??= why;
    this.halted.abort();
  }

  /** @throws if the run is stopped or halted, or the flight called off, before the request leaves; never afterwards */
  async make(request: ApiRequest, flight: Flight | null = null, maxWait = this.config.limits.maxWait): Promise<Reply> {
    const { pacer, limits, clock } = this.config;
    if (this.endedBefore === null && limits.requestsPerMinute !== null) pacer.limitTo(limits.requestsPerMinute);
    this.endedBefore ??= pacer.ended;
    const ticket = pacer.ticket(maxWait);
    let rejections = 0;
    let misses = 0;
    while (await pacer.acquire(ticket, this.wait)) {
      const reply = await this.useSlot(request, flight);
      if (reply === null) continue;
      if (reply.kind !== 'rejected') return reply;

      if (reply.failure.code === 'RATE_LIMITED') {
        const hold = reply.retryAfter ?? backoffDelay(rejections, clock.random());
        if (!pacer.hold(hold, ticket)) return reply;
        rejections += 1;
      } else {
        const delay = reply.retryable ? RECONNECT_DELAYS[misses] : undefined;
        if (delay === undefined) return reply;
        misses += 1;
        await this.wait(delay);
      }
    }
    return rejected(rateLimited(pacer.holdLeft), { fromService: true });
  }

  /**
   * Reads the balance. Reading is free and may be repeated, so it is: until an answer is enough, up to Max Wait.
   * @returns the last reply
   * @throws if the run is stopped or halted
   */
  async readBalance(isEnough = isAnswer): Promise<Reply> {
    const { limits, clock } = this.config;
    const end = clock.now() + limits.maxWait;
    for (let tries = 0; ; tries += 1) {
      const left = Math.max(0, end - clock.now());
      const reply = await this.make({ endpoint: GET_BALANCE, timeout: BALANCE_TIMEOUT }, null, left);
      this.isDown = reply.kind === 'uncertain';
      const delay = backoffDelay(tries, clock.random());
      if (isEnough(reply) || clock.now() + delay > end) return reply;
      await this.wait(delay);
    }
  }

  /** @returns null once an answer about the balance shows that the service works, else why the last does not */
  async probe(): Promise<Failure | null> {
    const reply = await this.readBalance(isOfService);
    return reply.kind === 'accepted' || isOfService(reply) ? null : reply.failure;
  }

  /**
   * Reads the balance once, after the run's last request: what is missing there was charged for requests without an answer.
   * @returns null if it tells nothing: it can't be read at once, no answer came before the first of these requests left, or
   * another run of this process has used the key meanwhile
   */
  async creditsAfter(): Promise<number | null> {
    const { pacer } = this.config;
    const isAlone = () => this.endedBefore === null || pacer.ended + pacer.inFlight === this.endedBefore + this.made;
    // The run has ended, and nothing may hold it up.
    if (this.isUnclear || this.isDown || !pacer.isFree || !isAlone()) return null;
    // Its own, because the run may have been halted.
    const afterRun = new Requests({ ...this.config, limits: { requestsPerMinute: null, maxWait: 0, interval: 0 } });
    const reply = await afterRun.make({ endpoint: GET_BALANCE, timeout: LAST_LOOK }).catch(() => null);
    this.made += afterRun.made;
    const balance = reply && balanceIn(reply);
    return balance === null || isFailure(balance) || !isAlone() ? null : balance.credits;
  }

  /**
   * Uses a slot, or gives it back.
   * @returns null if the key was put on hold after the request got its slot
   * @throws if the request is called off, or the run stopped
   */
  private async useSlot(request: ApiRequest, flight: Flight | null): Promise<Reply | null> {
    const { call, pacer, limits, clock } = this.config;
    let isMade = false;
    try {
      const now = clock.now();
      const start = Math.max(now, this.earliest);
      this.earliest = start + limits.interval;
      if (start > now) await this.wait(start - now);
      this.stopped.throwIfAborted();
      if (pacer.holdLeft > 0) return null;
      if ((await flight?.beforeRequest()) === false) throw new Error('called off');
      // The run may have ended during that, or the key been put on hold.
      if (this.stopped.aborted || pacer.holdLeft > 0) {
        flight?.afterFlight();
        this.stopped.throwIfAborted();
        return null;
      }
      isMade = true;
      this.made += 1;
      const isFirst = !this.hasAnswer && request.body !== undefined;
      const reply = await call(request);
      this.hasAnswer ||= reply.kind === 'accepted' && request.body !== undefined;
      // It may have been charged before the first answer, which then doesn't say what the account had.
      this.isUnclear ||= reply.kind === 'uncertain' && isFirst;
      flight?.afterFlight();
      return reply;
    } finally {
      pacer.release(isMade);
    }
  }
}

/** A page, or a redirect, is an answer, too: the address is wrong, and stays so. */
function isAnswer(reply: Reply): boolean {
  return reply.kind !== 'uncertain' || (reply.failure.httpStatus ?? Infinity) < 400;
}

function isOfService(reply: Reply): boolean {
  return reply.kind === 'accepted' || (reply.kind === 'rejected' && reply.fromService);
}

/**
 * The wait of one run. `sleep` races with the signal, because n8n-workflow 2.41 has no `sleepWithAbort`.
 * @param signal a wait throws its reason
 */
export function waitUnless(signal: AbortSignal, clock: Pick<Clock, 'sleep'> = SYSTEM_CLOCK): Wait {
  return async (what) => {
    signal.throwIfAborted();
    // Each wait has a signal of its own: Node warns of a leak if one has more than ten listeners, and keeps one alive
    // while it has any.
    const own = AbortSignal.any([signal]);
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    own.addEventListener('abort', stop);
    try {
      await Promise.race([typeof what === 'number' ? clock.sleep(what) : what, stopped]);
    } finally {
      own.removeEventListener('abort', stop);
    }
    signal.throwIfAborted();
  };
}

/** By account, for all nodes and executions of this process: the limit is counted per API key (API part 8). */
const pacers = new Map<string, Pacer>();

/** The requests of one run to one account. They share the limit of the key with all other runs of this process. */
export function requestsOf(
  { id }: Account,
  call: Call,
  limits: RequestLimits,
  signal: AbortSignal | undefined,
): Requests {
  const pacer = pacers.get(id) ?? new Pacer(SYSTEM_CLOCK);
  pacers.set(id, pacer);
  return new Requests({ call, pacer, limits, signal, clock: SYSTEM_CLOCK });
}
