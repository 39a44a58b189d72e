/** What a reply has of an answer: IDs with all their digits, and never the API key. */
import { keyMask } from '../../nodes/MessagingSend/api/keyMask';
import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { readReply, type Reply } from '../../nodes/MessagingSend/api/reply';
import { KEY } from '../support/account';
import { phoneAt } from '../support/contacts';
import { ODD_VALUES } from './samples';

function reply(statusCode: number, body: unknown, key = KEY): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readReply({ statusCode, body: text, headers: {} }, keyMask(key));
}

function refusal(code: unknown, more: JsonRecord = {}): JsonRecord {
  return { success: false, error: { code, message: 'No', ...more } };
}

test.each<[string, number, unknown, boolean]>([
  ['the envelope', 401, refusal('INVALID_API_KEY'), true],
  ['an error without the rest of the envelope', 404, { error: 'Not found' }, true],
  ['the limit, with any body', 429, '', true],
  ['a page', 403, '<html>', false],
  ['other JSON', 403, { reason: 'blocked' }, false],
])('A rejection with %s (%i) is from the service, or not', (_what, statusCode, body, fromService) => {
  expect(reply(statusCode, body)).toMatchObject({ kind: 'rejected', fromService });
});

test('A rejection has the error, which names the refused messages, and how long the service asks to wait', () => {
  const error = { code: 'VALIDATION_ERROR', message: 'No', details: { 'messages.0.phone': ['x'] } };
  expect(reply(422, { success: false, error })).toMatchObject({ kind: 'rejected', error, retryAfter: null });
  const limited = readReply({ statusCode: 429, body: '', headers: { 'retry-after': '7' } }, keyMask(KEY));
  expect(limited).toMatchObject({ kind: 'rejected', retryAfter: 7_000 });
});

describe('The data of an answer', () => {
  test('have a message_id of 19 digits exactly, and texts that look like one unchanged', () => {
    const body = `{"success":true,"data":{"message_id" : 9223372036854775807,
      "messages":[{"message_id":9223372036854775806},{"message_id":7}],"note":"\\"message_id\\": 9223372036854775807"}}`;
    expect(reply(201, body)).toEqual({
      kind: 'accepted',
      data: {
        message_id: '9223372036854775807',
        messages: [{ message_id: '9223372036854775806' }, { message_id: 7 }],
        note: '"message_id": 9223372036854775807',
      },
    });
  });

  test.each(['900123', 'success', 'message_id', 'messages'])('are the same if the API key is %s', (key) => {
    const data = { messages: [{ message_id: 900123777, phone: '447700900123', status: 'sent' }] };
    expect(reply(201, { success: true, data }, key)).toEqual({ kind: 'accepted', data });
  });
});

describe('The API key', () => {
  const repeated = refusal('INVALID_API_KEY', { message: `Key ${KEY}`, details: { key: `Bearer ${KEY}`, [KEY]: KEY } });

  test('is in no reply, also if n8n has parsed the body', () => {
    for (const body of [repeated, JSON.stringify(repeated)])
      expect(JSON.stringify(readReply({ statusCode: 401, body, headers: {} }, keyMask(KEY)))).not.toContain(KEY);
    expect(JSON.stringify(reply(201, { success: true, data: { key: KEY } }))).not.toContain(KEY);
  });
});

test('The phones and texts of a request are in no reply to it', () => {
  const messages = [{ phone: phoneAt(123), message: 'Dear Anna' }];
  const details = [{ value: 'Dear Anna', path: ['messages', 0, 'message'] }, { messages }, 'Dear Anna'];
  for (const request of [{ messages }, ...messages]) {
    const answer = {
      statusCode: 422,
      body: refusal('VALIDATION_ERROR', { message: 'Dear Anna', details }),
      headers: {},
    };
    expect(JSON.stringify(readReply(answer, keyMask(KEY), request))).not.toMatch(/Anna|4477009/);
  }
  expect(JSON.stringify(reply(200, { json: { messages } }))).not.toMatch(/Anna|4477009/);
});

describe('Reading an answer', () => {
  test.each(ODD_VALUES)('never throws for %s, and never takes it for sent or refused', (_name, value) => {
    for (const statusCode of [201, 502])
      expect(readReply({ statusCode, body: value, headers: {} }, keyMask(KEY)).kind).toBe('uncertain');
    const body: JsonRecord = { success: false, error: value, message: value };
    const headers = { 'retry-after': value, location: value };
    expect(readReply({ statusCode: 422, body, headers }, keyMask(KEY)).kind).toBe('rejected');
  });

  const PARTS = ['"message_id":', '"message_id":1234567890123456,', '[', '\\', KEY];
  test.each(PARTS)('takes 10 MB of %j', (part) => {
    expect(reply(201, part.repeat(10_000_000 / part.length)).kind).toBe('uncertain');
  });

  test.each([422, 201])('takes lists of any depth, with status %i', (statusCode) => {
    const deep = `${'['.repeat(100_000)}"${KEY}"${']'.repeat(100_000)}`;
    const error = `{"code":"VALIDATION_ERROR","message":"${KEY}","details":${deep}}`;
    const read = reply(statusCode, `{"success":${statusCode === 201},"data":{"a":${deep}},"error":${error}}`);
    expect(read.kind).toBe(statusCode === 201 ? 'accepted' : 'rejected');
    expect(JSON.stringify(read)).not.toContain(KEY);
  });

  test('is not affected by names such as __proto__', () => {
    const body = '{"__proto__": {"success": true, "data": {}}, "error": {"__proto__": {"code": "INVALID_API_KEY"}}}';
    expect(reply(201, body).kind).toBe('uncertain');
    expect(({} as JsonRecord).success).toBeUndefined();
  });
});
