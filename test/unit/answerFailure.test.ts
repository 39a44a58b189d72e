import { answerFailure, messageFailure } from '../../nodes/MessagingSend/api/answerFailure';
import { asText, type JsonRecord } from '../../nodes/MessagingSend/api/records';
import { readRetryAfter } from '../../nodes/MessagingSend/api/retryAfter';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { descriptionOf } from '../../nodes/MessagingSend/n8n/output/failureText';
import { phoneAt } from '../support/contacts';
import { failureWith, listOf, ODD_VALUES } from './samples';

function failure(statusCode: number, error: JsonRecord = {}, headers: JsonRecord = {}): Failure {
  const retryAfter = readRetryAfter(headers, Date.now());
  const body = Object.keys(error).length > 0 ? { success: false, error } : '';
  return answerFailure({ statusCode, location: asText(headers.location), error, refused: false, body, retryAfter });
}

const CREDITS = { code: 'INSUFFICIENT_CREDITS' };
const INVALID = { code: 'VALIDATION_ERROR' };

describe('The message of a failure', () => {
  const SEVEN = listOf('a, b, c, d, e, f, g').map((field) => ({ field, message: 'x' }));
  const LIMIT = 'The rate limit is reached: the service allows 60 requests per minute for each API key';
  test.each<[string, number, JsonRecord, string]>([
    ['a missing key', 401, { code: 'MISSING_API_KEY' }, 'The service received no API key'],
    ['a wrong key', 401, { code: 'INVALID_API_KEY' }, 'The API key is not valid'],
    ['a wrong key without a code', 401, {}, 'The API key is not valid'],
    [
      'no credits',
      402,
      { ...CREDITS, required_credits: 5, available_credits: 0 },
      'Not enough credits (5 needed, 0 left)',
    ],
    ['no credits without figures', 402, CREDITS, 'Not enough credits'],
    ['odd figures', 402, { ...CREDITS, required_credits: '<b>', available_credits: null }, 'Not enough credits'],
    ['a value', 422, INVALID, 'The service rejected a value of the request'],
    ['a field', 422, { ...INVALID, details: { phone: ['x'] } }, 'The service rejected the value of phone'],
    ['seven fields', 422, { ...INVALID, details: SEVEN }, 'The service rejected the value of a, b, c, d, e and 2 more'],
    ['too many requests', 429, {}, LIMIT],
    ['a server error', 500, { code: 'SERVER_ERROR' }, 'The service did not finish handling the request (HTTP 500)'],
    ['a failing gateway', 502, {}, 'The service, or a gateway in front of it, did not return a result (HTTP 502)'],
    ['a redirect to nowhere', 301, {}, 'The service redirects the request (HTTP 301), but not to a web address'],
    ['an unknown address', 404, {}, 'The service does not know this address (HTTP 404)'],
    ['no permission', 403, {}, 'The service, or a firewall in front of it, does not allow this request (HTTP 403)'],
    ['an answer of another API', 200, {}, 'The response is not from this API (HTTP 200)'],
    ['any other refusal', 418, {}, 'The service rejected the request (HTTP 418)'],
  ])('names %s', (_what, statusCode, error, message) =>
    expect(failure(statusCode, error)).toMatchObject({ message, httpStatus: statusCode }),
  );
});

describe('A failure for a lack of credits', () => {
  test('has its figures as numbers', () => {
    const error = { ...CREDITS, required_credits: 5, available_credits: 0 };
    expect(failure(402, error).credits).toEqual({ required: 5, available: 0 });
  });

  test.each<[string, JsonRecord]>([
    ['no figures', {}],
    ['one figure', { required_credits: 5 }],
    ['figures that are no numbers', { required_credits: '<b>', available_credits: {} }],
  ])('has none if the service gives %s', (_what, error) => {
    expect(failure(402, { ...CREDITS, ...error })).not.toHaveProperty('credits');
  });
});

