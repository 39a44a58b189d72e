import { call, closeSandboxes, get, KEY, messages, post, sandboxWith } from './client';

afterEach(closeSandboxes);

describe.each(['/v1', '/api/v1'])('the endpoints under %s', (prefix) => {
  test('the balance', async () => {
    const { url } = await sandboxWith({ credits: 42, userId: 7, userName: 'Made Up' });
    expect(await get(`${url}${prefix}/user/balance`)).toMatchObject({
      status: 200,
      body: { success: true, data: { credits: 42, user_id: 7, user_name: 'Made Up' } },
    });
  });

  test('a single message is sent, charged and in the list', async () => {
    const sandbox = await sandboxWith({ credits: 10, now: () => 1_700_000_000_000 });
    const reply = await post(`${sandbox.url}${prefix}/messages/send`, { phone: '447700900123', message: 'Hello' });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      success: true,
      data: {
        message_id: 1001,
        status: 'sent',
        credits_used: 1,
        credits_remaining: 9,
        sent_at: '2023-11-14T22:13:20.000Z',
      },
    });
    expect(sandbox.messages()).toEqual([
      {
        id: 1001,
        phone: '447700900123',
        message: 'Hello',
        key: 'key 1',
        endpoint: 'send',
        request: 1,
        sent_at: '2023-11-14T22:13:20.000Z',
      },
    ]);
  });

  test('a bulk request is sent, charged and answered entry by entry', async () => {
    const sandbox = await sandboxWith({ credits: 10 });
    const reply = await post(`${sandbox.url}${prefix}/messages/send-bulk`, { messages: messages(3) });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      success: true,
      data: {
        messages_sent: 3,
        credits_used: 3,
        credits_remaining: 7,
        messages: [
          { message_id: 1001, phone: '447700900000', status: 'sent' },
          { message_id: 1002, phone: '447700900001', status: 'sent' },
          { message_id: 1003, phone: '447700900002', status: 'sent' },
        ],
      },
    });
    expect(sandbox.messages().map(({ phone, message }) => ({ phone, message }))).toEqual(messages(3));
  });
});

describe('authentication', () => {
  test.each([
    ['no header', {}, 'MISSING_API_KEY'],
    ['another scheme', { authorization: 'Basic c2FuZGJveA==' }, 'MISSING_API_KEY'],
    ['no key after Bearer', { authorization: 'Bearer ' }, 'MISSING_API_KEY'],
    ['a wrong key', { authorization: 'Bearer sandbox-kez' }, 'INVALID_API_KEY'],
    ['a longer key', { authorization: 'Bearer sandbox-key2' }, 'INVALID_API_KEY'],
  ])('%s', async (_name, headers: Record<string, string>, code) => {
    const { url } = await sandboxWith();
    const reply = await call(`${url}/v1/user/balance`, { headers });
    expect(reply).toMatchObject({ status: 401, body: { success: false, error: { code } } });
    expect(reply.headers.has('ratelimit-limit')).toBe(false);
  });

  test('every key has its own balance and its own limit', async () => {
    const sandbox = await sandboxWith({ keys: ['first', 'second'], credits: 5, limit: 1 });
    expect((await post(`${sandbox.url}/v1/messages/send`, messages(1)[0], 'first')).status).toBe(201);
    expect((await post(`${sandbox.url}/v1/messages/send`, messages(1)[0], 'first')).status).toBe(429);
    const second = await get(`${sandbox.url}/v1/user/balance`, 'second');
    expect(second).toMatchObject({ status: 200, body: { data: { credits: 5 } } });
    expect([sandbox.credits('key 1'), sandbox.credits('key 2')]).toEqual([4, 5]);
  });

  test('no key is ever shown', async () => {
    const sandbox = await sandboxWith();
    await post(`${sandbox.url}/v1/messages/send`, messages(1)[0]);
    const reads = ['messages', 'requests', 'state', 'conversations', 'faults'];
    const shown = await Promise.all(reads.map((path) => call(`${sandbox.url}/_sandbox/${path}`)));
    expect(shown.map(({ status }) => status)).toEqual(reads.map(() => 200));
    expect(JSON.stringify(shown.map(({ body }) => body))).not.toContain(KEY);
  });
});

