import fc from 'fast-check';

import { GET_BALANCE } from '../../nodes/MessagingSend/api/endpoints';
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { readRetryAfter } from '../../nodes/MessagingSend/api/retryAfter';
import { inOrder } from '../../nodes/MessagingSend/delivery/inOrder';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import type { Batch } from '../../nodes/MessagingSend/messages/message';
import { type KeyPacer, Pacer, Pacers } from '../../nodes/MessagingSend/requests/pacer';
import { type RequestLimits, Requests } from '../../nodes/MessagingSend/requests/requests';
import { follow, type Wait } from '../../nodes/MessagingSend/requests/wait';
import { createLimiter, LIMITER_KINDS, type LimiterKind } from '../../sandbox/limiter';
import { seededRandom } from '../../tools/random';

const WINDOW = 60_000;
/** The pacer adds this to a window, because clocks and timers differ. */
const MARGIN = 5;

/** A clock that a test drives: time passes only when nothing more can happen now. */
class FakeClock {
  private time: number;
  private sleepers: Array<{ at: number; wake: () => void }> = [];

  constructor(start = 0) {
    this.time = start;
  }

  readonly now = (): number => this.time;

  readonly sleep = async (milliseconds: number): Promise<void> =>
    await new Promise<void>((wake) => this.sleepers.push({ at: this.time + milliseconds, wake }));

  /** Waits as the node does, for a time or for a promise, until the signal aborts it. */
  wait(signal?: AbortSignal): Wait {
    return async (what) => {
      signal?.throwIfAborted();
      const own = signal && follow(signal);
      const stopped = new Promise<void>((resolve) => own?.addEventListener('abort', () => resolve(), { once: true }));
      await Promise.race([typeof what === 'number' ? this.sleep(what) : what, stopped]);
      signal?.throwIfAborted();
    };
  }

  /** Lets time pass until nothing sleeps any more, or until the given time. */
  async run(until = Infinity): Promise<void> {
    for (;;) {
      await settled();
      const next = Math.min(...this.sleepers.map(({ at }) => at));
      if (next > until || next === Infinity) break;
      this.time = Math.max(this.time, next);
      const due = this.sleepers.filter(({ at }) => at <= this.time);
      this.sleepers = this.sleepers.filter(({ at }) => at > this.time);
      for (const { wake } of due) wake();
    }
    if (until !== Infinity) this.time = until;
  }
}

/** Waits until no promise can continue without time passing. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** A request: when it wants to start, and how long it takes to the service and back. */
interface Wanted {
  readonly at: number;
  readonly toService: number;
  readonly back: number;
}

interface Traffic {
  readonly refused: number;
  /** The order in which requests started. */
  readonly order: number[];
  readonly startedAt: number[];
  readonly seenAt: number[];
}

async function traffic(kind: LimiterKind, limit: number, wanted: readonly Wanted[], start: number): Promise<Traffic> {
  const clock = new FakeClock(start);
  const pacer = new Pacer(WINDOW, clock);
  const limiter = createLimiter(kind, limit, WINDOW);
  const result = { refused: 0, order: [] as number[], startedAt: [] as number[], seenAt: [] as number[] };
  const done = Promise.all(
    wanted.map(async ({ at, toService, back }, index) => {
      await clock.sleep(at);
      const slot = await pacer.acquire(limit, clock.wait());
      result.order.push(index);
      result.startedAt[index] = clock.now();
      await clock.sleep(toService);
      result.seenAt.push(clock.now());
      if (limiter?.take(clock.now()).kind === 'refused') result.refused += 1;
      await clock.sleep(back);
      slot.release();
    }),
  );
  await clock.run();
  await done;
  return result;
}

const requests = fc.array(
  fc.record({ at: fc.nat({ max: 3 * WINDOW }), toService: fc.nat({ max: 3_000 }), back: fc.nat({ max: 3_000 }) }),
  { minLength: 1, maxLength: 40 },
);
const start = fc.nat({ max: 10 * WINDOW });

