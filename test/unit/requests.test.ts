import { GET_BALANCE } from '../../nodes/MessagingSend/api/endpoints';
import { readRetryAfter, rejected, type Reply } from '../../nodes/MessagingSend/api/reply';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { Pacer } from '../../nodes/MessagingSend/requests/pacer';
import { type Flight, type RequestLimits, Requests, waitUnless } from '../../nodes/MessagingSend/requests/requests';
import { FakeClock, MINUTE, WINDOW } from './fakeClock';

type Headers = Record<string, string>;
type Answer = () => Reply | Promise<Reply>;

const RATE_LIMITED = failure('rateLimited', { wait: 'a minute' }, { httpStatus: 429 });
const refusal = (headers: Headers, now = 0): Reply =>
  rejected(RATE_LIMITED, { fromService: true, retryAfter: readRetryAfter(headers, now) });
const accepted: Reply = { kind: 'accepted', data: {} };

/** Rejects the first requests with this Retry-After, and accepts those after them. */
function refusing(count: number, retryAfter: string): Answer {
  let refusals = count;
  return () => (refusals-- > 0 ? refusal({ 'retry-after': retryAfter }) : accepted);
}

/** A clock, and the runs with one key. */
function setUp(clock = new FakeClock()) {
  const pacer = new Pacer(clock);
  const run = (changed: Partial<RequestLimits> = {}, answer: Answer = () => accepted) =>
    new Requests({
      call: async () => await answer(),
      pacer,
      limits: { requestsPerMinute: 60, maxWait: 5 * MINUTE, interval: 0, ...changed },
      signal: undefined,
      clock,
    });
  const make = async (requests: Requests) => {
    const reply = await requests.make({ endpoint: GET_BALANCE });
    return { kind: reply.kind, reply, at: clock.now() };
  };
  return { clock, run, make };
}

/** Records the ends of the flight. */
function flightWith(beforeRequest: Flight['beforeRequest']) {
  const log: string[] = [];
  return { flight: { beforeRequest, afterFlight: () => log.push('after') }, log };
}

const after = (seconds: number | string): Headers => ({ 'retry-after': String(seconds) });
const times = (count: number, headers: Headers) => Array.from({ length: count }, () => headers);

/** When a request is made, and its last reply, if the first ones are rejected with these headers. */
async function made(refusals: readonly Headers[], limits: Partial<RequestLimits> = {}) {
  const { clock, run, make } = setUp();
  const at: number[] = [];
  const requests = run(limits, () => {
    const headers = refusals[at.push(clock.now()) - 1];
    return headers === undefined ? accepted : refusal(headers, clock.now());
  });
  const ended = make(requests);
  await clock.run();
  return [at, (await ended).kind];
}

const GROWING = [0, 1, 3, 7, 15, 31, 63, 123, 183];
const PATIENT = { maxWait: 30 * MINUTE };
const SLOW = { maxWait: MINUTE, requestsPerMinute: 1 };
const date = (milliseconds: number) => after(new Date(milliseconds).toUTCString());

test.each<[what: string, refusals: Headers[], at: number[], kind?: Reply['kind'], limits?: Partial<RequestLimits>]>([
  ['for the seconds of Retry-After', [after(7)], [0, 7]],
  ['until the date of Retry-After', [date(9_000)], [0, 9]],
  [
    'for as long as a date means by the clock of the service',
    [{ ...date(909_000), date: new Date(900_000).toUTCString() }],
    [0, 9],
  ],
  ['for a second if Retry-After is 0', [after(0)], [0, 1]],
  ['for a second if Retry-After is in the past', [date(-5_000)], [0, 1]],
  ['for a second if Retry-After is absurdly long', [after(99_999_999)], [0, 1]],
  ['for a second if Retry-After is nonsense', [after('soon')], [0, 1]],
  ['longer each time if Retry-After is 0', times(4, after(0)), [0, 1, 3, 7, 15]],
  ['longer each time without a header, up to a minute', times(8, {}), GROWING, 'accepted', PATIENT],
  ['for Max Wait in all', times(9, after(40)), [0, 40, 80, 120], 'rejected', { maxWait: 2 * MINUTE }],
  ['for Max Wait in all, with the waits for its slots', times(9, after(1)), [0, WINDOW / 1_000], 'rejected', SLOW],
  ['not at all with a Max Wait of 0', [{}], [0], 'rejected', { maxWait: 0 }],
  ['not at all if it would wait for longer than Max Wait', [after(301)], [0], 'rejected'],
])('A request that gets 429s waits %s', async (...[, refusals, seconds, kind = 'accepted', limits]) => {
  expect(await made(refusals, limits)).toEqual([seconds.map((second) => 1_000 * second), kind]);
});

