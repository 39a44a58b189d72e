import { isObject } from '../../nodes/MessagingSend/api/objects';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { readRequestOptions, type RequestOptions } from '../../nodes/MessagingSend/n8n/input/requestOptions';
import { givenOptions } from '../support/givenOptions';
import { ODD_VALUES } from './samples';

const FIVE_MINUTES = 300_000;
const DEFAULTS = { batchSize: 100, interval: 0, http: { timeout: FIVE_MINUTES }, failure: null };

function read(collection: unknown): RequestOptions & { failure: Failure | null } {
  const given = givenOptions({}, isObject(collection) ? collection : {});
  const options = readRequestOptions(given);
  return { ...options, failure: given.failure };
}

test.each<[given: number | undefined, size: number, interval: number, timeout: number]>([
  [50, 50, 50, 50],
  [2.9, 2, 2.9, 2.9],
  [500, 100, 500, 500],
  [undefined, 100, 0, FIVE_MINUTES],
])(
  '%s is read as %s items per batch, an interval of %s ms, and a timeout of %s ms',
  (given, size, interval, timeout) => {
    const options = read({ batching: { batch: { batchSize: given, batchInterval: given } }, timeout: given });
    expect(options).toMatchObject({ batchSize: size, interval, http: { timeout }, failure: null });
  },
);

test("Items per Batch of -1 and 0 are read in n8n's way", () => {
  const sizeOf = (batchSize: number) => read({ batching: { batch: { batchSize } } }).batchSize;
  expect([-1, 0].map(sizeOf)).toEqual([100, 1]);
});

test('Numbers that expressions give as texts are read as numbers', () => {
  const batch = { batchSize: '10', batchInterval: '2000' };
  expect(read({ batching: { batch }, timeout: ' 600000 ' })).toEqual({
    batchSize: 10,
    interval: 2000,
    http: { timeout: 600_000 },
    failure: null,
  });
  for (const timeout of ['a minute', 0]) {
    expect(read({ timeout }).failure?.message).toBe("'Timeout' must be a number of at least 1");
  }
});

test('SSL issues are ignored only if that is switched on', () => {
  expect(read({ allowUnauthorizedCerts: true }).http.skipSslCertificateValidation).toBe(true);
  for (const value of [false, 'false', ''])
    expect(read({ allowUnauthorizedCerts: value }).http.skipSslCertificateValidation).toBeUndefined();
});

describe('Proxy', () => {
  test.each<[string, object | undefined]>([
    ['', undefined],
    ['proxy.example.com:3128', { host: 'proxy.example.com', port: 3128, protocol: 'http' }],
    ['http://proxy.example.com', { host: 'proxy.example.com', port: 80, protocol: 'http' }],
    ['https://proxy.example.com', { host: 'proxy.example.com', port: 443, protocol: 'https' }],
    [
      'http://us%40er:p%3Ass@proxy.example.com:3128',
      { host: 'proxy.example.com', port: 3128, protocol: 'http', auth: { username: 'us%40er', password: 'p%3Ass' } },
    ],
  ])('given as %j is read as %j', (proxy, expected) => expect(read({ proxy }).http.proxy).toEqual(expected));

  test.each([
    'http://',
    'http://a:50%off@proxy.example.com',
    'http://proxy example.com',
    'http://user:secret@',
    'http://user:secret@proxy.example.com:99999',
    'socks5://example.com:1080',
  ])('that is not an address, or of another kind, is an error without its password: %s', (proxy) => {
    // No part of the message may be the password.
    expect(read({ proxy }).failure?.message).toMatch(/^(?!.*secret)/s);
  });
});

test.each(ODD_VALUES)('Request Options of %s change nothing', (_name, value) => {
  for (const options of [value, { batching: value }, { batching: { batch: value } }]) {
    expect(read(options)).toEqual(DEFAULTS);
  }
});
