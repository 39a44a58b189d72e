import { keyMask } from '../../nodes/MessagingSend/api/keyMask';
import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { readReply, type Reply } from '../../nodes/MessagingSend/api/reply';
import { SEND, SEND_BULK } from '../../nodes/MessagingSend/delivery/operation';
import { KEY } from '../support/account';
import { phoneAt } from '../support/contacts';
import { listOf, messagesUpTo, ODD_VALUES } from './samples';

const MASK = keyMask(KEY);

function answer(statusCode: number, body: unknown, headers: JsonRecord = {}, messages = 2): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readReply({ statusCode, body: text, headers }, MASK, messages);
}

/** The kind of a reply, with the code and the scope of its failure. */
function summaryOf(reply: Reply): string {
  return reply.kind === 'accepted' ? 'accepted' : `${reply.kind} ${reply.failure.code} ${reply.failure.scope}`;
}

function refusal(code: unknown, more: JsonRecord = {}): JsonRecord {
  return { success: false, error: { code, message: 'No', ...more } };
}

const SENT = { success: true, data: { message_id: 7, status: 'sent' } };
const PAGE = '<html><body><h1>Bad Gateway</h1></body></html>';

describe('An answer', () => {
  const MEANINGS: Array<[what: string, statusCode: number, body: unknown, meaning: string]> = [
    ['a message that was sent', 201, SENT, 'accepted'],
    ['a message that was sent, and status 200', 200, SENT, 'accepted'],
    ['success: false and the code of a wrong key', 200, refusal('INVALID_API_KEY'), 'rejected INVALID_API_KEY run'],
    ['success: false and no credits', 201, refusal('INSUFFICIENT_CREDITS'), 'rejected INSUFFICIENT_CREDITS run'],
    ['success: false and wrong values', 200, refusal('VALIDATION_ERROR'), 'rejected VALIDATION_ERROR request'],
    ['success: false and the code of a failure', 200, refusal('SERVER_ERROR'), 'uncertain SERVER_ERROR request'],
    ['success: false and an unknown code', 200, refusal('BLOCKED_CONTENT'), 'rejected BLOCKED_CONTENT request'],
    ['success: false and nothing else', 200, { success: false }, 'rejected REFUSED request'],
    ['an empty body', 201, '', 'uncertain UNREADABLE_ANSWER request'],
    ['status 204', 204, '', 'uncertain UNREADABLE_ANSWER request'],
    ['truncated JSON', 201, JSON.stringify(SENT).slice(0, -5), 'uncertain UNREADABLE_ANSWER request'],
    ['a page', 200, PAGE, 'uncertain UNREADABLE_ANSWER request'],
    ['the JSON of another API', 200, { status: 'ok', results: [] }, 'uncertain UNREADABLE_ANSWER request'],
    ['a JSON list', 201, [SENT], 'uncertain UNREADABLE_ANSWER request'],
    ['success and no data', 201, { success: true }, 'uncertain UNREADABLE_ANSWER request'],
    ['success and a list as data', 201, { success: true, data: [] }, 'uncertain UNREADABLE_ANSWER request'],
    ['success as a text', 201, { success: 'true', data: {} }, 'uncertain UNREADABLE_ANSWER request'],
    ['status 401 and a missing key', 401, refusal('MISSING_API_KEY'), 'rejected MISSING_API_KEY run'],
    ['status 401 and a wrong key', 401, refusal('INVALID_API_KEY'), 'rejected INVALID_API_KEY run'],
    ['status 401 and no body', 401, '', 'rejected INVALID_API_KEY run'],
    ['status 401 and a page', 401, PAGE, 'rejected INVALID_API_KEY run'],
    ['status 402', 402, refusal('INSUFFICIENT_CREDITS'), 'rejected INSUFFICIENT_CREDITS run'],
    ['status 402 and no body', 402, '', 'rejected INSUFFICIENT_CREDITS run'],
    ['status 422', 422, refusal('VALIDATION_ERROR'), 'rejected VALIDATION_ERROR request'],
    ['status 422 and the code in lower case', 422, refusal('validation-error'), 'rejected VALIDATION_ERROR request'],
    ['status 422 and a text', 422, { success: false, error: 'Invalid' }, 'rejected VALIDATION_ERROR request'],
    ['status 429 and no body', 429, '', 'rejected RATE_LIMITED run'],
    ['status 429 and any code', 429, refusal('SERVER_ERROR'), 'rejected RATE_LIMITED run'],
    ['a redirect', 302, '', 'rejected REDIRECTED unclear'],
    ['a permanent redirect', 308, PAGE, 'rejected REDIRECTED unclear'],
    ['status 403', 403, '', 'rejected FORBIDDEN unclear'],
    ['status 404', 404, PAGE, 'rejected NOT_FOUND unclear'],
    ['status 405', 405, '', 'rejected NOT_FOUND unclear'],
    ['status 400', 400, '', 'rejected HTTP_400 request'],
    ['status 406 and a page', 406, PAGE, 'rejected HTTP_406 unclear'],
    ['status 413', 413, PAGE, 'rejected HTTP_413 request'],
    ['status 500', 500, refusal('SERVER_ERROR'), 'uncertain SERVER_ERROR request'],
    ['status 500 and no body', 500, '', 'uncertain HTTP_500 request'],
    ['status 502 and a page', 502, PAGE, 'uncertain HTTP_502 request'],
    ['status 503', 503, '', 'uncertain HTTP_503 request'],
    ['status 504', 504, PAGE, 'uncertain HTTP_504 request'],
    ['status 500 and the code of a refusal', 500, refusal('VALIDATION_ERROR'), 'uncertain VALIDATION_ERROR request'],
    ['status 500 and success', 500, SENT, 'uncertain SERVER_ERROR request'],
    ['status 400 and the code of a failure', 400, refusal('SERVER_ERROR'), 'uncertain SERVER_ERROR request'],
  ];
  test.each(MEANINGS)('with %s (%i) is read by what it means', (_what, statusCode, body, meaning) => {
    expect(summaryOf(answer(statusCode, body))).toBe(meaning);
  });

  test.each([
    [401, 'run'],
    [402, 'run'],
    [403, 'unclear'],
    [409, 'request'],
  ])('with status %i and an unknown code concerns: %s', (statusCode, scope) => {
    expect(answer(statusCode, refusal('ACCOUNT_ON_HOLD'))).toMatchObject({ kind: 'rejected', failure: { scope } });
  });

  test.each<[string, number, unknown, boolean]>([
    ['the envelope', 401, refusal('INVALID_API_KEY'), true],
    ['an error without the rest of the envelope', 404, { error: 'Not found' }, true],
    ['the limit, with any body', 429, '', true],
    ['a page', 403, PAGE, false],
    ['other JSON', 403, { reason: 'blocked' }, false],
  ])('with %s is from the service or not', (_what, statusCode, body, fromService) => {
    expect(answer(statusCode, body)).toMatchObject({ kind: 'rejected', fromService });
  });

  test.each([NaN, 0, 101, 600, 999])('with the invalid status %d leaves the outcome uncertain', (statusCode) => {
    expect(answer(statusCode, '').kind).toBe('uncertain');
  });

  test.each<[string, number]>([
    ['success: false', 200],
    ['success: false', 207],
    ['an error', 402],
    ['an error', 422],
  ])('with %s, status %i and a list of what was sent never means that nothing was sent', (_what, statusCode) => {
    const messages = [{ message_id: 7, phone: phoneAt(0), status: 'sent' }, { status: 'failed' }];
    const body = { ...refusal('PARTIAL_FAILURE'), data: { messages_sent: 1, messages } };
    expect(answer(statusCode, body).kind).not.toBe('rejected');
  });

  describe('that is an error, but has', () => {
    const UNCERTAIN = ['uncertain', 'uncertain'];
    const outcomeOf = (statusCode: number, body: unknown, { outcomes } = SEND): string[] => {
      const reply = answer(statusCode, body);
      if (reply.kind === 'accepted') return outcomes(messagesUpTo(2), [reply.data]).map(({ kind }) => kind);
      return reply.kind === 'uncertain' ? outcomes(messagesUpTo(2), [{}]).map(() => 'uncertain') : [summaryOf(reply)];
    };

    test.each([200, 201, 202, 400, 409])('a message_id leaves its message uncertain with status %i', (statusCode) => {
      expect(outcomeOf(statusCode, { success: false, data: { message_id: 7 } })).toEqual(['uncertain']);
      for (const status of [undefined, 'sent', 'failed']) {
        const body = { ...refusal('NOT_CONNECTED'), data: { message_id: 7, status } };
        expect(outcomeOf(statusCode, body)).toEqual(['uncertain']);
      }
    });

    test('the status sent leaves its message uncertain, whatever the code', () => {
      const data = { status: 'sent' };
      expect(outcomeOf(400, { ...refusal('NOT_CONNECTED'), data })).toEqual(['uncertain']);
      expect(outcomeOf(422, { ...refusal('VALIDATION_ERROR'), data })).toEqual(['uncertain']);
    });

    test('a code of the document means what the code says', () => {
      const body = { ...refusal('INSUFFICIENT_CREDITS'), data: { message_id: 7, status: 'failed' } };
      expect(outcomeOf(402, body)).toEqual(['rejected INSUFFICIENT_CREDITS run']);
    });

    test('a number of messages that were sent leaves all of the batch uncertain', () => {
      const outcomes = (statusCode: number, code: string, count: number) =>
        outcomeOf(statusCode, { ...refusal(code), data: { messages_sent: count } }, SEND_BULK);
      expect(outcomes(200, 'NOT_ALL_SENT', 1)).toEqual(UNCERTAIN);
      expect(outcomes(402, 'INSUFFICIENT_CREDITS', 1)).toEqual(UNCERTAIN);
      expect(outcomes(200, 'NOT_ALL_SENT', 0)).toEqual(['rejected NOT_ALL_SENT request']);
    });

    const ENTRIES = [
      { message_id: 7, status: 'sent' },
      { message_id: null, status: 'failed' },
    ];
    const SOME = { code: 'SOME_MESSAGES_FAILED', message: 'Some failed' };
    test.each<[string, JsonRecord]>([
      ['its error', { error: { ...SOME, messages: ENTRIES } }],
      ['the details of its error', { error: { ...SOME, details: { messages: ENTRIES } } }],
      ['the envelope', { error: SOME, messages_sent: 1, messages: ENTRIES }],
      ['its data, by another name', { error: SOME, data: { results: ENTRIES } }],
      ['place of its data', { error: SOME, data: ENTRIES }],
      ['the envelope, without IDs', { error: SOME, results: [{ status: 'ok' }, { status: 'ok' }] }],
    ])('a list of entries in %s leaves all of the batch uncertain', (_where, body) => {
      for (const statusCode of [207, 400, 422])
        expect(outcomeOf(statusCode, { success: false, ...body }, SEND_BULK)).toEqual(UNCERTAIN);
      expect(answer(422, { success: false, ...body })).toMatchObject({
        kind: 'uncertain',
        failure: { code: 'NOT_CONFIRMED', httpStatus: 422, serviceSays: 'Some failed' },
      });
    });

    test("the API's list of entries gives each message the outcome of its entry", () => {
      for (const statusCode of [207, 400, 422]) {
        const body = { success: false, error: SOME, data: { messages: ENTRIES } };
        expect(outcomeOf(statusCode, body, SEND_BULK)).toEqual(['sent', 'not_sent']);
      }
    });

    test.each<[string, JsonRecord]>([
      ['its error', { error: { ...SOME, messages_sent: 1, details: [{ index: 1, message: 'No account' }] } }],
      ['its data, as a text', { error: SOME, data: { messages_sent: '1' } }],
      ['the envelope', { error: SOME, messagesSent: 1 }],
      ['other words', { error: { ...SOME, sent_count: 1 } }],
      ['a list of those that were sent', { error: { ...SOME, sent: [phoneAt(0)], failed: [phoneAt(1)] } }],
      ['a list of IDs', { error: SOME, data: { results: [{ message_id: 7 }] } }],
    ])('a number of messages that were sent in %s leaves all of the batch uncertain', (_where, body) => {
      for (const statusCode of [207, 400])
        expect(outcomeOf(statusCode, { success: false, ...body }, SEND_BULK)).toEqual(UNCERTAIN);
      expect(outcomeOf(400, { success: false, ...body })).toEqual(['uncertain']);
    });

    test.each<[number, string]>([
      [402, 'INSUFFICIENT_CREDITS'],
      [422, 'VALIDATION_ERROR'],
      [429, 'RATE_LIMITED'],
    ])('status %i and entries means what the code says, unless one of them was sent', (statusCode, code) => {
      const outcomes = (data: unknown) => outcomeOf(statusCode, { ...refusal(code), data }, SEND_BULK);
      const rejected = [expect.stringContaining(`rejected ${code}`)];
      const pending = [7, 8].map((id) => ({ message_id: id, status: 'pending' }));
      expect(outcomes({ messages_sent: 0, messages: pending })).toEqual(rejected);
      expect(outcomes({ messages: [{ status: 'ok' }, { status: 'ok' }] })).toEqual(rejected);
      for (const status of ['ok', 'success', 'processing', 'unknown']) {
        expect(outcomes({ messages: [{ status }, { status: 'failed' }] })).toEqual(UNCERTAIN);
        expect(outcomes({ messages_sent: 0, messages: [{ status }, { status: 'failed' }] })).toEqual(rejected);
      }
      expect(outcomes({ messages: [{ message_id: 7, status: 'failed' }] })).toEqual(rejected);
      expect(outcomes({ messages_sent: 1, messages: [{ status: 'ok' }, { status: 'ok' }] })).toEqual(UNCERTAIN);
      for (const messages of [
        pending,
        [{ message_id: 7 }, { message_id: 8 }],
        [{ message_id: 7, status: 'submitted' }, { status: 'failed' }],
        [{ status: 'queued' }, { status: 'failed' }],
        [{ status: 'Sent' }, { status: 'pending' }],
      ]) {
        expect(outcomes({ messages })).toEqual(UNCERTAIN);
      }
    });

    test.each<[number, JsonRecord]>([
      [403, refusal('QUOTA_EXCEEDED', { details: { quota: 10_000, sent: 2 } })],
      [403, refusal('DAILY_LIMIT_REACHED', { limit: 1, messages_sent: 1 })],
      [429, refusal('TOO_MANY', { limit: 60, messages_sent: 2, reset_in: 12 })],
      [402, refusal('INSUFFICIENT_CREDITS', { usage: { messages_sent: 1 } })],
      [403, refusal('ACCOUNT_SUSPENDED', { account: { total_sent: 1 } })],
      [403, refusal('SUSPENDED', { total_sent: 51_234 })],
      [402, refusal('INSUFFICIENT_CREDITS', { orders: [{ status: 'pending' }, { status: 'pending' }] })],
      [403, refusal('NOT_CONNECTED', { instances: [{ status: 'pending' }] })],
      [400, refusal('INVALID', { message_id: 'errors.phone.invalid' })],
    ])('figures and states of the account are no sign that something was sent (%i, %j)', (statusCode, body) => {
      expect(answer(statusCode, body).kind).toBe('rejected');
    });

    test('counts and entries mean nothing in the answer to a request without messages', () => {
      const body = { ...refusal('NOT_ALLOWED'), data: { messages_sent: 1, results: [{ message_id: 7 }] } };
      expect(answer(403, body, {}, 0).kind).toBe('rejected');
      expect(answer(403, body).kind).toBe('uncertain');
    });

    test('complaints with a status of HTTP are no entries', () => {
      const errors = [{ status: '422', source: { pointer: '/messages/1/phone' }, title: 'Invalid' }];
      const outcomes = outcomeOf(422, refusal('VALIDATION_ERROR', { errors }), SEND_BULK);
      expect(outcomes).toEqual(['rejected VALIDATION_ERROR request']);
    });
  });

  const CODES = ['INTERNAL_ERROR', 'INTERNAL_SERVER_ERROR', 'TIMEOUT', 'GATEWAY_TIMEOUT'];
  test.each(CODES)('with success: false and the code %s leaves the outcome uncertain', (code) => {
    expect(answer(200, refusal(code)).kind).toBe('uncertain');
  });

  const FAILURES: Array<[where: string, body: unknown]> = [
    ['an error that is a text', { success: false, error: 'Internal Server Error' }],
    ['the message of its error', { success: false, error: { message: 'Request timed out' } }],
    ['its message alone', { success: false, message: 'Service temporarily unavailable' }],
    ['its message beside its error', { success: false, error: { code: 'FAILED' }, message: 'Bad gateway' }],
    ['a message beside a code of its own', { success: false, error: { code: 'SEND_FAILED', message: 'Timed out' } }],
    ['the type of its error', { success: false, error: { type: 'InternalServerError' } }],
    ['the name of its error', { success: false, error: { name: 'TimeoutError', message: 'No' } }],
    ['the reason of its error', { success: false, error: { reason: 'upstream timeout' } }],
    ['the details of its error', { success: false, error: { details: [{ error: 'Gateway Time-out' }] } }],
    ['its errors', { errors: { server: ['Something went wrong'] } }],
    ['its data', { success: false, data: { error: 'ETIMEDOUT' } }],
    ['a flag', { success: false, error: { timed_out: true } }],
    ['a number as its code', { success: false, error: { code: 503, message: 'No' } }],
    ['digits as its code', { success: false, error: { code: '504' } }],
    ['a status of its own', { success: false, statusCode: 500, message: 'No' }],
    ['a number as its error', { success: false, error: 502 }],
    ['a number as its message', { success: false, message: '500' }],
    ['a code with spaces', { success: false, error: { code: 'Gateway rejected' } }],
    ['a code that also names a value', { success: false, error: { code: 'INVALID_NUMBER_TIMEOUT' } }],
    ['a text about a part', { success: false, error: 'The batch was only partly processed' }],
    ['the number in its text', { success: false, error: 'Request failed with status code 502' }],
    ['the end of a long text', { success: false, error: `${'No. '.repeat(100)} Server error` }],
  ];
  describe.each(FAILURES)('with a failure of the service in %s', (_where, body) => {
    test.each([200, 201, 302, 400, 401, 402, 403, 404, 408, 409, 413, 422, 425])(
      'leaves the outcome uncertain, status %i',
      (statusCode) =>
        expect(answer(statusCode, statusCode < 300 ? { success: false, ...(body as object) } : body)).toMatchObject({
          kind: 'uncertain',
          failure: { sendAgain: 'checkFirst' },
        }),
    );

    test('means what its code says, if that is one by which nothing is sent', () => {
      const codes = { MISSING_API_KEY: 401, INVALID_API_KEY: 401, VALIDATION_ERROR: 422, INSUFFICIENT_CREDITS: 402 };
      for (const [code, status] of Object.entries(codes)) {
        const error = { code, message: JSON.stringify(body), details: body };
        for (const statusCode of [status, 200])
          expect(summaryOf(answer(statusCode, { success: false, error }))).toContain(`rejected ${code}`);
      }
      expect(summaryOf(answer(429, body))).toBe('rejected RATE_LIMITED run');
    });
  });

  test('with a failure of the service in plain text leaves the outcome uncertain', () => {
    expect(answer(400, 'upstream request timeout').kind).toBe('uncertain');
    expect(answer(403, '[{"error":"Internal Server Error"}]').kind).toBe('uncertain');
  });

  test('that says that the service failed has a code and a message of its own, and quotes it', () => {
    expect(answer(401, { success: false, error: 'Request timed out' })).toMatchObject({
      failure: {
        code: 'SERVER_ERROR',
        httpStatus: 401,
        message: 'The service did not finish handling the request (HTTP 401)',
        serviceSays: 'Request timed out',
        scope: 'request',
      },
    });
  });

  const REFUSALS = `The number is not registered, Message is too long, Instance not connected, Unknown number,
    Phone 447700900500 is invalid, Outside of the time that is allowed, Send time out of range, Blocked by the filter,
    Not enough credits: 500 needed, Some messages are invalid`;
  test.each(listOf(REFUSALS))('that refuses with "%s" does not sound like a failure of the service', (message) => {
    for (const error of [message, { code: 1404, limit: 500, message }]) {
      for (const statusCode of [200, 400]) expect(answer(statusCode, { success: false, error }).kind).toBe('rejected');
    }
  });

  test('that repeats the text of a message is a refusal by its code alone', () => {
    const details = [{ phone: phoneAt(0), message: 'Your session timed out', error: 'is blocked' }];
    expect(answer(422, refusal('VALIDATION_ERROR', { details })).kind).toBe('rejected');
    expect(answer(400, refusal('INVALID_MESSAGE', { details })).kind).toBe('rejected');
    // Nothing tells whether the service quotes the message or another service.
    expect(answer(400, { success: false, error: { details } }).kind).toBe('uncertain');
  });
});