describe('A 429 holds back', () => {
  test('the requests that have their slots, and wait for the interval', async () => {
    const { clock, run, make } = setUp();
    const requests = run({ interval: 1_000 }, refusing(1, '20'));
    const replies = Promise.all([make(requests), make(requests), make(requests)]);
    await clock.run();
    const told = (await replies).map(({ kind, at }) => [kind, at]);
    expect(told).toEqual([20_000, 21_000, 22_000].map((at) => ['accepted', at]));
  });

  test('a request that is being noted, and tells that it has not left', async () => {
    const { clock, run, make } = setUp();
    const [first, at]: [Promise<unknown>, number[]] = [make(run({}, refusing(1, '20'))), []];
    const { flight, log } = flightWith(async () => (await clock.sleep(log.length === 0 ? 500 : 0), true));
    const noted = run({}, () => (at.push(clock.now()), accepted)).make({ endpoint: GET_BALANCE }, flight);
    await clock.run();
    await Promise.all([first, noted]);
    expect([at, log]).toEqual([[20_000], ['after', 'after']]);
  });

  test('a request that came later until the one that was rejected has been repeated', async () => {
    const { clock, run, make } = setUp();
    const log: string[] = [];
    const request = async (name: string, answer: Answer) =>
      await make(run({ requestsPerMinute: 1 }, () => (log.push(name), answer())));
    const first = request('first', refusing(2, '20'));
    await clock.run(1);
    const others = ['second', 'third'].map(async (name) => await request(name, () => accepted));
    await clock.run();
    await Promise.all([first, ...others]);
    expect(log).toEqual(['first', 'first', 'first', 'second', 'third']);
  });
});

describe('Max Wait also bounds how long a request waits for the 429s of others:', () => {
  test.each<[what: string, maxWait: number, joinsAt: number, kind: Reply['kind'], at: number]>([
    ['it is rejected at once if the wait would be too long', 20 * MINUTE, 5_000, 'rejected', 5_000],
    ['it waits if the rest of the wait is short enough', 20 * MINUTE, 11 * MINUTE, 'accepted', 30 * MINUTE + WINDOW],
  ])('%s', async (_what, maxWait, joinsAt, kind, at) => {
    const { clock, run, make } = setUp();
    const first = make(run({ maxWait: 60 * MINUTE, requestsPerMinute: 1 }, refusing(1, '1800')));
    const requests = run({ maxWait, requestsPerMinute: 1 });
    await clock.run(joinsAt);
    const ended = make(requests);
    await clock.run();
    await first;
    expect(await ended).toMatchObject({ kind, at });
    expect(requests.made).toBe(kind === 'accepted' ? 1 : 0);
  });

  test('it leaves the queue when their waits together become too long', async () => {
    const { clock, run, make } = setUp();
    const first = make(run({ requestsPerMinute: 1 }, refusing(2, '40')));
    const waiting = make(run({ maxWait: MINUTE, requestsPerMinute: 1 }));
    await clock.run();
    expect((await first).kind).toBe('accepted');
    const { reply, at } = await waiting;
    expect([reply, at]).toMatchObject([{ failure: { code: 'RATE_LIMITED', outcome: 'not_sent' } }, WINDOW]);
  });
});

test('The limit of the run that started last applies to all runs with the key, and a run starts with its first request', async () => {
  const { clock, run, make } = setUp();
  const first = run({ requestsPerMinute: 3 });
  const second = run({ requestsPerMinute: 2 });
  const replies = [make(first), make(first)];
  run({ requestsPerMinute: 1 });
  replies.push(make(first));
  await clock.run(MINUTE / 2);
  replies.push(make(first), make(second), make(first), make(first));
  await clock.run();
  const at = (await Promise.all(replies)).map((reply) => reply.at);
  expect(at).toEqual([0, 0, 0, WINDOW, WINDOW, 2 * WINDOW, 2 * WINDOW]);
});