describe('credits', () => {
  test('too few for a bulk request: 402 with both numbers, nothing sent or charged', async () => {
    const sandbox = await sandboxWith({ credits: 2 });
    const reply = await post(`${sandbox.url}/v1/messages/send-bulk`, { messages: messages(3) });
    expect(reply.status).toBe(402);
    expect(reply.body).toEqual({
      success: false,
      error: {
        code: 'INSUFFICIENT_CREDITS',
        message: expect.stringMatching(/\b3 needed, 2 available/),
        required_credits: 3,
        available_credits: 2,
      },
    });
    expect(sandbox.messages()).toEqual([]);
    expect(sandbox.credits()).toBe(2);
  });

  test('the last credits can be spent', async () => {
    const sandbox = await sandboxWith({ credits: 3 });
    expect((await post(`${sandbox.url}/v1/messages/send-bulk`, { messages: messages(3) })).status).toBe(201);
    expect((await post(`${sandbox.url}/v1/messages/send`, messages(1)[0])).status).toBe(402);
    sandbox.setCredits(1);
    expect((await post(`${sandbox.url}/v1/messages/send`, messages(1)[0])).status).toBe(201);
    expect(sandbox.credits()).toBe(0);
  });
});

describe('the limit, over HTTP', () => {
  test('headers count down, the 429 says when to come back, and that is true', async () => {
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

  test('both prefixes share a bucket, and rejected requests count', async () => {
    const { url } = await sandboxWith({ limit: 4, credits: 0 });
    expect((await post(`${url}/v1/messages/send`, {})).status).toBe(422);
    expect((await post(`${url}/api/v1/messages/send`, messages(1)[0])).status).toBe(402);
    expect((await post(`${url}/v1/messages/send`, '{')).status).toBe(400);
    expect((await get(`${url}/api/v1/user/balance`)).headers.get('ratelimit-remaining')).toBe('0');
    expect((await get(`${url}/v1/user/balance`)).status).toBe(429);
  });

  test('unknown paths, wrong methods and wrong keys do not count', async () => {
    const { url } = await sandboxWith({ limit: 1 });
    await get(`${url}/v1/unknown`);
    await post(`${url}/v1/user/balance`, {});
    await get(`${url}/v1/user/balance`, 'wrong');
    expect((await get(`${url}/v1/user/balance`)).status).toBe(200);
  });

  test('a limit of 0 has no headers', async () => {
    const { url } = await sandboxWith({ limit: 0 });
    const reply = await get(`${url}/v1/user/balance`);
    expect(reply.status).toBe(200);
    expect(reply.headers.has('ratelimit-limit')).toBe(false);
  });
});

describe('requests the API can not read', () => {
  test.each([
    ['bad JSON', '/v1/messages/send', { method: 'POST', body: '{', type: 'application/json' }, 400, 'BAD_REQUEST'],
    ['text', '/v1/messages/send', { method: 'POST', body: '{}', type: 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a huge body',
      '/v1/messages/send',
      { method: 'POST', body: JSON.stringify('x'.repeat(3000)), type: 'application/json' },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['an unknown path', '/v1/messages', { method: 'POST', body: 'x', type: 'text/csv' }, 404, 'NOT_FOUND'],
    ['bad JSON to an unknown path', '/v1/x', { method: 'POST', body: '{', type: 'application/json' }, 404, 'NOT_FOUND'],
    ['a path outside', '/v2/user/balance', { method: 'GET', type: 'application/json' }, 404, 'NOT_FOUND'],
    ['a broken address', '/v1/%zz', { method: 'GET', type: 'application/json' }, 400, 'BAD_REQUEST'],
    ['a wrong method', '/v1/user/balance', { method: 'POST', body: 'x', type: 'text/csv' }, 405, 'METHOD_NOT_ALLOWED'],
  ])('%s', async (_name, path, { type, ...init }, status, code) => {
    const { url } = await sandboxWith({ bodyLimit: 2000 });
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': type };
    const reply = await call(`${url}${path}`, { ...init, headers });
    expect(reply).toMatchObject({ status, body: { success: false, error: { code, message: expect.any(String) } } });
  });

  test('405 names the method that is allowed', async () => {
    const { url } = await sandboxWith();
    expect((await call(`${url}/v1/messages/send`, { method: 'DELETE' })).headers.get('allow')).toBe('POST');
    expect((await call(`${url}/api/v1/user/balance`, { method: 'PUT' })).headers.get('allow')).toBe('GET');
  });
});