describe('The content of an answer', () => {
  test('is the error, which names the refused messages', () => {
    const error = { code: 'VALIDATION_ERROR', message: 'No', details: { 'messages.0.phone': ['x'] } };
    expect(answer(422, { success: false, error })).toMatchObject({ kind: 'rejected', error });
  });

  test('has a message_id of 19 digits exactly', () => {
    const body =
      '{"success":true,"data":{"message_id" : 9223372036854775807,"messages":[{"message_id":9223372036854775806},{"message_id":7}]}}';
    expect(answer(201, body)).toEqual({
      kind: 'accepted',
      data: { message_id: '9223372036854775807', messages: [{ message_id: '9223372036854775806' }, { message_id: 7 }] },
    });
  });

  test('has texts unchanged that look like a message_id', () => {
    const data = { note: '"message_id": 9223372036854775807', text: 'message_id: 9223372036854775807' };
    expect(answer(201, { success: true, data })).toEqual({ kind: 'accepted', data });
  });

  test('never has the API key', () => {
    const body = refusal('INVALID_API_KEY', { message: `Key ${KEY}`, details: { key: `Bearer ${KEY}`, [KEY]: KEY } });
    expect(JSON.stringify(answer(401, body))).not.toContain(KEY);
    expect(JSON.stringify(answer(201, { success: true, data: { key: KEY } }))).not.toContain(KEY);
  });

  test('never has an API key with escapes, as PHP writes a slash', () => {
    const key = 'made/up+key==/0123456789';
    const body = JSON.stringify({ success: false, error: { code: 'INVALID_API_KEY', message: `Key ${key} is wrong` } });
    for (const escaped of [body.replaceAll('/', '\\/'), body.replaceAll('+', '\\u002b')]) {
      expect(JSON.stringify(readReply({ statusCode: 401, body: escaped, headers: {} }, keyMask(key), 2))).not.toContain(
        key,
      );
    }
  });

  test('keeps the rest of its data where it repeats the API key', () => {
    const data = { message_id: 9007199254740993n, status: 'sent', note: 'KEY', '"': '\\"/\n\u2028' };
    const body = JSON.stringify({ success: true, data: { ...data, message_id: 'ID' } })
      .replace('"ID"', String(data.message_id))
      .replace('KEY', KEY.toUpperCase());
    const expected = { ...data, message_id: '9007199254740993', note: '***' };
    expect(answer(201, body)).toEqual({ kind: 'accepted', data: expected });
  });

  test('never has the API key if n8n has parsed the body already', () => {
    const body = refusal('INVALID_API_KEY', { message: `Key ${KEY}` });
    expect(JSON.stringify(readReply({ statusCode: 401, body, headers: {} }, MASK, 2))).not.toContain(KEY);
  });

  test.each(['900123', 'success', 'message_id', 'messages'])('is the same if the API key is %s', (key) => {
    const data = { messages: [{ message_id: 900123777, phone: '447700900123', status: 'sent' }] };
    const reply = readReply(
      { statusCode: 201, body: JSON.stringify({ success: true, data }), headers: {} },
      keyMask(key),
      2,
    );
    expect(reply).toEqual({ kind: 'accepted', data });
  });

  test('is not shown if it is of another API, which may repeat the request', () => {
    const json = { messages: [{ phone: phoneAt(123), message: 'Dear Anna' }] };
    expect(JSON.stringify(answer(200, { url: 'https://example.com', json }))).not.toMatch(/Anna|4477009/);
  });
});

