import { keyMask } from '../../nodes/MessagingSend/api/account';
import { messageFailure } from '../../nodes/MessagingSend/api/answerFailure';
import type { JsonObject } from '../../nodes/MessagingSend/api/objects';
import { readReply } from '../../nodes/MessagingSend/api/reply';
import { serviceText } from '../../nodes/MessagingSend/api/serviceText';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { descriptionOf } from '../../nodes/MessagingSend/n8n/output/sentences';
import { KEY, phoneAt } from '../support/contacts';
import { failureWith } from './samples';

/** The failure of an answer with this error; without one, it has no body. */
function failure(statusCode: number, error: JsonObject = {}, headers: JsonObject = {}): Failure {
  const body = Object.keys(error).length > 0 ? { success: false, error } : '';
  const reply = readReply({ statusCode, body, headers }, keyMask(KEY));
  if (reply.kind === 'accepted') throw new Error('no failure');
  return reply.failure;
}

const CREDITS = { code: 'INSUFFICIENT_CREDITS' };
const FIGURES = { required_credits: 5, available_credits: 0 };
const INVALID = { code: 'VALIDATION_ERROR' };

test('A failure for a lack of credits has its figures, if the service gives both', () => {
  expect(failure(402, { ...CREDITS, ...FIGURES }).credits).toEqual({ required: 5, available: 0 });
  for (const odd of [{}, { required_credits: 5 }, { required_credits: '5', available_credits: {} }])
    expect(failure(402, { ...CREDITS, ...odd })).not.toHaveProperty('credits');
});

describe('The description of a failure', () => {
  test.each<[unknown, string]>([
    [{ phone: ['is wrong', 'is wrong'], message: 'is too long' }, 'Invalid; phone: is wrong; is too long'],
    [[{ field: 'phone', message: 'is barred' }], 'Invalid; field: phone; is barred'],
    [[{ field: 'messages.3.phone', message: 'is barred' }], 'Invalid; is barred'],
  ])('says what to do and what the service said, each once: %j', (details, said) => {
    expect(descriptionOf(failure(422, { ...INVALID, message: 'Invalid', details }))).toBe(
      `Correct it, then try again. The service says: ${said}.`,
    );
  });

  test.each<[unknown, string]>([
    ['30', 'Wait 30 s'],
    [5, 'Wait 5 s'],
    ...['0', 'soon', '999999999', undefined].map((value): [unknown, string] => [value, 'Wait a minute']),
  ])('says how long to wait, from Retry-After %j', (value, text) => {
    expect(descriptionOf(failure(429, {}, { 'retry-after': value }))).toContain(text);
  });

  test.each<[unknown, string]>([
    ['https://new.example.com/v1/messages?key=secret', ' (https://new.example.com)'],
    ['https://user:secret@new.example.com/', ''],
    ...['/secret', 'JavaScript:alert(1)//<b>', 'ftp://secret.example.com/', '', undefined].map(
      (location): [unknown, string] => [location, ''],
    ),
  ])('says where a redirect leads, and never more than the host: %j', (location, address) => {
    const redirected = failure(302, {}, { location });
    expect(redirected.message).toBe('The address has moved (HTTP 302), and redirects are not followed when sending');
    expect(descriptionOf(redirected)).toBe(`Enter the new address${address} as 'Base URL' in the credential.`);
  });
});

describe('A failure', () => {
  const STATUSES = [200, 302, 400, 401, 402, 422, 429, 500];
  const nasty = `<img src=x onerror=alert(1)> ${phoneAt(123)}`;

  test.each<[string, JsonObject]>([
    ['the message', { ...INVALID, message: nasty }],
    ['a key of the details', { ...INVALID, details: { [nasty]: ['x'] } }],
    ['a text of the details', { ...INVALID, details: { phone: [nasty] } }],
    ['the code', { code: nasty, message: nasty }],
  ])('shows no markup and no phone number from %s', (_where, error) => {
    for (const statusCode of STATUSES) expect(JSON.stringify(failure(statusCode, error))).not.toMatch(/<img|4477009/);
  });

  test('stays short, however much the service says', () => {
    const message = 'x'.repeat(1000);
    const details = Array.from({ length: 1000 }, (_, index) => ({ field: `field_${index}`, message }));
    const shown = failure(422, { ...INVALID, message: message.repeat(10), details });
    expect(descriptionOf(shown).length).toBeLessThan(3000);
    expect(shown.message.length).toBeLessThan(500);
  });
});

