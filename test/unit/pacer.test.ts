import fc from 'fast-check';

import { Pacer } from '../../nodes/MessagingSend/requests/pacer';
import { Limiter } from '../../sandbox/limiter';
import { FakeClock, MINUTE, settled, WINDOW } from './fakeClock';

function setUp({ limit = 1, start = 0 }: { limit?: number | null; start?: number } = {}) {
  const clock = new FakeClock(start);
  const pacer = new Pacer(clock);
  if (limit !== null) pacer.limitTo(limit);
  const acquire = async (signal?: AbortSignal) => await pacer.acquire(pacer.ticket(0), clock.wait(signal));
  return { clock, pacer, acquire };
}

/** A request: when it wants to start, and how long it takes to the service and back. */
interface Wanted {
  readonly at: number;
  readonly toService: number;
  readonly back: number;
}

/** Makes these requests. Returns them in the order in which they started, each with the time. */
async function traffic(
  { clock, pacer, acquire }: ReturnType<typeof setUp>,
  wanted: readonly Wanted[],
  atService: () => void = () => undefined,
): Promise<Array<Wanted & { startedAt: number }>> {
  const started: Array<Wanted & { startedAt: number }> = [];
  const done = wanted.map(async (request) => {
    await clock.sleep(request.at);
    await acquire();
    started.push({ ...request, startedAt: clock.now() });
    await clock.sleep(request.toService);
    atService();
    await clock.sleep(request.back);
    pacer.release(true);
  });
  await clock.run();
  await Promise.all(done);
  return started;
}

const time = (max: number) => fc.nat({ max });
const aLimit = fc.integer({ min: 1, max: 6 });
const requests = fc.array(fc.record({ at: time(3 * MINUTE), toService: time(3_000), back: time(3_000) }), {
  minLength: 1,
  maxLength: 40,
});

test('No request is rejected, no matter when requests start and how long answers take', async () => {
  await fc.assert(
    fc.asyncProperty(requests, aLimit, time(10 * MINUTE), async (wanted, limit, start) => {
      const key = setUp({ limit, start });
      // A counter for each minute, or a bucket that refills, lets everything in that this one does.
      const limiter = new Limiter(limit, MINUTE);
      let refused = 0;
      await traffic(key, wanted, () => {
        if (limiter.take(key.clock.now()) > 0) refused += 1;
      });
      expect(refused).toBe(0);
    }),
    { seed: 7, numRuns: 120 },
  );
});

test('Requests start in the order in which they want to, each as soon as the limit of that moment allows', async () => {
  const limits = fc.array(fc.record({ at: time(3 * MINUTE), limit: aLimit }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(requests, aLimit, limits, async (wanted, limit, unsorted) => {
      const changes = unsorted.toSorted((one, other) => one.at - other.at);
      const key = setUp({ limit });
      for (const { at, limit: changed } of changes) void key.clock.sleep(at).then(() => key.pacer.limitTo(changed));
      const limitAt = (now: number) => changes.findLast(({ at }) => at <= now)?.limit ?? limit;

      const started = await traffic(key, wanted);
      expect(started.map(({ at }) => at)).toEqual(wanted.map(({ at }) => at).toSorted((one, other) => one - other));
      // The earliest start that the rule allows for each request.
      const leave: number[] = [];
      let last = 0;
      for (const { at, toService, back, startedAt } of started) {
        let earliest = Math.max(at, last);
        for (;;) {
          const now = earliest;
          const counting = leave.filter((left) => left > now);
          if (counting.length < limitAt(now)) break;
          earliest = Math.min(...counting, ...changes.map((change) => change.at).filter((change) => change > now));
        }
        expect(startedAt).toBe(earliest);
        last = startedAt;
        leave.push(startedAt + toService + back + WINDOW);
      }
    }),
    { seed: 11, numRuns: 100 },
  );
});

test('A stopped request gives up at once, and passes its turn to the next one without taking a slot', async () => {
  const { clock, pacer, acquire } = setUp();
  await acquire();
  const stop = new AbortController();
  const started: string[] = [];
  const go = async (name: string, signal?: AbortSignal) => {
    try {
      await acquire(signal);
      started.push(`${name} at ${clock.now()}`);
      pacer.release(true);
    } catch {
      started.push(`not ${name}`);
    }
  };
  const all = [go('first'), go('middle', stop.signal), go('last')];
  await settled();
  stop.abort();
  await settled();
  expect(started).toEqual(['not middle']);
  pacer.release(true);
  await clock.run();
  await Promise.all(all);
  expect(started).toEqual(['not middle', `first at ${WINDOW}`, `last at ${2 * WINDOW}`]);
});

test('A key whose limit no run has set has that of the API document', async () => {
  const started = await traffic(setUp({ limit: null }), Array(61).fill({ at: 0, toService: 0, back: 0 }));
  expect(started.slice(-2).map(({ startedAt }) => startedAt)).toEqual([0, WINDOW]);
});