describe('Reading an answer', () => {
  test.each(ODD_VALUES)('never throws for %s, and never takes it for sent or refused', (_name, value) => {
    for (const statusCode of [201, 502])
      expect(readReply({ statusCode, body: value, headers: {} }, MASK, 2).kind).toBe('uncertain');
    const body: JsonRecord = { success: false, error: value, message: value };
    const headers = { 'retry-after': value, location: value };
    expect(readReply({ statusCode: 422, body, headers }, MASK, 2).kind).toBe('rejected');
  });

  const PARTS = ['"message_id":', '"message_id" ', '"message_id":1234567890123456,', '{', '[', '"', '\\', KEY];
  test.each(PARTS)('takes 10 MB of %j', (part) => {
    expect(answer(201, part.repeat(10_000_000 / part.length)).kind).toBe('uncertain');
  });

  test.each([422, 201])('takes lists of any depth, with status %i', (statusCode) => {
    const deep = `${'['.repeat(100_000)}"${KEY}"${']'.repeat(100_000)}`;
    const error = `{"code":"VALIDATION_ERROR","message":"${KEY}","details":${deep}}`;
    const reply = answer(statusCode, `{"success":${statusCode === 201},"data":{"a":${deep}},"error":${error}}`);
    expect(reply.kind).toBe(statusCode === 201 ? 'accepted' : 'rejected');
    expect(JSON.stringify(reply)).not.toContain(KEY);
  });

  test('is not affected by names such as __proto__', () => {
    const body = '{"__proto__": {"success": true, "data": {}}, "error": {"__proto__": {"code": "INVALID_API_KEY"}}}';
    expect(answer(201, body).kind).toBe('uncertain');
    expect(({} as JsonRecord).success).toBeUndefined();
  });
});

describe('A 429 whose details name', () => {
  const codeOf = (details: unknown) => {
    const reply = answer(429, refusal('LIMIT_EXCEEDED', { details }));
    return reply.kind === 'rejected' ? reply.failure.code : reply.kind;
  };

  test('the text of a message is about that message, and is not waited out', () => {
    expect(codeOf([{ field: 'messages.3.message', message: 'is too long' }])).toBe('VALIDATION_ERROR');
    expect(codeOf({ 'messages[3].message': ['is too long'] })).toBe('VALIDATION_ERROR');
  });

  const LIMITS = [
    '60 messages/1 minute',
    'message limit reached',
    [{ field: 'requests', message: '60' }],
    { limit: 60 },
  ];
  test.each(LIMITS)('something else is about the limit: %j', (details) => {
    expect(codeOf(details)).toBe('RATE_LIMITED');
  });
});