describe.each(LIMITER_KINDS)('Under a limit of the kind %s,', (kind) => {
  test('no request is refused, whenever requests start and however long answers take', async () => {
    await fc.assert(
      fc.asyncProperty(requests, fc.integer({ min: 1, max: 6 }), start, async (wanted, limit, startsAt) => {
        expect((await traffic(kind, limit, wanted, startsAt)).refused).toBe(0);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  test('120 requests, four in parallel, take the least possible time', async () => {
    const clock = new FakeClock(12_345);
    const pacer = new Pacer(WINDOW, clock);
    const limiter = createLimiter(kind, 60, WINDOW);
    let refused = 0;
    let left = 120;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        const slot = await pacer.acquire(60, clock.wait());
        if (limiter?.take(clock.now()).kind === 'refused') refused += 1;
        await clock.sleep(1_000);
        slot.release();
      }
    };
    const done = Promise.all([worker(), worker(), worker(), worker()]);
    await clock.run();
    await done;
    expect(refused).toBe(0);
    // 60 requests, four in parallel, take 15 s. The next may start a window after the first of them started;
    // the pacer counts from its answer, a second later.
    const least = WINDOW + 15_000;
    const taken = clock.now() - 12_345;
    expect(taken).toBeGreaterThanOrEqual(least);
    expect(taken).toBeLessThanOrEqual(least + 1_000 + MARGIN);
    expect(taken / least).toBeLessThan(1.1);
  });
});

test('A request starts when it wants to, or as soon as a window has passed since an answer', async () => {
  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 1, max: 6 }), async (wanted, limit) => {
      const { order, startedAt } = await traffic('sliding', limit, wanted, 0);
      // The earliest start that the rule allows, for one request after the other.
      const answers: number[] = [];
      let last = 0;
      for (const index of order) {
        const { at, toService, back } = wanted[index] as Wanted;
        let earliest = Math.max(at, last);
        for (;;) {
          const now = earliest;
          const counting = answers.filter((answered) => answered + WINDOW + MARGIN > now);
          if (counting.length < limit) break;
          earliest = Math.min(...counting) + WINDOW + MARGIN;
        }
        expect(startedAt[index]).toBeGreaterThanOrEqual(earliest);
        expect(startedAt[index]).toBeLessThanOrEqual(earliest + 1);
        last = startedAt[index] ?? 0;
        answers.push(last + toService + back);
      }
    }),
    { seed: 11, numRuns: 100 },
  );
});

test('Requests start in the order in which they want to', async () => {
  const random = seededRandom(3);
  const wanted = Array.from({ length: 30 }, (_, index) => ({
    at: index * 100,
    toService: Math.floor(random() * 500),
    back: Math.floor(random() * 500),
  }));
  const { order } = await traffic('sliding', 4, wanted, 0);
  expect(order).toEqual(wanted.map((_, index) => index));
});

describe('A stopped wait', () => {
  test('passes its turn to the next request, and takes no slot', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    (await pacer.acquire(1, clock.wait())).release();
    const stop = new AbortController();
    const started: string[] = [];
    const first = pacer.acquire(1, clock.wait(stop.signal)).then(
      () => started.push('stopped'),
      () => started.push('gave up'),
    );
    const second = pacer.acquire(1, clock.wait()).then(() => started.push(`second at ${clock.now()}`));
    await clock.run(1_000);
    stop.abort();
    await settled();
    expect(started).toEqual(['gave up']);
    await clock.run();
    await Promise.all([first, second]);
    expect(started).toEqual(['gave up', `second at ${WINDOW + MARGIN}`]);
  });

  test('in the middle of the queue lets no request overtake another', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const slot = await pacer.acquire(1, clock.wait());
    const stop = new AbortController();
    const started: string[] = [];
    const go = async (name: string, signal?: AbortSignal) => {
      try {
        const own = await pacer.acquire(1, clock.wait(signal));
        started.push(name);
        own.release();
      } catch {
        started.push(`not ${name}`);
      }
    };
    const all = [go('first'), go('middle', stop.signal), go('last')];
    await settled();
    stop.abort();
    await settled();
    expect(started).toEqual(['not middle']);
    slot.release();
    await clock.run();
    await Promise.all(all);
    expect(started).toEqual(['not middle', 'first', 'last']);
  });

  test('ends immediately while requests in flight hold all slots', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const slot = await pacer.acquire(1, clock.wait());
    const stop = new AbortController();
    const waiting = pacer.acquire(1, clock.wait(stop.signal));
    await settled();
    stop.abort();
    await expect(waiting).rejects.toThrow();
    slot.release();
    const next = pacer.acquire(1, clock.wait());
    await clock.run();
    (await next).release();
    expect(clock.now()).toBe(WINDOW + MARGIN);
  });
});

