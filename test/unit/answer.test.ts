/**
 * The table of answers, row by row: what an answer means for its request, and an entry for its message. And what a
 * reply keeps of an answer: IDs with all their digits, and never the API key.
 */
import { keyMask } from '../../nodes/MessagingSend/api/account';
import type { JsonObject } from '../../nodes/MessagingSend/api/objects';
import { readReply, type Reply } from '../../nodes/MessagingSend/api/reply';
import { SEND } from '../../nodes/MessagingSend/delivery/operation';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { KEY, phoneAt } from '../support/contacts';
import { listOf, ODD_VALUES, rowsUpTo } from './samples';

const singleOutcome = (data: JsonObject) => SEND.outcomes(rowsUpTo(1), data)[0];

function reply(statusCode: number, body: unknown, key = KEY): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readReply({ statusCode, body: text, headers: {} }, keyMask(key));
}

/** What an answer means: the kind of its reply, with the code and the scope of its failure. */
function meaningOf(statusCode: number, body: unknown): string {
  const meant = reply(statusCode, body);
  return meant.kind === 'accepted' ? 'accepted' : `${meant.kind} ${meant.failure.code} ${meant.failure.scope}`;
}

const refusal = (code: unknown, more: JsonObject = {}) => ({ success: false, error: { code, message: 'No', ...more } });
const SENT = { success: true, data: { message_id: 7, status: 'sent' } };
const PAGE = '<html><body><h1>Bad Gateway, Server Error</h1></body></html>';

/** A row about an answer without a body. */
const openWith =
  (what: string) =>
  (status: number): [string, number, unknown, string] => [what, status, '', `uncertain HTTP_${status} request`];

test.each<[what: string, statusCode: number, body: unknown, meaning: string]>([
  // 2xx, success: true and data
  ['a message that was sent', 201, SENT, 'accepted'],
  // 3xx, 4xx, and 2xx with success: false and a code of the document
  ['a missing key', 401, refusal('MISSING_API_KEY'), 'rejected MISSING_API_KEY run'],
  ['a wrong key', 401, refusal('INVALID_API_KEY'), 'rejected INVALID_API_KEY run'],
  ['status 401 and no body', 401, '', 'rejected INVALID_API_KEY run'],
  ['status 401 and an unknown code', 401, refusal('ON_HOLD'), 'rejected ON_HOLD run'],
  ['no credits', 402, refusal('INSUFFICIENT_CREDITS'), 'rejected INSUFFICIENT_CREDITS run'],
  ['status 403', 403, '', 'rejected FORBIDDEN request'],
  ['status 404', 404, PAGE, 'rejected NOT_FOUND run'],
  ['status 404 in JSON', 404, refusal('NOT_FOUND'), 'rejected NOT_FOUND run'],
  ['status 404 and an unknown code', 404, refusal('NO_ROUTE'), 'rejected NO_ROUTE run'],
  ['something that was not found', 422, refusal('NOT_FOUND'), 'rejected NOT_FOUND request'],
  ['status 405', 405, '', 'rejected NOT_FOUND run'],
  ['status 422', 422, refusal('VALIDATION_ERROR'), 'rejected VALIDATION_ERROR request'],
  ['the code in lower case', 422, refusal('validation-error'), 'rejected VALIDATION_ERROR request'],
  ['an error that is a text', 422, { success: false, error: 'Invalid' }, 'rejected VALIDATION_ERROR request'],
  ['status 400', 400, '', 'rejected HTTP_400 request'],
  ['an unknown code', 400, refusal('NOT_CONNECTED'), 'rejected NOT_CONNECTED request'],
  ['status 406 and a page', 406, PAGE, 'rejected HTTP_406 request'],
  ['a code with odd characters', 400, refusal('<b> NO_ACCOUNT'), 'rejected HTTP_400 request'],
  ['status 300', 300, '', 'rejected REDIRECTED run'],
  ['a redirect', 302, '', 'rejected REDIRECTED run'],
  ['status 200 and a wrong key', 200, refusal('INVALID_API_KEY'), 'rejected INVALID_API_KEY run'],
  // the rate limit
  ['status 429 and no body', 429, '', 'rejected RATE_LIMITED run'],
  ['status 429 and any code', 429, refusal('SERVER_ERROR'), 'rejected RATE_LIMITED run'],
  ['status 429 and a timeout', 429, { message: 'Timeout' }, 'rejected RATE_LIMITED run'],
  ['a 429 that names a message', 429, refusal('X', { details: ['messages.3.message'] }), 'rejected RATE_LIMITED run'],
  // everything else
  ...[303, 408, 409, 425, 499].map(openWith('a status that leaves it open')),
  ['a conflict and a code of the document', 409, refusal('VALIDATION_ERROR'), 'uncertain VALIDATION_ERROR request'],
  ['status 500', 500, refusal('SERVER_ERROR'), 'uncertain SERVER_ERROR request'],
  ['status 500 and the code of a refusal', 500, refusal('VALIDATION_ERROR'), 'uncertain VALIDATION_ERROR request'],
  ['status 500 and success', 500, SENT, 'uncertain HTTP_500 request'],
  ['status 200 and SERVER_ERROR', 200, refusal('SERVER_ERROR'), 'uncertain SERVER_ERROR request'],
  ['status 200 and an unknown code', 200, refusal('BLOCKED'), 'uncertain BLOCKED request'],
  ['status 200 and success: false alone', 200, { success: false }, 'uncertain HTTP_200 request'],
  ['an empty body', 201, '', 'uncertain UNREADABLE_ANSWER request'],
  ['a JSON list', 201, [SENT], 'uncertain UNREADABLE_ANSWER request'],
  ['success and no data', 201, { success: true }, 'uncertain UNREADABLE_ANSWER request'],
  ['success as a text', 201, { success: 'true', data: {} }, 'uncertain UNREADABLE_ANSWER request'],
  ...[NaN, 0, 101, 600, 999].map(openWith('an invalid status')),
])('An answer with %s (%d) has the meaning of its row', (_what, statusCode, body, meaning) => {
  expect(meaningOf(statusCode, body)).toBe(meaning);
});

