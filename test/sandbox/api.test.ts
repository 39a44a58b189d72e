import { call, closeSandboxes, get, KEY, messages, post, sandboxWith } from './client';

afterEach(closeSandboxes);

describe.each(['/v1', '/api/v1'])('Under the prefix %s', (prefix) => {
  test('the balance endpoint returns credits, user id and user name', async () => {
    const { url } = await sandboxWith({ credits: 42, userId: 7, userName: 'Made Up' });
    expect(await get(`${url}${prefix}/user/balance`)).toMatchObject({
      status: 200,
      body: { success: true, data: { credits: 42, user_id: 7, user_name: 'Made Up' } },
    });
  });

  test('a single message is sent, charged and listed', async () => {
    const sandbox = await sandboxWith({ credits: 10, now: () => 1_700_000_000_000 });
    const reply = await post(`${sandbox.url}${prefix}/messages/send`, { phone: '447700900123', message: 'Hello' });
    const time = { sent_at: '2023-11-14T22:13:20.000Z' };
    const data = { message_id: 1001, status: 'sent', credits_used: 1, credits_remaining: 9, ...time };
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ success: true, data });
    const origin = { key: 'key 1', endpoint: 'send', request: 1, ...time };
    expect(sandbox.messages()).toEqual([{ id: 1001, phone: '447700900123', message: 'Hello', ...origin }]);
  });

  test('a bulk request is sent, charged and answered with one entry per message', async () => {
    const sandbox = await sandboxWith({ credits: 10 });
    const reply = await post(`${sandbox.url}${prefix}/messages/send-bulk`, { messages: messages(3) });
    const entries = [0, 1, 2].map((n) => ({ message_id: 1001 + n, phone: `44770090000${n}`, status: 'sent' }));
    const data = { messages_sent: 3, credits_used: 3, credits_remaining: 7, messages: entries };
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ success: true, data });
    expect(sandbox.messages().map(({ phone, message }) => ({ phone, message }))).toEqual(messages(3));
  });
});

describe('The authentication', () => {
  test.each([
    ['no Authorization header', {}, 'MISSING_API_KEY'],
    ['another scheme than Bearer', { authorization: 'Basic c2FuZGJveA==' }, 'MISSING_API_KEY'],
    ['no key after Bearer', { authorization: 'Bearer ' }, 'MISSING_API_KEY'],
    ['a wrong key', { authorization: 'Bearer sandbox-kez' }, 'INVALID_API_KEY'],
    ['a key that starts with a valid one', { authorization: 'Bearer sandbox-key2' }, 'INVALID_API_KEY'],
  ])('refuses a request with %s', async (_name, headers: Record<string, string>, code) => {
    const { url } = await sandboxWith();
    const reply = await call(`${url}/v1/user/balance`, { headers });
    expect(reply).toMatchObject({ status: 401, body: { success: false, error: { code } } });
    expect(reply.headers.has('ratelimit-limit')).toBe(false);
  });

  test('gives every key its own balance and its own limit', async () => {
    const sandbox = await sandboxWith({ keys: ['first', 'second'], credits: 5, limit: 1 });
    expect((await post(`${sandbox.url}/v1/messages/send`, messages(1)[0], 'first')).status).toBe(201);
    expect((await post(`${sandbox.url}/v1/messages/send`, messages(1)[0], 'first')).status).toBe(429);
    const second = await get(`${sandbox.url}/v1/user/balance`, 'second');
    expect(second).toMatchObject({ status: 200, body: { data: { credits: 5 } } });
    expect([sandbox.credits('key 1'), sandbox.credits('key 2')]).toEqual([4, 5]);
  });

  test('tells the messages of two keys apart', async () => {
    const sandbox = await sandboxWith({ keys: ['first', 'second'] });
    for (const key of ['second', 'first']) await post(`${sandbox.url}/v1/messages/send`, messages(1)[0], key);
    expect(sandbox.messages().map(({ key }) => key)).toEqual(['key 2', 'key 1']);
  });

  test('never shows a key in the control API', async () => {
    const sandbox = await sandboxWith();
    await post(`${sandbox.url}/v1/messages/send`, messages(1)[0]);
    const reads = ['messages', 'requests', 'state', 'conversations', 'faults'];
    const shown = await Promise.all(reads.map((path) => call(`${sandbox.url}/_sandbox/${path}`)));
    expect(shown.map(({ status }) => status)).toEqual(reads.map(() => 200));
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain(KEY);
  });
});