const refusal = (headers: Record<string, string>, now = 0): Reply => ({
  kind: 'rejected',
  failure: failure('rateLimited', { perMinute: 60, wait: 'a minute' }, { httpStatus: 429 }),
  error: {},
  fromService: true,
  retryable: false,
  retryAfter: readRetryAfter(headers, now),
});
const accepted: Reply = { kind: 'accepted', data: {} };

/** The requests of a run, each answered in this way. */
function requestsWith(
  clock: FakeClock,
  pacer: KeyPacer,
  answer: () => Promise<Reply>,
  changed: Partial<RequestLimits> = {},
): Requests {
  return new Requests({
    call: answer,
    pacer,
    limits: { requestsPerMinute: 60, maxWait: 5 * WINDOW, interval: 0, ...changed },
    signal: undefined,
    clock: { now: clock.now, random: () => 1, waitUnless: (signal) => clock.wait(signal) },
  });
}

const make = async (requests: Requests): Promise<Reply> => await requests.make({ endpoint: GET_BALANCE });

describe('Where the user sets no number of parallel requests,', () => {
  /** 180 requests whose answers take so long: when the last one came, and how many were in flight at most. */
  async function run(answerTime: number): Promise<{ end: number; most: number }> {
    const clock = new FakeClock();
    let inFlight = 0;
    let most = 0;
    const answer = async (): Promise<Reply> => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await clock.sleep(answerTime);
      inFlight -= 1;
      return accepted;
    };
    const requests = requestsWith(clock, new Pacer(WINDOW, clock), answer);
    const batches = Array.from({ length: 180 }, (_, index): Batch => ({ number: index + 1, messages: [] }));
    const done = inOrder(batches, new Set(), requests.most, async () => void (await make(requests)));
    await clock.run();
    await done;
    return { end: clock.now(), most };
  }

  test.each([[50], [1_000], [5_000]])('a service that answers within %i ms gets 16 at the same time', async (time) => {
    expect((await run(time)).most).toBe(16);
  });

  test('a slow one gets as many as its limit allows', async () => {
    const { end, most } = await run(20_000);
    expect(most).toBe(60 - 16);
    // 16 of each window leave 20 s before the others, and a slot is free a window after its answer.
    expect(end).toBe(2 * (WINDOW + 20_000 + MARGIN) + 20_000 + 20_000);
  });
});

