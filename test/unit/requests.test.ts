import { GET_BALANCE } from '../../nodes/MessagingSend/api/endpoints';
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { readRetryAfter } from '../../nodes/MessagingSend/api/retryAfter';
import { inOrder } from '../../nodes/MessagingSend/delivery/inOrder';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import type { Batch } from '../../nodes/MessagingSend/messages/message';
import { Pacer } from '../../nodes/MessagingSend/requests/pacer';
import { type Flight, type RequestLimits, Requests } from '../../nodes/MessagingSend/requests/requests';
import { Traffic } from '../../nodes/MessagingSend/requests/traffic';
import { createLimiter } from '../../sandbox/limiter';
import { seededRandom } from '../../tools/random';
import { FakeClock, MARGIN, WINDOW } from './fakeClock';

const refusal = (headers: Record<string, string>, now = 0): Reply => ({
  kind: 'rejected',
  failure: failure('rateLimited', { perMinute: 60, wait: 'a minute' }, { httpStatus: 429 }),
  error: {},
  fromService: true,
  retryable: false,
  retryAfter: readRetryAfter(headers, now),
});
const accepted: Reply = { kind: 'accepted', data: {} };

/** The headers of this many refusals. */
const repeated = (count: number, headers: Record<string, string>) => Array.from({ length: count }, () => headers);

/** Refuses the first request with this Retry-After, and accepts those after it. */
function refusingFirst(retryAfter: string): () => Reply {
  let refusals = 1;
  return () => (refusals-- > 0 ? refusal({ 'retry-after': retryAfter }) : accepted);
}

/** A clock, the pacer of a key, and the requests of runs with that key, each answered in this way. */
function setUp(clock = new FakeClock()) {
  const pacer = new Pacer(WINDOW, clock);
  const run = (
    changed: Partial<RequestLimits> = {},
    answer: () => Reply | Promise<Reply> = () => accepted,
    parallelRequests: number | null = null,
  ) =>
    new Requests({
      call: async () => await answer(),
      pacer,
      limits: { requestsPerMinute: 60, maxWait: 5 * WINDOW, interval: 0, ...changed },
      signal: undefined,
      clock: { now: clock.now, random: () => 1, waitUnless: (signal) => clock.wait(signal) },
      traffic: new Traffic(clock.now, parallelRequests),
    });
  return { clock, pacer, run };
}

/** Lets its request leave, and records the calls. */
function flightWith(changed: Partial<Flight>): { flight: Flight; replies: Array<Reply | null> } {
  const replies: Array<Reply | null> = [];
  const beforeRequest = async () => await Promise.resolve(true);
  const afterReply = (reply: Reply | null) => void replies.push(reply);
  return { flight: { mayLeave: () => true, beforeRequest, afterReply, ...changed }, replies };
}

const make = async (requests: Requests): Promise<Reply> => await requests.make({ endpoint: GET_BALANCE });

