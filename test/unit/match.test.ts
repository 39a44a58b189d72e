import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { entryOutcome, matchEntries, NOT_LISTED } from '../../nodes/MessagingSend/delivery/match';
import { seededRandom } from '../../tools/random';
import { phoneAt } from '../support/contacts';
import { listOf, messageAt, ODD_VALUES, upTo } from './samples';

/** For messages to these phones: the message_id of each that was sent, else the kind of its outcome. */
function outcomesOf(phones: readonly number[], entries: unknown): unknown[] {
  const messages = phones.map((phone, item) => messageAt(item, { phone: phoneAt(phone) }));
  return matchEntries(messages, { messages: entries }).map((outcome) =>
    outcome.kind === 'sent' ? outcome.messageId : outcome.kind,
  );
}

function entry(index: number, changed: JsonRecord = {}): JsonRecord {
  return { message_id: 1000 + index, phone: phoneAt(index), status: 'sent', ...changed };
}

describe('An answer with a list of entries', () => {
  const unnamed = { phone: undefined };
  const failed = { status: 'failed' };
  const [oneId, noId] = [{ message_id: 7 }, { message_id: undefined }];
  const UNCERTAIN = ['uncertain', 'uncertain'];
  test.each<[string, phones: number[], entries: JsonRecord[], expected: unknown[]]>([
    ['is complete and in order', [0, 1, 2], [entry(0), entry(1), entry(2)], [1000, 1001, 1002]],
    ['is in another order', [0, 1, 2], [entry(2), entry(0), entry(1)], [1000, 1001, 1002]],
    ['lacks an entry', [0, 1, 2], [entry(0), entry(2)], [1000, 'uncertain', 1002]],
    ['doubles an entry', [0, 1, 2], [entry(0), entry(0), entry(1), entry(2)], [1000, 1001, 1002]],
    ['has a copy in the place of an entry', [0, 1, 2], [entry(0), entry(1), entry(1)], [1000, 1001, 'uncertain']],
    ['has an unknown phone number', [0, 1], [entry(0), entry(500)], [1000, 'uncertain']],
    ['has no phones', [0, 1], [entry(0, unnamed), entry(1, { phone: null })], [1000, 1001]],
    ['has no phones and another number of entries', [0, 1], [entry(0, unnamed)], UNCERTAIN],
    ['repeats an ID as a text', [0, 0], [entry(0), entry(0, { message_id: '1000' })], UNCERTAIN],
    ['has a phone number twice', [0, 0, 2], [entry(2), entry(0), entry(1, { phone: phoneAt(0) })], [1000, 1001, 1002]],
    ['has one entry for two messages to a number', [0, 0], [entry(0)], UNCERTAIN],
    ['doubles the entry of two messages to a number', [0, 0], [entry(0), entry(0)], UNCERTAIN],
    ['has one failed entry for two messages to a number', [0, 0], [entry(0, failed)], UNCERTAIN],
    [
      'has different outcomes for a number, out of order',
      [0, 0, 2],
      [entry(2), entry(0), entry(0, { message_id: 9, ...failed })],
      [...UNCERTAIN, 1002],
    ],
    ['only repeats the request', [0], [{ phone: phoneAt(0), message: 'Hello' }], ['uncertain']],
    ['has one ID for all', [0, 1], [entry(0, oneId), entry(1, oneId)], [7, 7]],
    ['has no IDs, for two messages to a number', [0, 0], [entry(0, noId), entry(0, noId)], [null, null]],
    ['has a good status and no ID', [0], [entry(0, { ...noId, status: 'queued' })], [null]],
    ['has an unknown status and no ID', [0], [{ phone: phoneAt(0), status: 'in_review' }], ['uncertain']],
  ])('that %s is matched to its messages by phone and order, if at all', (_what, phones, entries, expected) => {
    expect(outcomesOf(phones, entries)).toEqual(expected);
  });

  test.each<[string, (index: number) => unknown]>([
    ['numbers', (index) => Number(phoneAt(index))],
    ['text with +', (index) => `+${phoneAt(index)}`],
    ['text with 00', (index) => `00${phoneAt(index)}`],
    ['text with spaces', (index) => `+44 7700 ${phoneAt(index).slice(6)}`],
  ])('is matched to its messages if phones are %s', (_how, phone) => {
    expect(outcomesOf([0, 1], [entry(1, { phone: phone(1) }), entry(0, { phone: phone(0) })])).toEqual([1000, 1001]);
  });

  test.each(ODD_VALUES)('that is %s leaves all messages uncertain', (_name, value) => {
    expect(outcomesOf([0, 1], value)).toEqual(['uncertain', 'uncertain']);
    expect(outcomesOf([0, 1], [value, value, value])).toEqual(['uncertain', 'uncertain']);
  });

  test('is matched to its messages if it is shuffled, cut and doubled at random', () => {
    const seed = Date.now();
    const random = seededRandom(seed);
    for (let run = 0; run < 300; run++) {
      const phones = upTo(1 + Math.floor(random() * 20));
      const listed = new Set(phones.filter(() => random() > 0.2));
      const entries = [...listed].flatMap((index) => (random() > 0.8 ? [entry(index), entry(index)] : [entry(index)]));
      const shuffled = entries
        .map((value) => ({ value, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ value }) => value);
      const expected = phones.map((index) => (listed.has(index) ? 1000 + index : 'uncertain'));
      expect({ seed, run, outcomes: outcomesOf(phones, shuffled) }).toEqual({ seed, run, outcomes: expected });
    }
  });
});

