/** Whom a refusal harms: the messages that it is about, and no others. */
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { refusing, send, type Service, withoutNames } from './dispatchRun';
import { acceptAll, failureWith, rejectWith, upTo } from './samples';

/** A page of a firewall. */
const BLOCKED = rejectWith(
  { code: 'FORBIDDEN', httpStatus: 403, scope: 'unclear', message: 'Not allowed' },
  {},
  { fromService: false },
);
const NOT_FOUND = rejectWith({ code: 'NOT_FOUND', httpStatus: 404, scope: 'unclear', message: 'No such address' });
const REDIRECTED = rejectWith({ code: 'REDIRECTED', httpStatus: 302, scope: 'unclear', message: 'No such address' });
const LIMITED = rejectWith({ ...failure('rateLimited', { perMinute: 60, wait: 'a minute' }), httpStatus: 429 });

/** A service that gives this answer to every request with one of these items. */
const answering =
  (answer: Reply, ...items: number[]): Service =>
  (messages) =>
    messages.some(({ item }) => items.includes(item)) ? answer : acceptAll(messages);

test.each([false, true])(
  'A 429 that outlasts Max Wait ends the run, without reading the balance (On Error set to Stop: %s)',
  async (stopOnFailure) => {
    const run = await send(8, 2, answering(LIMITED, 2), { maxWait: 10_000, stopOnFailure });
    // Repeated after 1, 2 and 4 seconds.
    expect(run.requests.map(([first]) => first)).toEqual([0, 2, 2, 2, 2]);
    expect(run.time).toBe(1_007_000);
    expect(run.balances).toBe(0);
    expect(run.items('sent')).toEqual([0, 1]);
    expect(run.failureOf(7)).toMatch(/^RATE_LIMITED: The rate limit is reached/);
  },
);

describe('An answer that may be about the run or about one request', () => {
  const FROM_12 = upTo(30).slice(12);

  test.each([0, 12])('fails one message alone if the balance is still reported: %i of 30', async (item) => {
    const run = await send(30, 1, answering(BLOCKED, item));
    expect(run.items('not_sent')).toEqual([item]);
    expect(run.items('sent')).toHaveLength(29);
    expect(run.failureOf(item)).toMatch(/^FORBIDDEN: .* rejected this message \(HTTP 403\)$/);
    expect(run.balances).toBe(1);
  });

  test.each<[string, Reply, number]>([
    ['if the balance is refused as well', BLOCKED, 1],
    ['if the balance has no answer', { kind: 'uncertain', failure: failureWith() }, 1],
    ['after three in a row, whatever the balance', acceptAll([]), 3],
  ])('ends the run %s', async (_when, balance, refused) => {
    const run = await send(30, 1, answering(BLOCKED, ...FROM_12), { balance: () => balance });
    expect([run.requests.length, run.balances]).toEqual([12 + refused, 1]);
    expect(run.items('not_sent')).toEqual(FROM_12);
    expect(run.failureOf(29)).toBe('FORBIDDEN: Not allowed');
  });

  test('does not end the run if messages are sent between', async () => {
    const refused = [1, 2, 4, 5, 7, 8, 10, 11];
    expect((await send(30, 1, answering(BLOCKED, ...refused))).items('not_sent')).toEqual(refused);
  });

  test('is searched for its cause in a batch', async () => {
    const run = await send(250, 100, answering(BLOCKED, 0, 77));
    expect(run.items('not_sent')).toEqual([0, 77]);
    expect(run.failureOf(77)).toMatch(/rejected this message/);
  });

  test.each([
    ['NOT_FOUND', NOT_FOUND],
    ['REDIRECTED', REDIRECTED],
  ])('is not searched in a batch if it is about the address: %s', async (code, answer) => {
    const run = await send(8, 4, answering(answer, 0));
    expect(run.report).toEqual({ requests: '0-3 | 4-7', not_sent: '0-3', sent: '4-7' });
    expect(run.failureOf(0)).toBe(`${code}: No such address`);
  });

  test('does not become the reason of a run that the user stops meanwhile', async () => {
    const stop = new AbortController();
    const service: Service = () => (stop.abort(), BLOCKED);
    const run = await send(2, 1, service, { signal: stop.signal });
    expect(run.failureOf(1)).toMatch(/^STOPPED/);
  });

  test('ends a run with On Error set to Stop without another request', async () => {
    const run = await send(8, 1, answering(BLOCKED, 2), { stopOnFailure: true });
    expect([run.requests.length, run.balances]).toEqual([3, 0]);
    expect(run.failureOf(2)).toBe('FORBIDDEN: Not allowed');
  });
});

describe('A refusal that is about everything', () => {
  const everything = rejectWith({ code: 'VALIDATION_ERROR', httpStatus: 422 });

  test.each([300, 10_000])('costs some 20 requests more than one for each batch, for %i messages', async (count) => {
    const run = await send(count, 100, () => everything);
    expect(run.requests.length).toBeLessThanOrEqual(count / 100 + 21);
    expect(run.items('not_sent')).toHaveLength(count);
  });

  test('costs no more if it begins in the middle of a campaign, with requests at the same time', async () => {
    const service: Service = (messages, request) => (request <= 30 ? acceptAll(messages) : everything);
    const run = await send(6_000, 100, service, { parallelRequests: 16 });
    expect(run.requests.length).toBeLessThanOrEqual(60 + 21);
    expect(run.items('sent')).toHaveLength(3_000);
  });

  test('does not keep batches from being sent once it is over, nor from being searched', async () => {
    const wrong = 2_950;
    const service: Service = (messages, request) =>
      request <= 40 || messages.some(({ item }) => item === wrong) ? everything : acceptAll(messages);
    const run = await send(3_000, 100, service);
    expect(run.items('not_sent').filter((item) => item >= 2_000)).toEqual([wrong]);
  });
});

test('Culprits in many batches that are under way at the same time are found, and all others are sent', async () => {
  const culprits = upTo(16).map((batch) => 100 * batch + 37);
  const run = await send(1_600, 100, refusing(culprits, withoutNames), { parallelRequests: 16 });
  expect(run.items('not_sent')).toEqual(culprits);
  expect(run.items('sent')).toHaveLength(1_600 - culprits.length);
});
