import { runInNewContext } from 'node:vm';

import { BASE_URL_EXPRESSION, normalizeBaseUrl } from '../../nodes/MessagingSend/api/account';
import { readAccount } from '../../nodes/MessagingSend/n8n/input/account';
import { KEY } from '../support/account';

/** What n8n evaluates the expression to for a credential with this Base URL. */
function evaluate(baseUrl: string): unknown {
  const body = /^=\{\{(.*)\}\}$/s.exec(BASE_URL_EXPRESSION)?.[1];
  if (body === undefined) throw new Error('this is not a single expression');
  return runInNewContext(body, { $credentials: { baseUrl } });
}

const ADDRESSES: Array<[written: string, used: string]> = [
  ['https://api.example.com/v1///', 'https://api.example.com/v1'],
  ['\u00a0 https://api.example.com/api/v1/ \n\ufeff', 'https://api.example.com/api/v1'],
  ['api.example.com:8443/v1/', 'https://api.example.com:8443/v1'],
  ['http://localhost:3000/v1', 'http://localhost:3000/v1'],
  ['localhost:3000/v1', 'https://localhost:3000/v1'],
  ['HTTP://localhost:3000/v1', 'HTTP://localhost:3000/v1'],
  ['httpsservice.example.com/v1', 'https://httpsservice.example.com/v1'],
  ['api.example.com/v1?to=https://other.example.com', 'https://api.example.com/v1?to=https://other.example.com'],
  ['$& $1 $`', 'https://$& $1 $`'],
];

test.each(ADDRESSES)('The Base URL %j is read as %s, in code and in expressions', (written, used) => {
  expect(normalizeBaseUrl(written)).toBe(used);
  expect(evaluate(written)).toBe(used);
});

const ODD = ['', ' ', '/', 'https://', '{{', '}}', '"', '\\', '`', "'", '\ud800', '\0', 'x\ny', 'https:/one'];
test.each(ODD)('The Base URL %j is read alike in code and in expressions', (written) => {
  expect(evaluate(written)).toBe(normalizeBaseUrl(written));
});

async function read(baseUrl: string): Promise<unknown> {
  const context = { getCredentials: async () => await Promise.resolve({ baseUrl, apiKey: KEY }) };
  return await readAccount(context as unknown as Parameters<typeof readAccount>[0]).catch((thrown: unknown) => thrown);
}

test.each(['', '/', 'http://'])('A Base URL without a host, %j, is an error', async (baseUrl) => {
  expect(await read(baseUrl)).toMatchObject({ message: expect.stringMatching(/Base URL/) as string });
});

test.each([
  'https://user:secret@api.example.com/v1',
  'http://:secret@localhost:3000/v1',
  'user:secret@api.example.com/v1',
  'https://user:secret@[/v1',
  'https://secret@example.com@api.example.com/v1',
])('A Base URL with a user name or password, %j, is an error that shows neither', async (baseUrl) => {
  const error = await read(baseUrl);
  const message = expect.stringContaining('password') as string;
  expect(error).toMatchObject({ reason: { code: 'NOT_SET_UP', message } });
  expect(JSON.stringify(error)).not.toMatch(/secret|example/);
});

test.each(['https://api.example.com/@team/v1', 'https://api.example.com/v1?to=a@b', 'https://api.example.com#@'])(
  'The @ in %s belongs to no user name',
  async (baseUrl) => expect(await read(baseUrl)).toMatchObject({ baseUrl }),
);

test('No part of a Base URL is run as code', () => {
  expect(evaluate('"); throw new Error("run"); ("')).toBe('https://"); throw new Error("run"); ("');
});