describe('The status of an entry', () => {
  test('is part of the outcome', () => {
    expect(entryOutcome({ message_id: 7, status: 'queued' })).toEqual({ kind: 'sent', messageId: 7, status: 'queued' });
    expect(entryOutcome({ message_id: 7 })).toEqual({ kind: 'sent', messageId: 7, status: null });
  });

  test.each(['failed', 'FAILED', 'rejected', 'invalid', 'not_sent', 'skipped', 'error'])(
    '%s makes the message not sent',
    (status) => {
      expect(entryOutcome(entry(0, { status }))).toMatchObject({
        kind: 'not_sent',
        failure: {
          code: 'NOT_ACCEPTED',
          message: 'The service accepted the request, but did not send this message',
          advice: 'Check its number and text.',
          serviceSays: '',
        },
      });
    },
  );

  test.each(['not sent', 'not-sent', 'cancelled', 'undeliverable', ' failed '])('%j is never sent', (status) => {
    expect(entryOutcome(entry(0, { status })).kind).not.toBe('sent');
  });

  test('failed comes with the reason of the service, without markup and phone numbers', () => {
    const reason = 'Blocked by 447700900123 <script>';
    for (const given of [{ error: { message: reason } }, { error: reason }, { reason }]) {
      expect(entryOutcome(entry(0, { status: 'failed', ...given }))).toMatchObject({
        failure: { advice: 'Check its number and text.', serviceSays: 'Blocked by …23 &lt;script&gt;' },
      });
    }
  });

  test('failed never comes with the text of the message', () => {
    const outcome = entryOutcome({ phone: phoneAt(0), message: 'Dear Anna', status: 'failed', error: 'Blocked' });
    expect(JSON.stringify(outcome)).not.toContain('Anna');
  });
});

describe('An entry with a message_id', () => {
  test.each<[string, JsonRecord, string]>([
    ['an error text', { error: 'Number is not on the app' }, 'Number is not on the app'],
    ['an error text and its status', { status: 'sent', error: 'Number is not on the app' }, 'Number is not on the app'],
    ['an error object', { error: { code: 'X1', message: 'No such number' } }, 'No such number'],
    ['an error object with a code alone', { error: { code: 'NOT_ON_APP' } }, 'NOT_ON_APP'],
    ['a list of errors', { errors: [{ detail: 'One' }, 'Two'] }, 'One; Two'],
    ['an error code', { errorCode: 1404 }, ''],
    ['an error message', { 'Error-Message': 'Blocked by 447700900123' }, 'Blocked by …23'],
    ['a reason of its failure', { failure_reason: 'No account' }, 'No account'],
    ['error: true', { error: true }, ''],
    ['the status sent beside success: false', { status: 'sent', success: false }, ''],
    ['the status of a gateway', { status: 504 }, 'http_504'],
    ['a status of HTTP', { status: '422', reason: 'No account' }, 'No account'],
  ])('and %s is uncertain, with the words of the service', (_what, given, serviceSays) => {
    expect(entryOutcome({ message_id: 1, status: null, ...given })).toMatchObject({
      kind: 'uncertain',
      failure: { code: 'NOT_CONFIRMED', sendAgain: 'checkFirst', serviceSays },
    });
  });

  test.each<[string, JsonRecord]>([
    ...[null, '', ' ', false, 0, '0', [], {}, 'none', 'No error', { code: 0, message: '' }, [null]].map(
      (error): [string, JsonRecord] => [`error: ${JSON.stringify(error)}`, { error }],
    ),
    ['errors: []', { errors: [] }],
    ['error_code: 0', { error_code: 0 }],
    ['a reason and no error', { status: 'queued', reason: 'Sent at night' }],
    ['success: true', { success: true }],
    ['failed: false', { failed: false }],
    ['delivered: false', { delivered: false }],
    ['the message that was sent', { message: 'Not sent: error' }],
  ])('and %s was sent', (_what, given) => {
    expect(entryOutcome({ message_id: 1, status: 'sent', ...given }).kind).toBe('sent');
  });

  test.each<[string, JsonRecord]>([
    ['success: false', { success: false }],
    ['success: "false"', { success: 'false' }],
    ['sent: false', { sent: false }],
    ['accepted: false', { accepted: false }],
    ['failed: true', { failed: true }],
    ['the status false', { status: false }],
    ['success: false and an error', { success: false, error: 'No account' }],
  ])('and %s was not sent', (_what, given) => {
    expect(entryOutcome({ message_id: 1, ...given }).kind).toBe('not_sent');
  });

  test.each(
    listOf(`
      insufficient_credits, INSUFFICIENT-CREDITS, insufficientCredits, no_credits, out of credits,
      invalid_number, Not-Accepted, notAllowed, send_failed, quota exceeded, blacklisted, unsubscribed,
      unknown_subscriber, number_not_found
    `),
  )('and the status %s was not sent', (status) => {
    const outcome = entryOutcome(entry(0, { status }));
    expect(outcome.kind).toBe('not_sent');
    expect(outcome).toMatchObject({ failure: { serviceSays: expect.stringMatching(/^[a-z_]+$/) as string } });
  });

  test.each(
    listOf(`
      undelivered, not_delivered, Not delivered, notDelivered, delivery_failed, expired, link-expired, bounced,
      timeout, timed out, unknown, unconfirmed, rate_limited, not_yet_sent, temporarily_failed, server_error,
      internalError, gateway_error, network error, unknown_error, unknown_state, service_unavailable,
      connection_lost, no_response, undetermined
    `),
  )('and the status %s is uncertain', (status) => {
    expect(entryOutcome(entry(0, { status })).kind).toBe('uncertain');
  });

  test.each([
    ...listOf('in_review, processing, deferred, out_for_delivery, pending_delivery, notified, no_error, failover'),
    ...['constructor', '__proto__', 0, 1, -1, 200, true],
  ])('and the status %s, which is no refusal, was sent', (status) => {
    expect(entryOutcome(entry(0, { status }))).toEqual({ kind: 'sent', messageId: 1000, status });
  });

  test.each<[string, unknown, string]>([
    ['a refusal', { code: 'failed', message: 'No account' }, 'not_sent'],
    ['a doubt', { name: 'EXPIRED', id: 4 }, 'uncertain'],
    ['a success', { code: 'sent' }, 'sent'],
    ['nothing that is known', { id: 7 }, 'sent'],
  ])('and a status that is an object with %s is read', (_what, status, kind) => {
    expect(entryOutcome(entry(0, { status })).kind).toBe(kind);
  });
});