describe('After a 429,', () => {
  /** The times of requests when the first ones are refused with these headers. */
  async function times(
    headers: Array<Record<string, string>>,
    changed: Partial<RequestLimits> = {},
  ): Promise<{ at: number[]; reply: Reply }> {
    const clock = new FakeClock();
    const at: number[] = [];
    const left = [...headers];
    const answer = async (): Promise<Reply> => {
      at.push(clock.now());
      const next = left.shift();
      return await Promise.resolve(next === undefined ? accepted : refusal(next, clock.now()));
    };
    const ended = make(requestsWith(clock, new Pacer(WINDOW, clock), answer, changed));
    await clock.run();
    return { at, reply: await ended };
  }

  test.each<[string, Record<string, string>, number]>([
    ['the seconds of Retry-After', { 'retry-after': '7' }, 7_000],
    ['the date of Retry-After', { 'retry-after': new Date(9_000).toUTCString() }, 9_000],
    ['RateLimit-Reset', { 'ratelimit-reset': '12' }, 12_000],
    ['X-RateLimit-Reset', { 'x-ratelimit-reset': '13' }, 13_000],
    ['Retry-After rather than for RateLimit-Reset', { 'retry-after': '3', 'ratelimit-reset': '12' }, 3_000],
    ['a second if Retry-After is 0', { 'retry-after': '0' }, 1_000],
    ['RateLimit-Reset if Retry-After is 0', { 'retry-after': '0', 'ratelimit-reset': '4' }, 4_000],
    ['a second if Retry-After is in the past', { 'retry-after': new Date(-5_000).toUTCString() }, 1_000],
    ['a second if RateLimit-Reset is now', { 'ratelimit-reset': '0' }, 1_000],
    ['a second if no header says how long', {}, 1_000],
    ['a second if Retry-After is absurdly long', { 'retry-after': '99999999' }, 1_000],
    ['a second if Retry-After is nonsense', { 'retry-after': 'soon' }, 1_000],
    ['RateLimit-Reset if Retry-After is nonsense', { 'retry-after': 'soon', 'ratelimit-reset': '4' }, 4_000],
    ['a second if Retry-After is negative', { 'retry-after': '-5' }, 1_000],
  ])('a request waits for %s before it is repeated', async (_what, headers, milliseconds) => {
    const { at, reply } = await times([headers]);
    expect(at).toEqual([0, milliseconds]);
    expect(reply).toBe(accepted);
  });

  test('waits get longer up to a window if no header says how long', async () => {
    const { at } = await times(Array<Record<string, string>>(8).fill({}), { maxWait: 30 * WINDOW });
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('waits get longer if Retry-After is 0 each time', async () => {
    const { at } = await times(Array<Record<string, string>>(4).fill({ 'retry-after': '0' }));
    expect(at).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  });

  test('waits together last at most Max Wait, and then the refusal is the reply', async () => {
    const { at, reply } = await times(Array<Record<string, string>>(100).fill({ 'retry-after': '40' }), {
      maxWait: 2 * WINDOW,
    });
    expect(at).toEqual([0, 40_000, 80_000, 120_000]);
    expect(reply.kind).toBe('rejected');
  });

  test('a request is not repeated with a Max Wait of 0', async () => {
    const { at, reply } = await times([{ 'retry-after': '0' }], { maxWait: 0 });
    expect(at).toEqual([0]);
    expect(reply.kind).toBe('rejected');
  });

  test('a wait longer than Max Wait does not start', async () => {
    const { at } = await times([{ 'retry-after': '301' }]);
    expect(at).toEqual([0]);
  });

  test('the other requests of the key wait, too', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const log: string[] = [];
    let refusals = 1;
    const first = requestsWith(clock, pacer, async () => {
      log.push(`first at ${clock.now()}`);
      return await Promise.resolve(refusals-- > 0 ? refusal({ 'retry-after': '20' }) : accepted);
    });
    const firstReply = make(first);
    await clock.run(5_000);
    const other = requestsWith(clock, pacer, async () => {
      log.push(`other at ${clock.now()}`);
      return await Promise.resolve(accepted);
    });
    const otherReply = make(other);
    await clock.run();
    await Promise.all([firstReply, otherReply]);
    expect(log).toEqual(['first at 0', 'first at 20000', 'other at 20000']);
  });

  test('those that have their turn, and wait for the interval, wait, too', async () => {
    const clock = new FakeClock();
    const at: number[] = [];
    let refusals = 1;
    const answer = async (): Promise<Reply> => {
      at.push(clock.now());
      return await Promise.resolve(refusals-- > 0 ? refusal({ 'retry-after': '20' }) : accepted);
    };
    const requests = requestsWith(clock, new Pacer(WINDOW, clock), answer, { interval: 1_000 });
    const replies = [make(requests), make(requests), make(requests)];
    await clock.run();
    expect((await Promise.all(replies)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(at).toEqual([0, 20_000, 21_000, 22_000]);
  });

  test('those that wait for the interval wait no longer than Max Wait either', async () => {
    const clock = new FakeClock();
    const answer = async (): Promise<Reply> => await Promise.resolve(refusal({ 'retry-after': '15' }));
    const limits = { interval: 1_000, maxWait: WINDOW };
    const requests = requestsWith(clock, new Pacer(WINDOW, clock), answer, limits);
    const replies = Array.from({ length: 5 }, async () => {
      const reply = await make(requests);
      return { kind: reply.kind, at: clock.now() };
    });
    await clock.run();
    for (const { kind, at } of await Promise.all(replies)) {
      expect(kind).toBe('rejected');
      // With the intervals of all five.
      expect(at).toBeLessThanOrEqual(WINDOW + 5 * 1_000);
    }
  });

  test('a request is repeated before those that came after it start', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const log: string[] = [];
    let refusals = 2;
    const request = async (name: string, answer: () => Reply): Promise<Reply> => {
      const logged = async (): Promise<Reply> => {
        log.push(name);
        return await Promise.resolve(answer());
      };
      return await make(requestsWith(clock, pacer, logged, { requestsPerMinute: 1 }));
    };
    const first = request('first', () => (refusals-- > 0 ? refusal({ 'retry-after': '20' }) : accepted));
    await clock.run(1);
    const others = ['second', 'third'].map(async (name) => await request(name, () => accepted));
    await clock.run();
    await Promise.all([first, ...others]);
    expect(log).toEqual(['first', 'first', 'first', 'second', 'third']);
  });

  // Only this kind: under the others, the process that is first in one window may be first in all.
  test.each([2, 3])(
    'every request is accepted within Max Wait while %i busy processes share a token bucket',
    async (processes) => {
      const clock = new FakeClock();
      const random = seededRandom(5);
      const limiter = createLimiter('token-bucket', 60, WINDOW);
      const requestOf = async (): Promise<Reply> => {
        await clock.sleep(150 * random());
        const permit = limiter?.take(clock.now());
        await clock.sleep(150 * random());
        const seconds = Math.ceil((permit?.resetInMs ?? 0) / 1000);
        return permit?.kind === 'granted' ? accepted : refusal({ 'retry-after': String(seconds) });
      };
      const kinds: string[] = [];
      const execution = async (requests: Requests) => {
        let left = 120 / processes;
        const worker = async () => {
          for (; left > 0;) {
            left -= 1;
            kinds.push((await make(requests)).kind);
          }
        };
        await Promise.all(Array.from({ length: 16 }, worker));
      };
      const runs = Array.from({ length: processes }, () => requestsWith(clock, new Pacer(WINDOW, clock), requestOf));
      const all = Promise.all(runs.flatMap((run) => Array.from({ length: 5 }, async () => await execution(run))));
      await clock.run();
      await all;
      expect(new Set(kinds)).toEqual(new Set(['accepted']));
      expect(kinds).toHaveLength(600);
    },
  );
});

describe('A run whose own Max Wait is shorter than the wait that the service asks another for', () => {
  const held = async (maxWait: number, joinsAt: number) => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    let refusals = 1;
    const answer = async () => await Promise.resolve(refusals-- > 0 ? refusal({ 'retry-after': '1800' }) : accepted);
    const first = make(requestsWith(clock, pacer, answer, { maxWait: 60 * WINDOW, requestsPerMinute: 1 }));
    const requests = requestsWith(clock, pacer, async () => await Promise.resolve(accepted), {
      maxWait,
      requestsPerMinute: 1,
    });
    await clock.run(joinsAt);
    const replied = make(requests).then((reply) => ({ reply, at: clock.now() }));
    await clock.run();
    await first;
    return { ...(await replied), made: requests.tally.requests };
  };

  test.each([
    [0, 5_000],
    [20 * WINDOW, 5_000],
  ])('makes no request and does not wait (Max Wait: %i ms)', async (maxWait, joinsAt) => {
    const { reply, at, made } = await held(maxWait, joinsAt);
    expect(reply).toMatchObject({ kind: 'rejected', failure: { code: 'RATE_LIMITED', sendAgain: 'safe' } });
    expect([at, made]).toEqual([joinsAt, 0]);
  });

  test('waits as soon as the rest of it is short enough', async () => {
    const { reply, made } = await held(20 * WINDOW, 11 * WINDOW);
    expect(reply).toBe(accepted);
    expect(made).toBe(1);
  });

  test('stops waiting for its turn if the service asks for it meanwhile', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    (await pacer.acquire(1, clock.wait())).release();
    const requests = requestsWith(clock, pacer, async () => await Promise.resolve(accepted), {
      maxWait: WINDOW,
      requestsPerMinute: 1,
    });
    const replied = make(requests).then((reply) => ({ reply, at: clock.now() }));
    await clock.run(10_000);
    pacer.hold(2 * WINDOW);
    await clock.run(20_000);
    const { reply, at } = await replied;
    expect(reply).toMatchObject({ kind: 'rejected', failure: { code: 'RATE_LIMITED' } });
    expect(at).toBe(10_000);
  });
});

