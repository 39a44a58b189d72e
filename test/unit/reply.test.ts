import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { readReply, type Reply } from '../../nodes/MessagingSend/api/reply';
import { API_KEY, ODD_VALUES, phoneAt } from './samples';

function answer(statusCode: number, body: unknown, headers: JsonRecord = {}): Reply {
  return readReply({ statusCode, body: typeof body === 'string' ? body : JSON.stringify(body), headers }, API_KEY);
}

/** In short: what came of the request, by which code, and how far the failure reaches. */
function told(reply: Reply): string {
  return reply.kind === 'accepted' ? 'accepted' : `${reply.kind} ${reply.failure.code} ${reply.failure.scope}`;
}

function refusal(code: unknown, more: JsonRecord = {}): JsonRecord {
  return { success: false, error: { code, message: 'No', ...more } };
}

const SENT = { success: true, data: { message_id: 7, status: 'sent' } };
const PAGE = '<html><body><h1>Bad Gateway</h1></body></html>';

describe('what an answer means', () => {
  test.each<[string, number, unknown, string]>([
    ['a message that was sent', 201, SENT, 'accepted'],
    ['the same with status 200', 200, SENT, 'accepted'],
    ['success: false with the code of a wrong key', 200, refusal('INVALID_API_KEY'), 'rejected INVALID_API_KEY run'],
    [
      'success: false with the code of no credits',
      201,
      refusal('INSUFFICIENT_CREDITS'),
      'rejected INSUFFICIENT_CREDITS run',
    ],
    [
      'success: false with the code of wrong values',
      200,
      refusal('VALIDATION_ERROR'),
      'rejected VALIDATION_ERROR request',
    ],
    ['success: false with the code of a failure', 200, refusal('SERVER_ERROR'), 'uncertain SERVER_ERROR request'],
    ['success: false with an unknown code', 200, refusal('BLOCKED_CONTENT'), 'rejected BLOCKED_CONTENT request'],
    ['success: false and nothing else', 200, { success: false }, 'rejected REFUSED request'],
    ['an empty body', 201, '', 'uncertain UNREADABLE_ANSWER request'],
    ['no content', 204, '', 'uncertain UNREADABLE_ANSWER request'],
    ['truncated JSON', 201, JSON.stringify(SENT).slice(0, -5), 'uncertain UNREADABLE_ANSWER request'],
    ['a page', 200, PAGE, 'uncertain UNREADABLE_ANSWER request'],
    ['another JSON API', 200, { status: 'ok', results: [] }, 'uncertain UNREADABLE_ANSWER request'],
    ['a JSON list', 201, [SENT], 'uncertain UNREADABLE_ANSWER request'],
    ['success without data', 201, { success: true }, 'uncertain UNREADABLE_ANSWER request'],
    ['success with a list as data', 201, { success: true, data: [] }, 'uncertain UNREADABLE_ANSWER request'],
    ['success as a text', 201, { success: 'true', data: {} }, 'uncertain UNREADABLE_ANSWER request'],
    ['401 with a missing key', 401, refusal('MISSING_API_KEY'), 'rejected MISSING_API_KEY run'],
    ['401 with a wrong key', 401, refusal('INVALID_API_KEY'), 'rejected INVALID_API_KEY run'],
    ['401 without a body', 401, '', 'rejected INVALID_API_KEY run'],
    ['401 with a page', 401, PAGE, 'rejected INVALID_API_KEY run'],
    ['402', 402, refusal('INSUFFICIENT_CREDITS'), 'rejected INSUFFICIENT_CREDITS run'],
    ['402 without a body', 402, '', 'rejected INSUFFICIENT_CREDITS run'],
    ['422', 422, refusal('VALIDATION_ERROR'), 'rejected VALIDATION_ERROR request'],
    ['422 with the code in lower case', 422, refusal('validation-error'), 'rejected VALIDATION_ERROR request'],
    ['422 with the error as a text', 422, { success: false, error: 'Invalid' }, 'rejected VALIDATION_ERROR request'],
    ['429 without a body', 429, '', 'rejected RATE_LIMITED run'],
    ['429 with any code', 429, refusal('SERVER_ERROR'), 'rejected RATE_LIMITED run'],
    ['a redirect', 302, '', 'rejected REDIRECTED run'],
    ['a permanent redirect', 308, PAGE, 'rejected REDIRECTED run'],
    ['403', 403, '', 'rejected FORBIDDEN run'],
    ['404', 404, PAGE, 'rejected NOT_FOUND run'],
    ['405', 405, '', 'rejected NOT_FOUND run'],
    ['400', 400, '', 'rejected HTTP_400 request'],
    ['413', 413, PAGE, 'rejected HTTP_413 request'],
    ['500', 500, refusal('SERVER_ERROR'), 'uncertain SERVER_ERROR request'],
    ['500 without a body', 500, '', 'uncertain HTTP_500 request'],
    ['502 with a page', 502, PAGE, 'uncertain HTTP_502 request'],
    ['503', 503, '', 'uncertain HTTP_503 request'],
    ['504', 504, PAGE, 'uncertain HTTP_504 request'],
    ['500 with the code of a refusal', 500, refusal('VALIDATION_ERROR'), 'uncertain VALIDATION_ERROR request'],
    ['500 that says success', 500, SENT, 'uncertain SERVER_ERROR request'],
    ['400 with the code of a failure', 400, refusal('SERVER_ERROR'), 'uncertain SERVER_ERROR request'],
  ])('%s', (_what, statusCode, body, meaning) => expect(told(answer(statusCode, body))).toBe(meaning));

  test.each([401, 402, 403])('%i ends the run even with a code that nobody knows', (statusCode) => {
    expect(answer(statusCode, refusal('ACCOUNT_ON_HOLD'))).toMatchObject({
      kind: 'rejected',
      failure: { scope: 'run' },
    });
  });

  test.each([NaN, 0, 101, 600, 999])(
    'a status that is none, %d, tells nothing: the message may have gone out',
    (statusCode) => {
      expect(answer(statusCode, '').kind).toBe('uncertain');
    },
  );

  test.each<[string, number]>([
    ['success: false', 200],
    ['success: false', 207],
    ['an error', 402],
    ['an error', 422],
  ])(
    '%s with status %i, and a list of what was sent: not taken for a batch of which nothing went out',
    (_what, statusCode) => {
      const body = {
        success: false,
        error: { code: 'PARTIAL_FAILURE', message: 'Some failed' },
        data: {
          messages_sent: 1,
          messages: [
            { message_id: 7, phone: phoneAt(0), status: 'sent' },
            { phone: phoneAt(1), status: 'failed' },
          ],
        },
      };
      expect(answer(statusCode, body).kind).not.toBe('rejected');
    },
  );

  test.each(['INTERNAL_ERROR', 'INTERNAL_SERVER_ERROR', 'TIMEOUT', 'GATEWAY_TIMEOUT'])(
    'success: false with %s: the message may have gone out',
    (code) => {
      expect(answer(200, refusal(code)).kind).toBe('uncertain');
    },
  );
});