describe('A rejection', () => {
  const REJECTIONS: Array<[statusCode: number, code: string]> = [
    [200, 'INSUFFICIENT_CREDITS'],
    [302, 'MOVED'],
    [400, 'SOME_FAILED'],
    [422, 'VALIDATION_ERROR'],
    [429, 'LIMIT'],
  ];

  test.each(REJECTIONS)('with entries lets them decide (%i, %s)', (statusCode, code) => {
    for (const entry of [{ message_id: 7 }, { status: 'failed' }, { phone: phoneAt(0), error: 'No account' }]) {
      const data = { messages: [{ phone: phoneAt(1), message: 'Hello' }, entry] };
      expect(meaningOf(statusCode, { ...refusal(code, { message: 'Server error' }), data })).toBe('accepted');
    }
  });

  test.each(REJECTIONS)('that repeats its messages has no entries (%i, %s)', (statusCode, code) => {
    const data = { messages: [{ phone: phoneAt(1), message: 'Hello' }, null, 7] };
    expect(meaningOf(statusCode, { ...refusal(code), data })).toMatch(/^rejected/);
  });

  test.each(REJECTIONS)('with a message_id anywhere is uncertain (%i, %s)', (statusCode, code) => {
    for (const message_id of [7, 'a7']) {
      const places = [{ data: { message_id } }, { data: [{ message_id }] }, { sent: { messages: [{ message_id }] } }];
      for (const more of places)
        expect(meaningOf(statusCode, { ...refusal(code), ...more })).toBe('uncertain NOT_CONFIRMED request');
      expect(meaningOf(statusCode, refusal(code, { details: [[{ message_id }]] }))).toMatch(/^uncertain/);
    }
    for (const message_id of [null, '', ' ', false])
      expect(meaningOf(statusCode, { ...refusal(code), data: { message_id } })).toMatch(/^rejected/);
  });

  test.each(REJECTIONS)('that says that something was sent or paid is uncertain (%i, %s)', (statusCode, code) => {
    for (const field of ['messages_sent', 'credits_used']) {
      for (const said of [99, '99', 0.5])
        for (const more of [{ [field]: said }, { data: { [field]: said } }, { data: { report: [{ [field]: said }] } }])
          expect(meaningOf(statusCode, { ...refusal(code), ...more })).toBe('uncertain NOT_CONFIRMED request');
      expect(meaningOf(statusCode, refusal(code, { [field]: 1 }))).toMatch(/^uncertain/);
      for (const none of [0, '0', null, '', 'none', -1, [[]]])
        expect(meaningOf(statusCode, { ...refusal(code), data: { [field]: none } })).toMatch(/^rejected/);
    }
  });

  const FAILURES = `timeout, Request timed out, Gateway Time-out, ETIMEDOUT, UPSTREAM_TIMEOUT, Server error,
    INTERNAL_SERVER_ERROR, InternalError, An internal error occurred, SERVER_ERROR`;
  test.each(listOf(FAILURES))('that speaks of "%s" in its code or message is uncertain', (said) => {
    for (const error of [said, { code: said }, { code: 'FAILED', message: said }, { message: `No. ${said}.` }]) {
      for (const statusCode of [302, 400, 401, 403, 422])
        expect(meaningOf(statusCode, { success: false, error })).toMatch(/^uncertain/);
    }
    expect(meaningOf(200, refusal('VALIDATION_ERROR', { message: said }))).toMatch(/^uncertain VALIDATION_ERROR/);
    expect(meaningOf(400, { success: false, error: { code: 'FAILED' }, message: said })).toMatch(/^uncertain/);
    expect(meaningOf(400, said)).toMatch(/^uncertain/);
  });

  const REFUSALS = `The number is not registered, Instance not connected, Phone 447700900500 is invalid, Send time out of range,
    Outside of the time that is allowed, This time outside of office hours, 500 needed, Error in the text`;
  test.each(listOf(REFUSALS))('that says "%s" means that nothing was sent', (said) => {
    for (const error of [said, { code: 'FAILED', message: said }])
      expect(meaningOf(400, { success: false, error })).toMatch(/^rejected/);
  });

  test('that speaks of a failure only in its details means that nothing was sent', () => {
    const details = [{ message: 'Your session timed out', error: 'is blocked' }];
    expect(meaningOf(422, refusal('VALIDATION_ERROR', { details }))).toMatch(/^rejected/);
  });
});