describe('Runs with different limits', () => {
  /** Starts requests of a run that has so many at a time, each answered after 100 ms. */
  const busy = (clock: FakeClock, pacer: Pacer, limit: number, parallel: number, count: number) => {
    const startedAt: number[] = [];
    let left = count;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        const slot = await pacer.acquire(limit, clock.wait());
        startedAt.push(clock.now());
        await clock.sleep(100);
        slot.release();
      }
    };
    return { startedAt, done: Promise.all(Array.from({ length: parallel }, worker)) };
  };

  test('do not hold up one that is allowed more', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const low = busy(clock, pacer, 60, 4, 100);
    const high = busy(clock, pacer, 600, 16, 540);
    await clock.run();
    await Promise.all([low.done, high.done]);
    expect(Math.max(...high.startedAt)).toBeLessThan(10_000);
    expect(low.startedAt.filter((at) => at < WINDOW)).toHaveLength(60);
  });

  test('each get their turn, also one that is allowed less than another one makes all the time', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const high = busy(clock, pacer, 600, 16, 6_000);
    await clock.run(1_000);
    const low = busy(clock, pacer, 60, 1, 30);
    await clock.run();
    await Promise.all([low.done, high.done]);
    // Its first request waits for at most a window; from then on it competes as one of 17.
    expect(low.startedAt[0]).toBeLessThanOrEqual(WINDOW + 1_000);
    expect(Math.max(...low.startedAt)).toBeLessThan(Math.max(...high.startedAt));
  });

  test('keep to their own limit and, together, to the highest one', async () => {
    const mixed = fc.array(
      fc.record({
        at: fc.nat({ max: 2 * WINDOW }),
        takes: fc.nat({ max: 3_000 }),
        limit: fc.constantFrom(2, 3, 5),
      }),
      { minLength: 1, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(mixed, async (wanted) => {
        const clock = new FakeClock();
        const pacer = new Pacer(WINDOW, clock);
        const made: Array<{ limit: number; from: number; to: number }> = [];
        const done = Promise.all(
          wanted.map(async ({ at, takes, limit }) => {
            await clock.sleep(at);
            const slot = await pacer.acquire(limit, clock.wait());
            const from = clock.now();
            await clock.sleep(takes);
            made.push({ limit, from, to: clock.now() });
            slot.release();
          }),
        );
        await clock.run();
        await done;
        expect(made).toHaveLength(wanted.length);
        for (const { limit, from } of made) {
          const counted = made.filter(
            (other) => other.limit <= limit && other.from <= from && other.to + WINDOW > from,
          );
          expect(counted.length).toBeLessThanOrEqual(limit);
        }
      }),
      { seed: 13, numRuns: 100 },
    );
  });
});