describe('what an answer holds', () => {
  test('is the data of the envelope', () => {
    expect(answer(201, SENT)).toEqual({ kind: 'accepted', data: { message_id: 7, status: 'sent' } });
  });

  test('is the error, for whoever looks for the offending messages', () => {
    const error = { code: 'VALIDATION_ERROR', message: 'No', details: { 'messages.0.phone': ['x'] } };
    expect(answer(422, { success: false, error })).toMatchObject({ kind: 'rejected', error });
  });

  test('a message_id of 19 digits is kept exactly', () => {
    const body =
      '{"success":true,"data":{"message_id" : 9223372036854775807,"messages":[{"message_id":9223372036854775806},{"message_id":7}]}}';
    expect(answer(201, body)).toEqual({
      kind: 'accepted',
      data: { message_id: '9223372036854775807', messages: [{ message_id: '9223372036854775806' }, { message_id: 7 }] },
    });
  });

  test('texts that look like a message_id stay as they are', () => {
    const data = { note: '"message_id": 9223372036854775807', text: 'message_id: 9223372036854775807' };
    expect(answer(201, { success: true, data })).toEqual({ kind: 'accepted', data });
  });

  test('never holds the API key', () => {
    const error = {
      code: 'INVALID_API_KEY',
      message: `Key ${API_KEY} is wrong`,
      details: { key: `Bearer ${API_KEY}`, [API_KEY]: API_KEY },
    };
    expect(JSON.stringify(answer(401, { success: false, error }))).not.toContain(API_KEY);
    expect(JSON.stringify(answer(201, { success: true, data: { key: API_KEY } }))).not.toContain(API_KEY);
  });

  test('never holds an API key that is written with escapes, as PHP writes a slash', () => {
    const key = 'made/up+key==/0123456789';
    const body = JSON.stringify({ success: false, error: { code: 'INVALID_API_KEY', message: `Key ${key} is wrong` } });
    for (const escaped of [body.replaceAll('/', '\\/'), body.replaceAll('+', '\\u002b')]) {
      expect(JSON.stringify(readReply({ statusCode: 401, body: escaped, headers: {} }, key))).not.toContain(key);
    }
  });

  test('never holds the API key where n8n has parsed the body already', () => {
    const reply = readReply(
      { statusCode: 401, body: refusal('INVALID_API_KEY', { message: `Key ${API_KEY}` }), headers: {} },
      API_KEY,
    );
    expect(JSON.stringify(reply)).not.toContain(API_KEY);
  });

  test.each(['900123', 'success', 'message_id', 'messages'])('is read alike whatever the API key is: %s', (key) => {
    const data = { messages: [{ message_id: 900123777, phone: '447700900123', status: 'sent' }] };
    const reply = readReply({ statusCode: 201, body: JSON.stringify({ success: true, data }), headers: {} }, key);
    expect(reply).toEqual({ kind: 'accepted', data });
  });

  test('of another API is not shown: it may repeat the request', () => {
    const reply = answer(200, {
      url: 'https://example.com',
      json: { messages: [{ phone: phoneAt(123), message: 'Dear Anna' }] },
    });
    expect(JSON.stringify(reply)).not.toMatch(/Anna|4477009/);
  });
});