describe('Credits', () => {
  test('too few for a bulk request give a 402 with both numbers, and nothing is sent or charged', async () => {
    const sandbox = await sandboxWith({ credits: 2 });
    const reply = await post(`${sandbox.url}/v1/messages/send-bulk`, { messages: messages(3) });
    expect(reply.status).toBe(402);
    const message = expect.stringMatching(/\b3 needed, 2 available/) as unknown;
    const error = { code: 'INSUFFICIENT_CREDITS', message, required_credits: 3, available_credits: 2 };
    expect(reply.body).toEqual({ success: false, error });
    expect(sandbox.messages()).toEqual([]);
    expect(sandbox.credits()).toBe(2);
  });

  test('can be spent to the last one, and set again', async () => {
    const sandbox = await sandboxWith({ credits: 3 });
    expect((await post(`${sandbox.url}/v1/messages/send-bulk`, { messages: messages(3) })).status).toBe(201);
    expect((await post(`${sandbox.url}/v1/messages/send`, messages(1)[0])).status).toBe(402);
    sandbox.setCredits(1);
    expect((await post(`${sandbox.url}/v1/messages/send`, messages(1)[0])).status).toBe(201);
    expect(sandbox.credits()).toBe(0);
  });
});

describe('The request limit', () => {
  test('counts down in headers, and lets a request in once the time in the 429 has passed', async () => {
    let now = 1_700_000_000_000;
    const sandbox = await sandboxWith({ limit: 2, windowSeconds: 60, now: () => now });
    const balance = `${sandbox.url}/v1/user/balance`;
    const headers = ({ headers: all }: { headers: Headers }) =>
      ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => all.get(name));

    expect(headers(await get(balance))).toEqual(['2', '1', '60', null]);
    now += 10_500;
    expect(headers(await get(balance))).toEqual(['2', '0', '50', null]);
    const refused = await get(balance);
    expect(refused).toMatchObject({ status: 429, body: { success: false, error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    expect(headers(refused)).toEqual(['2', '0', '50', '50']);
    now += 50_000;
    expect((await get(balance)).status).toBe(200);
  });

  test('is shared by both prefixes and counts rejected requests', async () => {
    const { url } = await sandboxWith({ limit: 4, credits: 0 });
    expect((await post(`${url}/v1/messages/send`, {})).status).toBe(422);
    expect((await post(`${url}/api/v1/messages/send`, messages(1)[0])).status).toBe(402);
    expect((await post(`${url}/v1/messages/send`, '{')).status).toBe(400);
    expect((await get(`${url}/api/v1/user/balance`)).headers.get('ratelimit-remaining')).toBe('0');
    expect((await get(`${url}/v1/user/balance`)).status).toBe(429);
  });

  test('does not count unknown paths, wrong methods and wrong keys', async () => {
    const { url } = await sandboxWith({ limit: 1 });
    await get(`${url}/v1/unknown`);
    await post(`${url}/v1/user/balance`, {});
    await get(`${url}/v1/user/balance`, 'wrong');
    expect((await get(`${url}/v1/user/balance`)).status).toBe(200);
  });

  test('has no headers when it is 0', async () => {
    const { url } = await sandboxWith({ limit: 0 });
    const reply = await get(`${url}/v1/user/balance`);
    expect(reply.status).toBe(200);
    expect(reply.headers.has('ratelimit-limit')).toBe(false);
  });
});

describe('An invalid HTTP request', () => {
  const HUGE = JSON.stringify('x'.repeat(3000));
  test.each([
    ['bad JSON', '/v1/messages/send', { method: 'POST', body: '{', type: 'application/json' }, 400, 'BAD_REQUEST'],
    [
      'plain text',
      '/v1/messages/send',
      { method: 'POST', body: '{}', type: 'text/plain' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a huge body',
      '/v1/messages/send',
      { method: 'POST', body: HUGE, type: 'application/json' },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['an unknown path', '/v1/messages', { method: 'POST', body: 'x', type: 'text/csv' }, 404, 'NOT_FOUND'],
    ['bad JSON to an unknown path', '/v1/x', { method: 'POST', body: '{', type: 'application/json' }, 404, 'NOT_FOUND'],
    ['another prefix', '/v2/user/balance', { method: 'GET', type: 'application/json' }, 404, 'NOT_FOUND'],
    ['a broken escape in its path', '/v1/%zz', { method: 'GET', type: 'application/json' }, 400, 'BAD_REQUEST'],
    ['a wrong method', '/v1/user/balance', { method: 'POST', body: 'x', type: 'text/csv' }, 405, 'METHOD_NOT_ALLOWED'],
  ])('with %s gets a status and a code in the envelope', async (_name, path, { type, ...init }, status, code) => {
    const { url } = await sandboxWith({ bodyLimit: 2000 });
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': type };
    const reply = await call(`${url}${path}`, { ...init, headers });
    const error = { code, message: expect.any(String) as unknown };
    expect(reply).toMatchObject({ status, body: { success: false, error } });
  });

  test('with a wrong method gets the allowed method in a header', async () => {
    const { url } = await sandboxWith();
    expect((await call(`${url}/v1/messages/send`, { method: 'DELETE' })).headers.get('allow')).toBe('POST');
    expect((await call(`${url}/api/v1/user/balance`, { method: 'PUT' })).headers.get('allow')).toBe('GET');
  });
});