describe('Where the user sets no number of parallel requests,', () => {
  /** 180 requests whose answers take so long: when the last one came, and how many were in flight at most. */
  async function run(answerTime: number): Promise<{ end: number; most: number }> {
    const { clock, run: runWith } = setUp();
    let inFlight = 0;
    let most = 0;
    const requests = runWith({}, async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await clock.sleep(answerTime);
      inFlight -= 1;
      return accepted;
    });
    const batches = Array.from({ length: 180 }, (_, index): Batch => ({ number: index + 1, messages: [] }));
    const done = inOrder(batches, new Set(), requests.maxConcurrent, async () => void (await make(requests)));
    await clock.run();
    await done;
    return { end: clock.now(), most };
  }

  test.each([50, 1_000, 5_000])('a service that answers within %i ms gets 16 at the same time', async (time) => {
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
    const { clock, run } = setUp();
    const at: number[] = [];
    const answer = () => {
      const next = headers[at.push(clock.now()) - 1];
      return next === undefined ? accepted : refusal(next, clock.now());
    };
    const ended = make(run(changed, answer));
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
    const { at } = await times(repeated(8, {}), { maxWait: 30 * WINDOW });
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test('waits get longer if Retry-After is 0 each time', async () => {
    const { at } = await times(repeated(4, { 'retry-after': '0' }));
    expect(at).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  });

  test('waits together last at most Max Wait, and then the refusal is the reply', async () => {
    const { at, reply } = await times(repeated(100, { 'retry-after': '40' }), { maxWait: 2 * WINDOW });
    expect(at).toEqual([0, 40_000, 80_000, 120_000]);
    expect(reply.kind).toBe('rejected');
  });

  test.each([
    ['0', 0],
    ['301', 300_000],
  ])('a wait of %s s does not start with a Max Wait of %i ms', async (seconds, maxWait) => {
    const { at, reply } = await times([{ 'retry-after': seconds }], { maxWait });
    expect([at, reply]).toEqual([[0], refusal({ 'retry-after': seconds })]);
  });

  test('the other requests of the key wait, too', async () => {
    const { clock, run } = setUp();
    const log: string[] = [];
    const first = refusingFirst('20');
    const firstReply = make(run({}, () => (log.push(`first at ${clock.now()}`), first())));
    await clock.run(5_000);
    const otherReply = make(run({}, () => (log.push(`other at ${clock.now()}`), accepted)));
    await clock.run();
    await Promise.all([firstReply, otherReply]);
    expect(log).toEqual(['first at 0', 'first at 20000', 'other at 20000']);
  });

  test('those that have their turn, and wait for the interval, wait, too', async () => {
    const { clock, run } = setUp();
    const at: number[] = [];
    const answer = refusingFirst('20');
    const requests = run({ interval: 1_000 }, () => (at.push(clock.now()), answer()));
    const replies = [make(requests), make(requests), make(requests)];
    await clock.run();
    expect(await Promise.all(replies)).toEqual([accepted, accepted, accepted]);
    expect(at).toEqual([0, 20_000, 21_000, 22_000]);
  });

  test('those that wait for the interval wait no longer than Max Wait either', async () => {
    const { clock, run } = setUp();
    const requests = run({ interval: 1_000, maxWait: WINDOW }, () => refusal({ 'retry-after': '15' }));
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
    const { clock, run } = setUp();
    const log: string[] = [];
    let refusals = 2;
    const request = async (name: string, answer: () => Reply) =>
      await make(run({ requestsPerMinute: 1 }, () => (log.push(name), answer())));
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
      const runs = Array.from({ length: processes }, () => setUp(clock).run({}, requestOf));
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
    const { clock, run } = setUp();
    const first = make(run({ maxWait: 60 * WINDOW, requestsPerMinute: 1 }, refusingFirst('1800')));
    const requests = run({ maxWait, requestsPerMinute: 1 });
    await clock.run(joinsAt);
    const replied = make(requests).then((reply) => ({ reply, at: clock.now() }));
    await clock.run();
    await first;
    return { ...(await replied), made: requests.tally.requests };
  };

  test.each([0, 20 * WINDOW])('makes no request and does not wait (Max Wait: %i ms)', async (maxWait) => {
    const { reply, at, made } = await held(maxWait, 5_000);
    expect(reply).toMatchObject({ kind: 'rejected', failure: { code: 'RATE_LIMITED', sendAgain: 'safe' } });
    expect([at, made]).toEqual([5_000, 0]);
  });

  test('waits as soon as the rest of it is short enough', async () => {
    expect(await held(20 * WINDOW, 11 * WINDOW)).toMatchObject({ reply: accepted, made: 1 });
  });

  test('stops waiting for its turn if the service asks for it meanwhile', async () => {
    const { clock, pacer, run } = setUp();
    (await pacer.acquire(1, clock.wait())).release();
    const requests = run({ maxWait: WINDOW, requestsPerMinute: 1 });
    const replied = make(requests).then((reply) => ({ reply, at: clock.now() }));
    await clock.run(10_000);
    pacer.hold(2 * WINDOW);
    await clock.run(20_000);
    const { reply, at } = await replied;
    expect(reply).toMatchObject({ kind: 'rejected', failure: { code: 'RATE_LIMITED' } });
    expect(at).toBe(10_000);
  });
});

describe('A request that is not made', () => {
  test('does not count', async () => {
    const { clock, run } = setUp();
    const requests = run({ requestsPerMinute: 1 });
    const { flight, replies } = flightWith({ mayLeave: () => false });
    await expect(requests.make({ endpoint: GET_BALANCE }, flight)).rejects.toThrow();
    expect(replies).toEqual([]);
    expect(await make(requests)).toBe(accepted);
    expect(clock.now()).toBe(0);
  });

  test('because the run was stopped in its interval, does not count', async () => {
    const { clock, pacer, run } = setUp();
    const requests = run({ interval: 1_000, requestsPerMinute: 2 });
    await make(requests);
    await clock.run(WINDOW + MARGIN);
    await make(requests);
    const second = make(requests);
    await clock.run(WINDOW + 500);
    requests.halt();
    await expect(second).rejects.toThrow();
    await clock.run(2 * WINDOW + 2 * MARGIN);
    // Both slots of the limit are free.
    const slots = [pacer.acquire(2, clock.wait()), pacer.acquire(2, clock.wait())];
    expect(await Promise.all(slots)).toHaveLength(2);
  });

  test('because the journal refuses, gives back its slot and its place among the requests in flight', async () => {
    const { clock, run } = setUp();
    const requests = run({ requestsPerMinute: 1 }, undefined, 1);
    const { flight, replies } = flightWith({ beforeRequest: async () => await Promise.resolve(false) });
    await expect(requests.make({ endpoint: GET_BALANCE }, flight)).rejects.toThrow();
    // It never had permission, so there is nothing to report.
    expect(replies).toEqual([]);
    expect(requests.tally.requests).toBe(0);
    expect(await make(requests)).toBe(accepted);
    expect(clock.now()).toBe(0);
  });

  test.each<[string, (requests: Requests) => void, (isOver: boolean) => boolean]>([
    ['the run was halted', (requests) => requests.halt(), () => true],
    ['it is no longer wanted', () => undefined, (isOver) => !isOver],
  ])('because %s while the journal stored it, is reported as not made', async (_why, end, mayLeave) => {
    let calls = 0;
    const requests = setUp().run({}, () => ((calls += 1), accepted));
    let isOver = false;
    const { flight, replies } = flightWith({
      mayLeave: () => mayLeave(isOver),
      beforeRequest: async () => {
        isOver = true;
        end(requests);
        return await Promise.resolve(true);
      },
    });
    await expect(requests.make({ endpoint: GET_BALANCE }, flight)).rejects.toThrow();
    expect([replies, calls]).toEqual([[null], 0]);
  });
});

test('The journal is asked before each repetition, and told each reply', async () => {
  const { clock, run } = setUp();
  const log: string[] = [];
  const { flight } = flightWith({
    beforeRequest: async () => await Promise.resolve(log.push('before') > 0),
    afterReply: (reply) => log.push(reply?.kind ?? 'not made'),
  });
  const replied = run({}, refusingFirst('5')).make({ endpoint: GET_BALANCE }, flight);
  await clock.run();
  expect(await replied).toBe(accepted);
  expect(log).toEqual(['before', 'rejected', 'before', 'accepted']);
});

test('The time spent waiting is counted, and waits that overlap count once', async () => {
  const { clock, run } = setUp();
  const requests = run({ requestsPerMinute: 1 });
  const all = Promise.all([make(requests), make(requests), make(requests)]);
  await clock.run();
  await all;
  expect(requests.tally).toMatchObject({ requests: 3, waited: 2 * (WINDOW + MARGIN) });
});