describe('whatever answers', () => {
  test.each(ODD_VALUES.map((value, index) => [index, value]))(
    'odd value %i never throws, and is never taken for sent or refused',
    (_index, value) => {
      expect(readReply({ statusCode: 201, body: value, headers: {} }, API_KEY).kind).toBe('uncertain');
      expect(readReply({ statusCode: 502, body: value, headers: {} }, API_KEY).kind).toBe('uncertain');
      const parsed: JsonRecord = { success: false, error: value, message: value };
      expect(
        readReply({ statusCode: 422, body: parsed, headers: { 'retry-after': value, location: value } }, API_KEY).kind,
      ).toBe('rejected');
    },
  );

  test.each(['"message_id":', '"message_id" ', '"message_id":1234567890123456,', '{', '[', '"', '\\', API_KEY])(
    '10 MB of %j are read',
    (part) => {
      const body = part.repeat(10_000_000 / part.length);
      expect(answer(201, body).kind).toBe('uncertain');
    },
  );

  test('names like __proto__ change nothing', () => {
    const body = '{"__proto__": {"success": true, "data": {}}, "error": {"__proto__": {"code": "INVALID_API_KEY"}}}';
    expect(answer(201, body).kind).toBe('uncertain');
    expect(({} as JsonRecord).success).toBeUndefined();
  });
});