test("A run that sets no limit leaves the key's as it is, and slows no other run", async () => {
  const { clock, run, make } = setUp();
  const list = run({ requestsPerMinute: 6_000 });
  const other = run({ requestsPerMinute: null });
  const first = [make(list), make(other)];
  await clock.run(1);
  const rest = Array.from({ length: 100 }, async () => await make(list));
  await clock.run();
  await Promise.all([...first, ...rest]);
  expect(clock.now()).toBe(1);
});

const lost: Reply = { kind: 'uncertain', failure: failure('connectionLost') };

describe('The balance', () => {
  const answered = (httpStatus: number): Reply => ({ kind: 'uncertain', failure: { ...lost.failure, httpStatus } });
  const wrongKey = rejected(failure('apiKeyInvalid'), { fromService: true });

  test.each<[what: string, replies: Reply[], asked: number, at: number, maxWait?: number]>([
    ['again, after growing waits, until the service answers', [lost, answered(503), answered(409), accepted], 4, 7_000],
    ['until the service refuses', [answered(500), wrongKey], 2, 1_000],
    ['again for Max Wait at most', [lost], 4, 7_000, 7_000],
    ['once with a Max Wait of 0', [lost], 1, 0, 0],
    ['once if a page of another server is the answer', [answered(200)], 1, 0],
    ['once if a redirect leaves the result open', [answered(303)], 1, 0],
    ['once if it is rejected', [wrongKey], 1, 0],
    ['once if a page rejects the request', [rejected(failure('notFound', { status: 404 }))], 1, 0],
    ['once if nothing listens at the address', [rejected(failure('notConnected'))], 1, 0],
  ])('is read %s', async (_what, replies, asked, at, maxWait = 5 * MINUTE) => {
    const { clock, run } = setUp();
    let reads = 0;
    const last = replies.at(-1) ?? accepted;
    const reply = run({ maxWait }, () => replies[reads++] ?? last).readBalance();
    await clock.run();
    expect([reads, await reply, clock.now()]).toEqual([asked, last, at]);
  });
});

test('The balance is waited for no longer than Max Wait, with the waits of 429s after lost answers', async () => {
  const { clock, run } = setUp();
  const read = run({}, () => (clock.now() < 4 * MINUTE ? lost : refusal(after(290)))).readBalance();
  await clock.run();
  expect([(await read).kind, clock.now() < 5 * MINUTE]).toEqual(['rejected', true]);
});

test('The first reason for which a run is halted counts', () => {
  const requests = setUp().run();
  expect(requests.whyHalted).toBeNull();
  requests.halt(RATE_LIMITED);
  requests.halt(failure('stopped'));
  expect(requests.whyHalted).toBe(RATE_LIMITED);
});

describe('A request that is not made leaves its slot to the next one', () => {
  test('if it is called off', async () => {
    const { clock, run, make } = setUp();
    const requests = run({ requestsPerMinute: 1 });
    // It never had permission, so there is nothing to report.
    const { flight, log } = flightWith(async () => await Promise.resolve(false));
    await expect(requests.make({ endpoint: GET_BALANCE }, flight)).rejects.toThrow();
    expect([log, requests.made]).toEqual([[], 0]);
    expect((await make(requests)).kind).toBe('accepted');
    expect(clock.now()).toBe(0);
  });

  test('and its flight ends, if the run is halted while the journal stores it', async () => {
    const { run } = setUp();
    const requests = run();
    const { flight, log } = flightWith(async () => {
      requests.halt(failure('stopped'));
      return await Promise.resolve(true);
    });
    await expect(requests.make({ endpoint: GET_BALANCE }, flight)).rejects.toThrow();
    expect([log, requests.made]).toEqual([['after'], 0]);
  });
});

afterEach(() => jest.restoreAllMocks());

test('A wait does not start in a stopped run', async () => {
  await expect(waitUnless(AbortSignal.abort(new Error('stopped')))(1)).rejects.toThrow('stopped');
});

test('A wait leaves no listeners behind, however often a run waits', async () => {
  const added = jest.spyOn(EventTarget.prototype, 'addEventListener');
  const removed = jest.spyOn(EventTarget.prototype, 'removeEventListener');
  const wait = waitUnless(new AbortController().signal);
  for (let count = 0; count < 20; count += 1) await wait(Promise.resolve());
  expect(added).toHaveBeenCalledTimes(20);
  expect(removed).toHaveBeenCalledTimes(20);
});
