import fc from 'fast-check';

import { Pacer } from '../../nodes/MessagingSend/requests/pacer';
import { createLimiter, LIMITER_KINDS, type LimiterKind } from '../../sandbox/limiter';
import { seededRandom } from '../../tools/random';
import { FakeClock, MARGIN, settled, WINDOW } from './fakeClock';
import { upTo } from './samples';

function setUp(start = 0) {
  const clock = new FakeClock(start);
  return { clock, pacer: new Pacer(WINDOW, clock) };
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
  const { clock, pacer } = setUp(start);
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

/** Starts requests of a run that has so many at a time, each answered after the same time. */
function busy(clock: FakeClock, pacer: Pacer, run: BusyRun) {
  const { limit, parallel, count, takes = 100, onStart } = run;
  const startedAt: number[] = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const slot = await pacer.acquire(limit, clock.wait());
      startedAt.push(clock.now());
      onStart?.();
      await clock.sleep(takes);
      slot.release();
    }
  };
  return { startedAt, done: Promise.all(Array.from({ length: parallel }, worker)) };
}

interface BusyRun {
  readonly limit: number;
  readonly parallel: number;
  readonly count: number;
  readonly takes?: number;
  readonly onStart?: () => void;
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
    const { clock, pacer } = setUp(12_345);
    const limiter = createLimiter(kind, 60, WINDOW);
    let refused = 0;
    const take = () => {
      if (limiter?.take(clock.now()).kind === 'refused') refused += 1;
    };
    const { done } = busy(clock, pacer, { limit: 60, parallel: 4, count: 120, takes: 1_000, onStart: take });
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
  const time = () => Math.floor(random() * 500);
  const wanted = upTo(30).map((index) => ({ at: index * 100, toService: time(), back: time() }));
  const { order } = await traffic('sliding', 4, wanted, 0);
  expect(order).toEqual(wanted.map((_, index) => index));
});

describe('A stopped wait', () => {
  test('passes its turn to the next request, and takes no slot', async () => {
    const { clock, pacer } = setUp();
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
    const { clock, pacer } = setUp();
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
    const { clock, pacer } = setUp();
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

describe('Runs with different limits', () => {
  test('do not hold up one that is allowed more', async () => {
    const { clock, pacer } = setUp();
    const low = busy(clock, pacer, { limit: 60, parallel: 4, count: 100 });
    const high = busy(clock, pacer, { limit: 600, parallel: 16, count: 540 });
    await clock.run();
    await Promise.all([low.done, high.done]);
    expect(Math.max(...high.startedAt)).toBeLessThan(10_000);
    expect(low.startedAt.filter((at) => at < WINDOW)).toHaveLength(60);
  });

  test('each get their turn, also one that is allowed less than another one makes all the time', async () => {
    const { clock, pacer } = setUp();
    const high = busy(clock, pacer, { limit: 600, parallel: 16, count: 6_000 });
    await clock.run(1_000);
    const low = busy(clock, pacer, { limit: 60, parallel: 1, count: 30 });
    await clock.run();
    await Promise.all([low.done, high.done]);
    // Its first request waits for at most a window; from then on it competes as one of 17.
    expect(low.startedAt[0]).toBeLessThanOrEqual(WINDOW + 1_000);
    expect(Math.max(...low.startedAt)).toBeLessThan(Math.max(...high.startedAt));
  });

  test('keep to their own limit and, together, to the highest one', async () => {
    const mixed = fc.array(
      fc.record({ at: fc.nat({ max: 2 * WINDOW }), takes: fc.nat({ max: 3_000 }), limit: fc.constantFrom(2, 3, 5) }),
      { minLength: 1, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(mixed, async (wanted) => {
        const { clock, pacer } = setUp();
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

test('A slot that is cancelled passes to the next request', async () => {
  const { clock, pacer } = setUp();
  const slot = await pacer.acquire(1, clock.wait());
  const next = pacer.acquire(1, clock.wait());
  await settled();
  slot.cancel();
  slot.release();
  (await next).release();
  expect(clock.now()).toBe(0);
});