describe('A request may have been handled', () => {
  test.each([303, 408, 499, 500, 502, 504, 599])('after the status %i', (statusCode) => {
    for (const error of [{}, { message: 'Gave up' }, { code: 'SOMETHING', message: 'Gave up' }]) {
      const { sendAgain, advice, message } = failure(statusCode, error);
      expect(sendAgain).toBe('checkFirst');
      expect(`${message} ${advice}`).not.toMatch(/refused|Nothing was sent|has moved/);
    }
  });

  test.each(listOf('SERVER_ERROR, INTERNAL_ERROR, UPSTREAM_TIMEOUT, TIMED_OUT, BAD_GATEWAY, PARTIAL_FAILURE'))(
    'after the code %s, whatever the status',
    (code) => {
      for (const statusCode of [200, 201, 400, 409, 422]) {
        const answer = { statusCode, location: '', error: { code }, body: { error: { code } }, retryAfter: null };
        const { sendAgain, advice, message } = answerFailure({ ...answer, refused: statusCode < 300 });
        expect(sendAgain).toBe('checkFirst');
        expect(`${message} ${advice}`).not.toMatch(/refused|Nothing was sent/);
      }
    },
  );

  test.each([301, 302, 307, 308, 400, 404, 405, 409, 413, 415, 417, 418, 421, 423, 425, 426, 428, 429, 431, 451])(
    'but not after the status %i',
    (statusCode) => expect(failure(statusCode).sendAgain).toBe('safe'),
  );
});

describe('The description of a failure', () => {
  test('says what to do and what the service said, each once', () => {
    const details = { phone: ['is wrong', 'is wrong'], message: 'is too long' };
    expect(descriptionOf(failure(422, { ...INVALID, message: 'Invalid', details }))).toBe(
      'Correct it, then try again. The service says: Invalid; phone: is wrong; message: is too long.',
    );
  });

  test.each<[unknown, string]>([
    ['30', 'Wait 30 s'],
    ['0.2', 'Wait 1 s'],
    [5, 'Wait 5 s'],
    ['-1', 'Wait a minute'],
    ['0', 'Wait a minute'],
    ['soon', 'Wait a minute'],
    ['999999999', 'Wait a minute'],
    ['<b>1</b>', 'Wait a minute'],
    [undefined, 'Wait a minute'],
  ])('says how long to wait, from Retry-After %j', (value, text) => {
    expect(descriptionOf(failure(429, {}, { 'retry-after': value }))).toContain(text);
  });

  const NEW_ADDRESS = 'The address has moved (HTTP 302), and redirects are not followed when sending';
  const NO_ADDRESS = 'The service redirects the request (HTTP 302), but not to a web address';
  const CHECK = "Check the Base URL: it ends in /v1 or /api/v1. If it is right, ask the service's support";
  const ENTER = "as 'Base URL' in the credential.";
  test.each<[unknown, string, string]>([
    ['https://new.example.com/v1/messages?key=secret', NEW_ADDRESS, `(https://new.example.com) ${ENTER}`],
    ['https://user:secret@new.example.com/', NEW_ADDRESS, `(https://new.example.com) ${ENTER}`],
    ['//new.example.com/secret', NEW_ADDRESS, `(https://new.example.com) ${ENTER}`],
    ['/secret', NEW_ADDRESS, `Enter the new address ${ENTER}`],
    ['javascript:alert(1)//<b>', NO_ADDRESS, CHECK],
    ['JavaScript:alert(1)', NO_ADDRESS, CHECK],
    ['data:text/html,<script>alert(1)</script>', NO_ADDRESS, CHECK],
    ['file:///secret', NO_ADDRESS, CHECK],
    ['ftp://secret.example.com/', NO_ADDRESS, CHECK],
    ['blob:https://secret.example.com/1', NO_ADDRESS, CHECK],
    ['http://secret:99999/', NO_ADDRESS, CHECK],
    ['http://[secret', NO_ADDRESS, CHECK],
    ['', NO_ADDRESS, CHECK],
    [undefined, NO_ADDRESS, CHECK],
  ])(
    'says where a redirect leads only if that is a web address, and never more than its host: %j',
    (location, message, advice) => {
      const redirected = failure(302, {}, { location });
      expect(redirected).toMatchObject({ code: 'REDIRECTED', message, scope: 'unclear' });
      expect(redirected.advice).toContain(advice);
      expect(`${redirected.message} ${descriptionOf(redirected)}`).not.toMatch(/secret|alert|script|<|null/i);
    },
  );
});

