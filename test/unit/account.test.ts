/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** The account in a credential: its address, and its key, which is the account. */
import { runInNewContext } from 'node:vm';

import { MessagingSendApi } from '../../credentials/MessagingSendApi.credentials';
import { BASE_URL_EXPRESSION, normalizeBaseUrl } from '../../nodes/MessagingSend/api/account';
import { readAccounts } from '../../nodes/MessagingSend/n8n/input/credential';
import { KEY } from '../support/contacts';

const BASE_URL = 'https://api.example.com/v1';

/** What the node reads from a credential, or why it can't. */
async function read(credential: { baseUrl?: string; apiKey?: unknown }): Promise<unknown> {
  const context = {
    getCredentials: async () => await Promise.resolve({ baseUrl: BASE_URL, apiKey: KEY, ...credential }),
  };
  return (await readAccounts(context as unknown as Parameters<typeof readAccounts>[0])).of(0);
}

/** What n8n evaluates the expression to for a credential with this Base URL. */
function evaluate(baseUrl: string): unknown {
  const body = /^=\{\{(.*)\}\}$/s.exec(BASE_URL_EXPRESSION)?.[1];
  if (body === undefined) throw new Error('this is not a single expression');
  return runInNewContext(body, { $credentials: { baseUrl } });
}

test.each<[written: string, used: string]>([
  ['https://api.example.com/v1///', 'https://api.example.com/v1'],
  ['\u00a0 https://api.example.com/api/v1/ \n\ufeff', 'https://api.example.com/api/v1'],
  ['api.example.com:8443/v1/', 'https://api.example.com:8443/v1'],
  ['HTTP://localhost:3000/v1', 'HTTP://localhost:3000/v1'],
  ['httpsservice.example.com/v1', 'https://httpsservice.example.com/v1'],
  ['api.example.com/v1?to=https://other.example.com', 'https://api.example.com/v1?to=https://other.example.com'],
  ['$& $1 $`', 'https://$& $1 $`'],
])('The Base URL %j is read as %s, in code and in expressions', (written, used) => {
  expect(normalizeBaseUrl(written)).toBe(used);
  expect(evaluate(written)).toBe(used);
});

const ODD = [
  ...['', ' ', '/', '{{', '}}', '"', '\\', '`', "'", '\ud800', '\0', 'x\ny'],
  ...['https://', 'https:/one', '"); throw new Error("run"); ("'],
];
test.each(ODD)('The Base URL %j is read the same way in code and in expressions', (written) => {
  expect(evaluate(written)).toBe(normalizeBaseUrl(written));
});

const HOSTLESS = ['', '/', 'http://', 'https:/api.example.com/v1', 'htps://api.example.com/v1'];
test.each(HOSTLESS)('A Base URL without a host, %j, is an error', async (baseUrl) => {
  expect(await read({ baseUrl })).toMatchObject({ message: expect.stringMatching(/Base URL/) as string });
});

test.each([
  'https://user:secret@api.example.com/v1',
  'http://:secret@localhost:3000/v1',
  'user:secret@api.example.com/v1',
  'https://user:secret@[/v1',
  'https://secret@example.com@api.example.com/v1',
])('A Base URL with a user name or password, %j, is an error that shows neither', async (baseUrl) => {
  const error = await read({ baseUrl });
  expect(error).toMatchObject({ code: 'NOT_SET_UP', message: expect.stringContaining('password') as string });
  expect(JSON.stringify(error)).not.toMatch(/secret|user:/);
});

test.each(['https://api.example.com/@team/v1', 'https://api.example.com/v1?to=a@b', 'https://api.example.com#@'])(
  "The @ in %s isn't part of a user name",
  async (baseUrl) => expect(await read({ baseUrl })).toMatchObject({ baseUrl }),
);

async function sent(apiKey: string | number): Promise<unknown> {
  const { authenticate } = new MessagingSendApi();
  if (typeof authenticate !== 'function') throw new Error('this is not code');
  const request = { url: '/user/balance', headers: { Accept: 'application/json' } };
  const { headers } = await authenticate({ baseUrl: BASE_URL, apiKey }, request);
  return headers;
}

const WRITTEN = [KEY, ` ${KEY}\n`, `${KEY}\u200b \ufeff`, `made-up\u200b-key\u00ad-012\u20603456789`, 1234567];
test.each(WRITTEN)('The API key %j is used without invisible characters and the spaces around it', async (written) => {
  const apiKey = typeof written === 'number' ? String(written) : KEY;
  expect(await sent(written)).toEqual({ Accept: 'application/json', Authorization: `Bearer ${apiKey}` });
  expect(await read({ apiKey: written })).toMatchObject({ apiKey });
});

const UNUSABLE = ['\u2013', '\n', '\0', '\u2003', '\u0430', '\ud83d\ude00'].map((odd) => `made-up${odd}key`);
test.each(UNUSABLE)('The API key %j is an error that does not show it', async (key) => {
  const message = "The API key contains a character that can't be part of a key";
  const reason = { code: 'NOT_SET_UP', message, scope: 'run' };
  const [failure, error] = await Promise.all([read({ apiKey: key }), sent(key).catch((thrown: unknown) => thrown)]);
  expect(failure).toMatchObject(reason);
  expect(error).toMatchObject({ message, reason });
  expect(JSON.stringify([failure, error])).not.toContain('made');
});

test("The account's ID does not show its key", async () => {
  expect(await read({})).toMatchObject({ id: expect.not.stringContaining(KEY) as string });
});
