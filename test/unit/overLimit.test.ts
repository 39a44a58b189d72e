/** A 429 that is about one request and not about how many there are. */
import { readReply, type Reply } from '../../nodes/MessagingSend/api/reply';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { Run, type Service, upTo } from './dispatchRun';
import { acceptAll, messagesUpTo, refuseValues } from './samples';

const LIMITED: Reply = {
  kind: 'rejected',
  failure: failure('rateLimited', { perMinute: 60, wait: 'a minute' }, { httpStatus: 429 }),
  error: {},
  fromService: true,
  retryable: false,
  retryAfter: null,
};

/** A service that refuses a request with one of these items as over a limit, as often as it comes. */
const limiting =
  (...items: number[]): Service =>
  (messages) =>
    messages.some(({ item }) => items.includes(item)) ? LIMITED : acceptAll(messages);

describe('A request that is refused as over the limit for as long as Max Wait', () => {
  test('is the only one that is not sent, if the service reports the balance', async () => {
    const run = await new Run(limiting(3), { maxWait: 10_000 }).send(messagesUpTo(8), 2);
    expect(run.items('not_sent')).toEqual([2, 3]);
    expect(run.items('sent')).toEqual([0, 1, 4, 5, 6, 7]);
    expect(run.balances).toBe(1);
    expect(run.failureOf(3)).toBe(
      'RATE_LIMITED: The service accepts other requests, but not this one: it exceeds a limit (HTTP 429)',
    );
  });

  test('ends the run if the balance is refused in the same way, once and without another wait', async () => {
    const run = await new Run(limiting(...upTo(8)), { maxWait: 10_000, balance: () => LIMITED }).send(
      messagesUpTo(8),
      2,
    );
    expect(run.items('not_sent')).toEqual(upTo(8));
    expect(run.balances).toBe(1);
    // After 1, 2 and 4 seconds.
    expect(run.requests).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    expect(run.time).toBe(1_007_000);
  });

  test('ends the run as the third in a row', async () => {
    const run = await new Run(limiting(...upTo(20))).send(messagesUpTo(20), 2);
    expect(run.requests).toHaveLength(3);
    expect(run.items('not_sent')).toEqual(upTo(20));
    expect(run.failureOf(19)).toMatch(/^RATE_LIMITED: The rate limit is reached/);
  });

  test('does not end the run in the search for the messages that cause a refusal', async () => {
    const service: Service = (messages, request) =>
      messages.some(({ item }) => item === 0) ? refuseValues('Something is wrong') : limiting(3)(messages, request);
    const run = await new Run(service).send(messagesUpTo(8), 4);
    expect(run.items('sent')).toEqual([1, 4, 5, 6, 7]);
  });

  test('ends a run with On Error set to Stop without reading the balance', async () => {
    const run = await new Run(limiting(0), { stopOnFailure: true }).send(messagesUpTo(4), 2);
    expect([run.requests.length, run.balances]).toEqual([1, 0]);
  });
});

describe('A 429 whose details name', () => {
  const codeOf = (details: unknown) => {
    const body = JSON.stringify({ success: false, error: { code: 'LIMIT_EXCEEDED', message: 'Too much', details } });
    const reply = readReply({ statusCode: 429, body, headers: {} }, 'key', 2);
    return reply.kind === 'rejected' ? reply.failure.code : reply.kind;
  };

  test('the text of a message is about that message, and is not waited out', () => {
    expect(codeOf([{ field: 'messages.3.message', message: 'is too long' }])).toBe('VALIDATION_ERROR');
    expect(codeOf({ 'messages[3].message': ['is too long'] })).toBe('VALIDATION_ERROR');
  });

  test.each([
    '60 messages/1 minute',
    'message limit reached',
    [{ field: 'requests', message: '60 a minute' }],
    { limit: 60 },
  ])('something else is about the limit: %j', (details) => {
    expect(codeOf(details)).toBe('RATE_LIMITED');
  });
});