const ofRequest = failureWith({ code: 'VALIDATION_ERROR', httpStatus: 422, scope: 'run', message: 'The request' });

test('The failure of one message of a batch contains what the service says about it, without markup and phone numbers', () => {
  const complaints = ['<b>wrong</b>', '', '<b>wrong</b>', `${phoneAt(123)} is blocked`];
  const failed = messageFailure(
    ofRequest,
    complaints.map((text) => ({ index: 3, text })),
  );
  expect(failed).toMatchObject({ code: 'VALIDATION_ERROR', message: 'The service rejected this message' });
  expect(descriptionOf(failed)).toBe(
    'Correct it, then try again. The service says: &lt;b&gt;wrong&lt;/b&gt;; …23 is blocked.',
  );
});

const SAFE = 'Do something.';
const BUSY = { advice: '', serviceSays: 'Busy.' };
const CHECK = 'The message may have been sent: ask the recipient before you send it again.';

test.each([
  ['is its advice', {}, 'not_sent', SAFE],
  ['adds what the service said', { serviceSays: 'Busy' }, 'not_sent', `${SAFE} The service says: Busy.`],
  ['keeps the punctuation of the service', { serviceSays: 'Busy!' }, 'not_sent', `${SAFE} The service says: Busy!`],
  ['says to try again later if there is no advice', { advice: '' }, 'not_sent', 'Try again later.'],
  ['says first to check what may have been sent', {}, 'uncertain', `${CHECK} ${SAFE}`],
  ['says only to check if there is no advice', BUSY, 'uncertain', `${CHECK} The service says: Busy.`],
] as const)('The description of a failure %s', (_what, changed, outcome, text) => {
  expect(descriptionOf(failureWith(changed), outcome)).toBe(text);
});

describe('Text from the service', () => {
  test('has its markup escaped where it is cut', () => {
    for (let before = 280; before < 310; before++)
      expect(serviceText(`${'x'.repeat(before)}<script>"'&`)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
  });

  test.each([
    ['with its markup escaped', `<img onerror="alert('1')"> & <b>`, `&lt;img onerror="alert('1')"&gt; &amp; &lt;b&gt;`],
    ['with the last two digits of a phone number', '447700900123', '…23'],
    ['with the last two digits of each', 'to +447700900123, 447700900124', 'to …23, …24'],
    ['without invisible characters', 'Number \u202e44\u200b7700\ufeff900123 is wrong', 'Number …23 is wrong'],
    ['with its short numbers', 'code 422 of 2024', 'code 422 of 2024'],
    ...[null, undefined, 5, true, ['a'], '', '  '].map((value) => ['empty if it is no text', value, '']),
  ])('is shown %s: %j', (_how, value, shown) => expect(serviceText(value)).toBe(shown));

  test.each(['+44 7700 900123', '44.7700-900.123', '+44 (0)7700 900123', '44\u00a07700\u00a0900123'])(
    'has a phone number masked that is written in groups: %s',
    (number) => expect(serviceText(`Number ${number} is wrong`)).not.toMatch(/7700|9001/),
  );

  test('has a phone number masked that is cut at its end', () => {
    for (let before = 285; before <= 300; before++)
      expect(serviceText(`${'x'.repeat(before - 1)} 447700900123`)).not.toMatch(/\d{3}/);
  });

  test('is cut after 300 characters', () => {
    expect(serviceText('x'.repeat(300))).toBe('x'.repeat(300));
    expect(serviceText('x'.repeat(301))).toBe(`${'x'.repeat(300)}…`);
    expect(serviceText('x'.repeat(10_000_000))).toBe(`${'x'.repeat(300)}…`);
  });
});