describe('A request that is not made', () => {
  test('does not count', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const requests = requestsWith(clock, pacer, async () => await Promise.resolve(accepted), { requestsPerMinute: 1 });
    const flight = { leave: async () => await Promise.resolve(), land: () => undefined };
    await expect(requests.make({ endpoint: GET_BALANCE }, { ...flight, mayLeave: () => false })).rejects.toThrow();
    expect(pacer.isIdle()).toBe(true);
    expect(await make(requests)).toBe(accepted);
    expect(clock.now()).toBe(0);
  });

  test('because the run was stopped in its interval, does not count', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const requests = requestsWith(clock, pacer, async () => await Promise.resolve(accepted), { interval: 1_000 });
    await make(requests);
    await clock.run(WINDOW);
    await make(requests);
    const second = make(requests);
    await clock.run(WINDOW + 500);
    requests.halt();
    await expect(second).rejects.toThrow();
    await clock.run(2 * WINDOW + MARGIN);
    expect(pacer.isIdle()).toBe(true);
  });

  test('passes its slot to the next one', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(WINDOW, clock);
    const slot = await pacer.acquire(1, clock.wait());
    const next = pacer.acquire(1, clock.wait());
    await settled();
    slot.cancel();
    slot.release();
    (await next).release();
    expect(clock.now()).toBe(0);
  });
});

test('A pacer is kept for as long as it knows something', async () => {
  const clock = new FakeClock();
  const pacers = new Pacers(WINDOW, clock);
  const acquire = async (account: string) => {
    const slot = await pacers.for(account).acquire(1, clock.wait(), clock.now(), 0);
    if (!('release' in slot)) throw new Error('the pacer is held');
    return slot;
  };
  const held = pacers.for('held');
  held.hold(3 * WINDOW);
  (await acquire('answered')).release();
  const inFlight = await acquire('in flight');
  (await acquire('another')).release();
  expect(pacers.size).toBe(4);

  await clock.run(2 * WINDOW);
  (await acquire('yet another')).release();
  // Those that were answered longer than a window ago are forgotten.
  expect(pacers.size).toBe(3);
  inFlight.release();
  const waiting = acquire('in flight');
  await clock.run(3 * WINDOW + MARGIN);
  (await waiting).release();
  await clock.run(5 * WINDOW);
  (await acquire('the last')).release();
  expect(pacers.size).toBe(1);
});

test('The time spent waiting is counted, and waits that overlap count once', async () => {
  const clock = new FakeClock();
  const answered = async () => await Promise.resolve(accepted);
  const requests = requestsWith(clock, new Pacer(WINDOW, clock), answered, { requestsPerMinute: 1 });
  const all = Promise.all([make(requests), make(requests), make(requests)]);
  await clock.run();
  await all;
  expect(requests.tally).toMatchObject({ requests: 3, waited: 2 * (WINDOW + MARGIN) });
});