describe('A failure', () => {
  const nasty = `<img src=x onerror=alert(1)> ${phoneAt(123)}`;

  test.each<[string, JsonRecord]>([
    ['the message', { ...INVALID, message: nasty }],
    ['a key of the details', { ...INVALID, details: { [nasty]: ['x'] } }],
    ['a key of the error', { ...INVALID, [nasty]: 'x' }],
    ['a text of the details', { ...INVALID, details: { phone: [nasty] } }],
    ['a field of the details', { ...INVALID, details: [{ field: nasty, message: nasty }] }],
    ['an object as the message', { ...INVALID, message: { text: nasty } }],
    ['the code', { code: nasty, message: nasty }],
  ])('shows no markup and no phone number from %s', (_where, error) => {
    for (const statusCode of [200, 302, 400, 401, 402, 422, 429, 500]) {
      const shown = JSON.stringify(failure(statusCode, error));
      expect(shown).not.toMatch(/<img|4477009/);
    }
  });

  test('does not show the text of a message that the service repeats', () => {
    const repeated = { phone: phoneAt(123), message: 'Dear Anna' };
    const named = [{ ...repeated, index: 0, error: 'is wrong' }];
    for (const details of [[repeated], named, { value: repeated }, { messages: [repeated] }]) {
      expect(JSON.stringify(failure(422, { ...INVALID, details }))).not.toContain('Anna');
    }
  });

  test('does not show the internals of a server', () => {
    const trace = {
      message: 'Server Error',
      exception: 'RuntimeException',
      file: '/srv/app/Sender.php',
      trace: [{ file: '/srv/app/Kernel.php', function: 'handle' }],
    };
    expect(descriptionOf(failure(500, trace))).not.toMatch(/srv|Kernel/);
  });

  test('stays short, however much the service says', () => {
    const message = 'x'.repeat(1000);
    const details = Array.from({ length: 1000 }, (_, index) => ({ field: `field_${index}`, message }));
    const shown = failure(422, { ...INVALID, message: message.repeat(10), details });
    expect(descriptionOf(shown).length).toBeLessThan(3000);
    expect(shown.message.length).toBeLessThan(500);
  });

  test.each(ODD_VALUES)('has a message if the answer has %s in every field', (_name, value) => {
    const error = { code: value, message: value, details: value, required_credits: value, available_credits: value };
    for (const statusCode of [200, 302, 400, 402, 422, 429, 500]) {
      expect(failure(statusCode, error, { 'retry-after': value, location: value }).message).not.toBe('');
      expect(failure(statusCode, { ...error, ...CREDITS }).message).not.toMatch(/undefined|NaN|\[object/);
    }
  });
});

describe('The failure of one message of a batch', () => {
  const request = { httpStatus: 422, message: 'The request', advice: 'The request' };
  const ofRequest = failureWith({ code: 'VALIDATION_ERROR', ...request });
  const phone = ['messages', 3, 'phone'];
  const text = ['messages', 3, 'message'];

  test.each([
    ['its phone', [phone], 'the phone number of this message'],
    ['its text', [text], 'the text of this message'],
    ['its phone and its text', [phone, text], 'the phone number and the text of this message'],
    ['the message', [['messages', 3]], 'this message'],
    ['nothing in particular', [[]], 'this message'],
    ['nothing', [], 'this message'],
  ])('names what is wrong if the service complains about %s', (_what, paths, what) => {
    const complaints = paths.map((path) => ({ path, text: '' }));
    const message = `The service rejected ${what}`;
    const expected = { ...ofRequest, message, advice: 'Correct it, then try again.' };
    expect(messageFailure(ofRequest, complaints)).toEqual(expected);
  });

  test('contains what the service says about it, without markup and phone numbers', () => {
    const texts = ['<b>wrong</b>', '<b>wrong</b>', `${phoneAt(123)} is blocked`];
    const complaints = texts.map((said) => ({ path: ['phone'], text: said }));
    expect(descriptionOf(messageFailure(ofRequest, complaints))).toBe(
      'Correct it, then try again. The service says: &lt;b&gt;wrong&lt;/b&gt;; …23 is blocked.',
    );
  });

  test.each(listOf('constructor, toString, __proto__, hasOwnProperty, valueOf'))('names no field %s', (name) => {
    const { message } = messageFailure(ofRequest, [{ path: ['messages', 0, name], text: '' }]);
    expect(message).toBe('The service rejected this message');
  });

  test('concerns the run if that of the whole request does', () => {
    expect(messageFailure(failureWith({ scope: 'run' }), []).scope).toBe('run');
    expect(messageFailure(failureWith({ scope: 'request' }), []).scope).toBe('request');
  });
});
