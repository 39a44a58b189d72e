/** Whom a refusal harms: the messages that it is about, and no others. */
import type { Reply } from '../../nodes/MessagingSend/api/reply';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { type Changes, refusing, Run, type Service, upTo, withoutNames } from './dispatchRun';
import { acceptAll, failureWith, messagesUpTo, rejectWith } from './samples';

/** A page of a firewall. */
const BLOCKED = rejectWith(
  { code: 'FORBIDDEN', httpStatus: 403, scope: 'unclear', message: 'Not allowed' },
  {},
  { fromService: false },
);
const NOT_FOUND = rejectWith({ code: 'NOT_FOUND', httpStatus: 404, scope: 'unclear', message: 'No such address' });
const LIMITED = rejectWith({ ...failure('rateLimited', { perMinute: 60, wait: 'a minute' }), httpStatus: 429 });

/** A service that gives this answer to every request with one of these items. */
const answering =
  (answer: Reply, ...items: number[]): Service =>
  (messages) =>
    messages.some(({ item }) => items.includes(item)) ? answer : acceptAll(messages);

test.each([false, true])(
  'A 429 that outlasts Max Wait ends the run, without reading the balance (On Error set to Stop: %s)',
  async (stopOnFailure) => {
    const run = await new Run(answering(LIMITED, 2), { maxWait: 10_000, stopOnFailure }).send(messagesUpTo(8), 2);
    // Repeated after 1, 2 and 4 seconds.
    expect(run.requests.map(([first]) => first)).toEqual([0, 2, 2, 2, 2]);
    expect(run.time).toBe(1_007_000);
    expect(run.balances).toBe(0);
    expect(run.items('sent')).toEqual([0, 1]);
    expect(run.failureOf(7)).toMatch(/^RATE_LIMITED: The rate limit is reached/);
  },
);

describe('An answer that may be about the run or about one request', () => {
  test('fails one message alone if the balance is still reported', async () => {
    const run = await new Run(answering(BLOCKED, 12)).send(messagesUpTo(30), 1);
    expect(run.items('not_sent')).toEqual([12]);
    expect(run.items('sent')).toHaveLength(29);
    expect(run.failureOf(12)).toMatch(/^FORBIDDEN: .* rejected this message \(HTTP 403\)$/);
    expect(run.balances).toBe(1);
  });

  test('fails only the first message if it is about that one', async () => {
    const run = await new Run(answering(BLOCKED, 0)).send(messagesUpTo(5), 1);
    expect(run.items('not_sent')).toEqual([0]);
  });

  test.each<[string, Reply]>([
    ['is refused as well', BLOCKED],
    ['has no answer', { kind: 'uncertain', failure: failureWith() }],
  ])('ends the run if the balance %s', async (_what, balance) => {
    const run = await new Run(answering(BLOCKED, ...upTo(30).slice(12)), { balance: () => balance }).send(
      messagesUpTo(30),
      1,
    );
    expect(run.requests).toHaveLength(13);
    expect(run.items('not_sent')).toEqual(upTo(30).slice(12));
    expect(run.failureOf(29)).toBe('FORBIDDEN: Not allowed');
  });

  test('ends the run after three in a row, whatever the balance', async () => {
    const run = await new Run(answering(BLOCKED, ...upTo(30).slice(12))).send(messagesUpTo(30), 1);
    expect(run.requests).toHaveLength(15);
    expect(run.items('not_sent')).toEqual(upTo(30).slice(12));
  });

  test('does not end the run if messages are sent between', async () => {
    const run = await new Run(answering(BLOCKED, 1, 2, 4, 5, 7, 8, 10, 11)).send(messagesUpTo(30), 1);
    expect(run.items('not_sent')).toEqual([1, 2, 4, 5, 7, 8, 10, 11]);
  });

  test('is searched for its cause in a batch', async () => {
    const run = await new Run(answering(BLOCKED, 0, 77)).send(messagesUpTo(250));
    expect(run.items('not_sent')).toEqual([0, 77]);
    expect(run.failureOf(77)).toMatch(/rejected this message/);
  });

  test('is not searched in a batch if it is about the address', async () => {
    const run = await new Run(answering(NOT_FOUND, 0)).send(messagesUpTo(8), 4);
    expect(run.requests).toHaveLength(2);
    expect(run.items('not_sent')).toEqual([0, 1, 2, 3]);
    expect(run.failureOf(0)).toBe('NOT_FOUND: No such address');
  });

  test('ends a run with On Error set to Stop without another request', async () => {
    const run = await new Run(answering(BLOCKED, 2), { stopOnFailure: true }).send(messagesUpTo(8), 1);
    expect(run.requests).toHaveLength(3);
    expect(run.balances).toBe(0);
    expect(run.failureOf(2)).toBe('FORBIDDEN: Not allowed');
  });
});

test.each([
  ['400', rejectWith({ code: 'HTTP_400', httpStatus: 400 })],
  ['409 with a code of its own', rejectWith({ httpStatus: 409 })],
  ['413', rejectWith({ code: 'HTTP_413', httpStatus: 413 })],
  ['422', rejectWith({ code: 'VALIDATION_ERROR', httpStatus: 422 })],
])('A batch that is refused with %s is searched for the cause', async (_name, answer) => {
  const run = await new Run(answering(answer, 42)).send(messagesUpTo(100));
  expect(run.items('not_sent')).toEqual([42]);
  expect(run.items('sent')).toHaveLength(99);
});

describe('A refusal that is about everything', () => {
  const everything = rejectWith({ code: 'VALIDATION_ERROR', httpStatus: 422 });

  test.each([
    [300, 3],
    [10_000, 100],
  ])('costs some 20 requests more than one for each batch, for %i messages', async (count, batches) => {
    const run = await new Run(() => everything).send(messagesUpTo(count));
    expect(run.requests.length).toBeLessThanOrEqual(batches + 21);
    expect(run.items('not_sent')).toHaveLength(count);
  });

  test('costs no more if it begins in the middle of a campaign, with requests at the same time', async () => {
    const changes: Changes = { parallelRequests: 16 };
    const service: Service = (messages, request) => (request <= 30 ? acceptAll(messages) : everything);
    const run = await new Run(service, changes).send(messagesUpTo(6_000));
    expect(run.requests.length).toBeLessThanOrEqual(60 + 21);
    expect(run.items('sent')).toHaveLength(3_000);
  });

  test('does not keep batches from being sent once it is over, nor from being searched', async () => {
    const wrong = 2_950;
    const service: Service = (messages, request) =>
      request <= 40 || messages.some(({ item }) => item === wrong) ? everything : acceptAll(messages);
    const run = await new Run(service).send(messagesUpTo(3_000));
    expect(run.items('not_sent').filter((item) => item >= 2_000)).toEqual([wrong]);
  });
});

describe('Culprits among good messages', () => {
  test.each<[string, number[]]>([
    ['the first one', [0]],
    ['the last one', [99]],
    ['the first ten', upTo(10)],
    ['the last ten', upTo(10).map((index) => 90 + index)],
    ['every seventh', upTo(100).filter((index) => index % 7 === 3)],
    ['one in each of many batches that are under way at the same time', upTo(16).map((batch) => 100 * batch + 37)],
  ])('are found, and all others are sent: %s', async (_which, culprits) => {
    const count = Math.max(100, ...culprits.map((culprit) => culprit + 1));
    const run = await new Run(refusing(culprits, withoutNames), { parallelRequests: 16 }).send(messagesUpTo(count));
    expect(run.items('not_sent')).toEqual(culprits);
    expect(run.items('sent')).toHaveLength(count - culprits.length);
  });
});
