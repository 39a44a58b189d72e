/** The harm of the service's failures: messages that an outage makes uncertain, or that a rejection keeps back. */
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { refusing, replying, send, type Service, withoutNames } from './dispatchRun';
import { acceptAll, failureWith, rejectWith, upTo } from './samples';

const LOST: Reply = {
  kind: 'uncertain',
  failure: failureWith({ code: 'SERVER_ERROR', httpStatus: 503, message: 'It is out of order' }),
};
const PAGE: Reply = rejectWith({ code: 'FORBIDDEN', httpStatus: 403 }, {}, { fromService: false });
const REFUSED = rejectWith({ code: 'INVALID_API_KEY', httpStatus: 401, scope: 'run' });

const lostFrom =
  (first: number): Service =>
  (messages, request) =>
    request < first ? acceptAll(messages) : LOST;
const losing = (...numbers: number[]) => replying(Object.fromEntries(numbers.map((number) => [number, LOST])));

describe('After an uncertain reply', () => {
  test('the balance is read before another message is risked, and the run goes on once it is reported', async () => {
    const run = await send(8, 2, losing(2));
    expect(run.balances).toBe(1);
    expect(run.report).toEqual({ requests: '0-1 | 2-3 | 4-5 | 6-7', sent: '0-1 4-7', uncertain: '2-3' });
  });

  test.each<[string, Reply]>([
    ['is lost as well', LOST],
    ['is a page', PAGE],
  ])('nothing more is sent if the answer to the balance %s', async (_what, answer) => {
    const run = await send(8, 2, lostFrom(1), { balance: () => answer });
    expect(run.report).toEqual({ requests: '0-1', uncertain: '0-1', not_sent: '2-7' });
    expect(run.failureOf(7)).toBe('SERVICE_DOWN: The service is down');
    expect(run.whyNot(7)?.advice).toMatch(/Wait until the service works again/);
  });

  test("a rejection in the API's envelope shows that the service works", async () => {
    expect((await send(4, 2, losing(1), { balance: () => REFUSED })).items('sent')).toEqual([2, 3]);
  });

  test('the balance is read again, as long as Max Wait allows', async () => {
    const balance = (request: number) => (request > 4 ? acceptAll([]) : LOST);
    const run = async (maxWait: number) => await send(4, 2, losing(1), { balance, maxWait });
    expect((await run(15_000)).items('sent')).toEqual([2, 3]);
    expect((await run(14_999)).items('not_sent')).toEqual([2, 3]);
  });

  const mixed: Service = (_messages, request) => (request % 2 === 1 ? LOST : rejectWith({}));
  test.each<[what: string, size: number, service: Service, uncertain: number, down: number]>([
    ['three in a row end the run, even if the balance is reported', 2, lostFrom(1), 6, 14],
    ['a message that was sent starts the count again', 2, losing(1, 2, 4, 5, 7, 8), 12, 0],
    ['a rejected message does not start the count again, because it risked nothing', 1, mixed, 3, 15],
  ])('%s', async (_what, size, service, uncertain, down) => {
    const run = await send(20, size, service);
    const unsent = upTo(20).filter((item) => run.failureOf(item).startsWith('SERVICE_DOWN'));
    expect([run.items('uncertain').length, unsent.length]).toEqual([uncertain, down]);
  });
});

describe('An outage in the middle of a campaign', () => {
  const PARALLEL = { parallelRequests: 5, duration: 10 };

  test.each([
    ['counts what was in flight at the same time as one uncertain reply, so a short outage ends nothing', 6, 8, 1],
    // Four were in flight; then one was risked alone.
    ['is followed by one request at a time, until one is accepted', 7, 10, 2],
  ])('%s', async (_what, last, uncertain, balances) => {
    const run = await send(60, 2, losing(...[3, 4, 5, 6, 7].filter((request) => request <= last)), PARALLEL);
    expect(run.items('uncertain')).toHaveLength(uncertain);
    expect(run.items('sent')).toHaveLength(60 - uncertain);
    expect(run.balances).toBe(balances);
  });
});

const after = (uncertainInARow: number) => ({ outages: { uncertainInARow, note: () => undefined } });

test('An attempt after one that ended uncertain continues to count, so that all attempts together risk no more than one', async () => {
  expect((await send(8, 2, lostFrom(1), after(2))).requests).toHaveLength(1);
  const third = await send(8, 2, lostFrom(1), after(3));
  expect([third.requests.length, third.balances]).toEqual([0, 0]);
  expect(third.failureOf(0)).toMatch(/^SERVICE_DOWN/);
});

const LIMITED = rejectWith({ ...failure('rateLimited', { wait: 'a minute' }), httpStatus: 429 });

const answering =
  (answer: Reply, ...items: number[]): Service =>
  (messages) =>
    messages.some(({ item }) => items.includes(item)) ? answer : acceptAll(messages);

test.each([false, true])('A 429 beyond Max Wait ends the run, balance unread (Stop: %s)', async (stopOnFailure) => {
  const run = await send(8, 2, answering(LIMITED, 2), { maxWait: 10_000, stopOnFailure });
  // Repeated after 1, 2 and 4 seconds.
  expect(run.requests.map(([first]) => first)).toEqual([0, 2, 2, 2, 2]);
  expect(run.clock.now()).toBe(7_000);
  expect(run.balances).toBe(0);
  expect(run.items('sent')).toEqual([0, 1]);
  expect(run.failureOf(7)).toMatch(/^RATE_LIMITED: The rate limit is reached/);
});

describe('A rejection that concerns everything', () => {
  const everything = rejectWith({ code: 'VALIDATION_ERROR', httpStatus: 422 });

  test.each([300, 10_000])('costs some 20 requests more than one for each batch, for %i messages', async (count) => {
    const run = await send(count, 100, () => everything);
    expect(run.requests.length).toBeLessThanOrEqual(count / 100 + 21);
    expect(run.items('not_sent')).toHaveLength(count);
  });

  test('costs no more if it begins in the middle of a campaign, with concurrent requests', async () => {
    const service: Service = (messages, request) => (request <= 30 ? acceptAll(messages) : everything);
    const run = await send(6_000, 100, service, { parallelRequests: 16 });
    expect(run.requests.length).toBeLessThanOrEqual(60 + 21);
    expect(run.items('sent')).toHaveLength(3_000);
  });

  test('once it is over, keeps no batch from being sent or searched', async () => {
    const wrong = 2_950;
    const service: Service = (messages, request) =>
      request <= 40 || messages.some(({ item }) => item === wrong) ? everything : acceptAll(messages);
    const run = await send(3_000, 100, service);
    expect(run.items('not_sent').filter((item) => item >= 2_000)).toEqual([wrong]);
  });
});

test('Offenders in many concurrent batches are found, and all other messages are sent', async () => {
  const culprits = upTo(16).map((batch) => 100 * batch + 37);
  const run = await send(1_600, 100, refusing(culprits, withoutNames), { parallelRequests: 16 });
  expect(run.items('not_sent')).toEqual(culprits);
  expect(run.items('sent')).toHaveLength(1_600 - culprits.length);
});