test.each<[string, JsonRecord]>([
  ['its code', { error: { code: 'SERVER_ERROR', message: 'Unexpected' } }],
  ['a code without a text', { status: null, error: { code: 'INTERNAL_ERROR' } }],
  ['its text', { error: 'Gateway timeout' }],
  ['a status of doubt', { status: 'timed_out', error: 'No account' }],
  ['a status of HTTP', { status: 504, error: 'No account' }],
  ['its code beside success: false', { success: false, error: { code: 'SERVER_ERROR' } }],
  ['a code of its own beside success: false', { success: false, code: 'SERVER_ERROR', error: 'It failed' }],
  ['a number', { error_code: 500 }],
  ['a code that is a number', { error: { code: '503', message: 'No' } }],
  ['its text beside a code that only says that it failed', { error: { code: 'SEND_FAILED', message: 'Timed out' } }],
  ['a text that is a status of HTTP', { error_message: '500' }],
  ['its type', { error: { code: 7, type: 'InternalServerError' } }],
  ['a status of a gateway that gave up', { status: 408, error: 'No account' }],
])('An entry without a message_id is uncertain if the service itself failed, by %s', (_what, given) => {
  expect(entryOutcome({ message_id: null, phone: phoneAt(0), ...given }).kind).toBe('uncertain');
  expect(entryOutcome({ phone: phoneAt(0), ...given, status: 'failed' }).kind).toBe('not_sent');
});

test('An entry without a message_id is uncertain if its status is sent beside an error', () => {
  expect(entryOutcome({ phone: phoneAt(0), status: 'sent', error: 'No account' }).kind).toBe('uncertain');
});

test.each<[string, JsonRecord]>([
  ['an error alone', { error: 'No such number' }],
  ['success: false alone', { success: false }],
  ['a status of HTTP', { status: 422, error: 'Phone invalid' }],
  ['an error beside an unknown status', { status: 'in_review', error: 'No account' }],
  ['a limit', { status: 'rate_limited', error: 'Too many' }],
  ['an unreachable number', { status: 'unreachable', error: 'Not on the app' }],
  ['a code, whatever its text', { error: { code: 'INVALID_PHONE', message: 'No account (unknown error 131026)' } }],
  ['a code of the API, whatever its text', { error: { code: 'VALIDATION_ERROR', message: 'It has "server error"' } }],
  ['sent: false, whatever its code', { sent: false, error: { code: 'SERVER_ERROR' } }],
])('An entry without a message_id was not sent if the service refused it, by %s', (_what, given) => {
  expect(entryOutcome({ message_id: null, phone: phoneAt(0), ...given }).kind).toBe('not_sent');
});

test.each(ODD_VALUES)('An entry is read without harm if its fields are %s', (_name, value) => {
  for (const field of ['status', 'error', 'errors', 'success', 'reason', '__proto__', 'constructor', 'toString']) {
    expect(() =>
      entryOutcome(JSON.parse(`{"message_id":1}`, () => ({ message_id: 1, [field]: value })) as JsonRecord),
    ).not.toThrow();
  }
});

test('A message that the answer does not list is uncertain', () => {
  expect(NOT_LISTED).toMatchObject({ kind: 'uncertain', failure: { code: 'NOT_LISTED', scope: 'request' } });
});