describe('An entry', () => {
  const ID = { message_id: 7 };
  const STATUSES = listOf('sent, queued, pending, accepted, scheduled, delivered, Sent');
  const NO_ERRORS = [null, '', ' ', false, 0, [], {}, [null], { code: 0, message: '' }];

  test.each<JsonObject>([
    ...STATUSES.flatMap((status) => [{ ...ID, status }, { status }]),
    ...[ID, { ...ID, status: null }, { ...ID, status: ' ' }],
    ...NO_ERRORS.map((error) => ({ ...ID, status: 'sent', error, error_code: error })),
  ])('means that its message was sent, with its ID and status: %j', (entry) => {
    const { message_id: messageId = null, status = null } = entry;
    expect(singleOutcome(entry)).toEqual({ kind: 'sent', messageId, status });
  });

  const NOT_SENT: Array<[entry: JsonObject, serviceSays: string]> = [
    ...listOf('failed, rejected, invalid, error, FAILED').map((status): [JsonObject, string] => [
      { phone: phoneAt(0), message: 'Dear Anna', status },
      '',
    ]),
    [{ message_id: null, error: 'No account' }, 'No account'],
    [{ status: 'failed', reason: 'No account' }, 'reason: No account'],
    [{ error: { code: 'X1', message: 'No such number' } }, 'code: X1; No such number'],
    [{ error_code: 1404 }, 'error_code: 1404'],
    [{ errors: [{ detail: 'One' }, 'Two'] }, 'One; Two'],
    [{ status: 'failed', failure_reason: 'No account' }, 'failure_reason: No account'],
    [{ success: false }, ''],
    [{ error: 'No <b> 447700900123' }, 'No &lt;b&gt; …23'],
  ];
  const UNCERTAIN: typeof NOT_SENT = [
    [{ ...ID, error: 'No account' }, 'No account'],
    [{ ...ID, status: 'failed' }, ''],
    [{ ...ID, status: 'sent', error: 'No account' }, 'No account'],
    [{ status: 'sent', error: 'No account' }, 'No account'],
    [{ ...ID, status: 'sent', success: false }, ''],
    ...['in_review', 'Undelivered', 'toString', '__proto__', '500', 500].flatMap((status): typeof NOT_SENT => [
      [{ ...ID, status }, String(status)],
      [{ status }, String(status)],
    ]),
    ...[true, {}, ['sent'], { code: 'sent' }].map((status): [JsonObject, string] => [{ ...ID, status }, '']),
    [{ phone: phoneAt(0), message: 'Hello' }, ''],
    [{ error: 'Gateway timeout' }, 'Gateway timeout'],
    [{ status: 'failed', error: { code: 'SERVER_ERROR' } }, 'code: SERVER_ERROR'],
    [{ status: 'timed_out', error: 'No account' }, 'No account'],
  ];

  test.each([
    ...NOT_SENT.map((row) => ['not_sent', 'messageNotAccepted', ...row] as const),
    ...UNCERTAIN.map((row) => ['uncertain', 'messageUnclear', ...row] as const),
  ])("leaves its message %s (%s), in the service's words: %j", (kind, name, entry, serviceSays) => {
    expect(singleOutcome(entry)).toEqual({ kind, failure: failure(name, undefined, { serviceSays }) });
  });

  test('is read safely, no matter how deep its error is', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}7${']'.repeat(50_000)}`) as JsonObject;
    expect(singleOutcome({ ...ID, status: 'sent', error: deep })?.kind).toBe('uncertain');
    expect(meaningOf(422, `{"error":${'['.repeat(50_000)}{"message_id":7}${']'.repeat(50_000)}}`)).toMatch(/^rejected/);
  });

  test.each(ODD_VALUES)('is read safely if its fields are %s', (_name, value) => {
    for (const field of ['status', 'error', 'errors', 'success', 'reason', '__proto__', 'constructor', 'toString']) {
      const entry = Object.defineProperty({ message_id: 1 }, field, { value, enumerable: true });
      expect(() => singleOutcome(entry)).not.toThrow();
    }
  });
});

test.each<[string, number, unknown, boolean]>([
  ['the envelope', 401, refusal('INVALID_API_KEY'), true],
  ['an error without the rest of the envelope', 404, { error: 'Not found' }, true],
  ['the limit, with any body', 429, '', true],
  ['a page', 403, '<html>', false],
  ['other JSON', 403, { reason: 'blocked' }, false],
])('A rejection with %s (%i) shows whether it is from the service', (_what, statusCode, body, fromService) => {
  expect(reply(statusCode, body)).toMatchObject({ kind: 'rejected', fromService });
});

test('A rejection tells how long the service asks to wait', () => {
  const limited = readReply({ statusCode: 429, body: '', headers: { 'retry-after': '7' } }, keyMask(KEY));
  expect(limited).toMatchObject({ kind: 'rejected', retryAfter: 7_000 });
});

test('The data of an answer have a message_id of 19 digits exactly, and texts that look like one unchanged', () => {
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

test('The phones and texts of a request are in no reply to it', () => {
  const messages = [{ phone: phoneAt(123), message: 'Dear Anna' }];
  const details = [{ value: 'Dear Anna', path: ['messages', 0, 'message'] }, { messages }, 'Dear Anna'];
  for (const request of [{ messages }, ...messages]) {
    const body = refusal('VALIDATION_ERROR', { message: 'Dear Anna', details });
    expect(JSON.stringify(readReply({ statusCode: 422, body, headers: {} }, keyMask(KEY), request))).not.toMatch(
      /Anna|4477009/,
    );
  }
  expect(JSON.stringify(reply(200, { json: { messages } }))).not.toMatch(/Anna|4477009/);
});

describe('Reading an answer', () => {
  test.each(ODD_VALUES)('never throws for %s, and never takes it for sent or rejected', (_name, value) => {
    for (const statusCode of [201, 502])
      expect(readReply({ statusCode, body: value, headers: {} }, keyMask(KEY)).kind).toBe('uncertain');
    const body: JsonObject = { success: false, error: value, message: value };
    const headers = { 'retry-after': value, location: value };
    expect(readReply({ statusCode: 422, body, headers }, keyMask(KEY)).kind).toBe('rejected');
  });

  test.each(['"message_id":', '"message_id":1234567890123456,', '[', '\\', KEY])('handles 10 MB of %j', (part) => {
    expect(reply(201, part.repeat(10_000_000 / part.length)).kind).toBe('uncertain');
  });

  test.each([422, 201])('handles lists of any depth, with status %i', (statusCode) => {
    const deep = `${'['.repeat(100_000)}"${KEY}"${']'.repeat(100_000)}`;
    const error = `{"code":"VALIDATION_ERROR","message":"${KEY}","details":${deep}}`;
    const read = reply(statusCode, `{"success":${statusCode === 201},"data":{"a":${deep}},"error":${error}}`);
    expect(read.kind).toBe(statusCode === 201 ? 'accepted' : 'rejected');
    expect(JSON.stringify(read)).not.toContain(KEY);
  });
});
