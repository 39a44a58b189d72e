import { accountId } from '../../nodes/MessagingSend/api/account';
import { KEY } from '../support/account';

const idOf = (baseUrl: string, apiKey = KEY) => accountId({ baseUrl, apiKey });

test.each([
  'https://api.example.com/api/v1',
  'https://API.Example.COM/v1',
  'https://api.example.com:443/v1',
  'https://api.example.com./v1',
  'https://api.example.com//v1',
  'http://api.example.com/v1',
  'https://api.example.com',
])('%s shares the limit of a key with https://api.example.com/v1', (baseUrl) => {
  expect(idOf(baseUrl)).toBe(idOf('https://api.example.com/v1'));
});

test.each(['https://other.example.com/v1', 'https://api.example.com:8443/v1', 'https://api.example.com/v2'])(
  '%s has a limit of its own',
  (baseUrl) => {
    expect(idOf(baseUrl)).not.toBe(idOf('https://api.example.com/v1'));
  },
);

test('Two services behind one host have limits of their own, under each of their addresses', () => {
  expect(idOf('https://example.com/a/v1')).not.toBe(idOf('https://example.com/b/v1'));
  expect(idOf('https://example.com/a/v1')).toBe(idOf('https://example.com/a/api/v1'));
});

test('Each key has a limit of its own, and it is not readable', () => {
  expect(idOf('https://api.example.com/v1', 'made-up-other-key')).not.toBe(idOf('https://api.example.com/v1'));
  expect(idOf('https://api.example.com/v1')).not.toContain(KEY);
});

test('An address that is none has an account as well', () => {
  expect(idOf('https://$& $1')).not.toBe(idOf('https://{{'));
});
