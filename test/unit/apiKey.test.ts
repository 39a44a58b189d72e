import { MessagingSendApi } from '../../credentials/MessagingSendApi.credentials';
import { readAccount } from '../../nodes/MessagingSend/n8n/input/account';
import { KEY } from '../support/account';

const BASE_URL = 'https://api.example.com/v1';

/** What the credential adds to a request. */
async function sent(apiKey: string | number): Promise<unknown> {
  const { authenticate } = new MessagingSendApi();
  if (typeof authenticate !== 'function') throw new Error('this is not code');
  const { headers } = await authenticate(
    { baseUrl: BASE_URL, apiKey },
    { url: '/user/balance', headers: { Accept: 'application/json' } },
  );
  return headers;
}

async function read(apiKey: unknown): Promise<unknown> {
  const context = {
    getCredentials: async () => await Promise.resolve({ baseUrl: BASE_URL, apiKey }),
  };
  return (await readAccount(context as unknown as Parameters<typeof readAccount>[0])).apiKey;
}

test.each([KEY, ` ${KEY}\n`, `${KEY}\u200b \ufeff`, `made-up\u200b-key\u00ad-012\u20603456789`])(
  'The API key %j is used without spaces around it and without invisible characters',
  async (written) => {
    await expect(sent(written)).resolves.toEqual({ Accept: 'application/json', Authorization: `Bearer ${KEY}` });
    await expect(read(written)).resolves.toBe(KEY);
  },
);

test('An API key that is a number is used as it is', async () => {
  await expect(sent(1234567)).resolves.toMatchObject({ Authorization: 'Bearer 1234567' });
  await expect(read(1234567)).resolves.toBe('1234567');
});

test.each([
  ['made-up\u2013key', 'a typographic dash'],
  ['made-up\nkey', 'a line break'],
  ['made-up\0key', 'a control character'],
  ['made-up\tkey', 'a control character'],
  ['made\u2003up', 'an unusual space'],
  ['made-up-\u2022\u2022\u2022\u2022', 'a dot that hides a part of it'],
  ['m\u0430de-up', 'a letter that is not Latin'],
  ['made-up\ud83d\ude00', 'a symbol'],
])('The API key %j is an error that says: %s', async (key, kind) => {
  const message = `The API key contains ${kind}, which can't be part of a key`;
  for (const used of [read(key), sent(key)]) {
    const error: unknown = await used.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message, reason: { code: 'NOT_SET_UP', message, scope: 'run' } });
    expect(JSON.stringify(error)).not.toContain('made');
  }
});
