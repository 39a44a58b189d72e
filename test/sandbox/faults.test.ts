import { connect } from 'node:net';

import { check } from '../../sandbox/check';
import type { JsonValue } from '../../sandbox/details';
import { FaultPlan } from '../../sandbox/faultPlan';
import { FAULT, type Fault } from '../../sandbox/faults';
import type { Sandbox } from '../../sandbox/server';
import { call, closeSandboxes, get, KEY, messages, post, type Reply, sandboxWith } from './client';

afterEach(closeSandboxes);

/** The answer to a bulk request of 5, or 'cut' when there was none, and what it did. */
async function bulkUnder(
  fault: Fault,
): Promise<{ reply: Reply | 'cut'; sandbox: Sandbox; sent: number; charged: number }> {
  const sandbox = await sandboxWith({ credits: 100, faults: [fault], now: () => 1_700_000_000_000 });
  const asked = post(`${sandbox.url}/v1/messages/send-bulk`, { messages: messages(5) });
  const reply = await asked.catch(() => 'cut' as const);
  return { reply, sandbox, sent: sandbox.messages().length, charged: 100 - sandbox.credits() };
}

describe('A fault of kind', () => {
  const answered: Array<[string, number, number, Fault]> = [
    ['status', 500, 0, { kind: 'status', status: 500 }],
    ['status (handled)', 500, 5, { kind: 'status', status: 500, handled: true }],
    ['html', 502, 0, { kind: 'html' }],
    ['html (handled)', 504, 5, { kind: 'html', handled: true, status: 504 }],
    ['body', 200, 0, { kind: 'body', status: 200, body: '{"success":false}' }],
    ['body (handled)', 201, 5, { kind: 'body', status: 201, body: '', handled: true }],
    ['redirect', 307, 0, { kind: 'redirect', location: '/elsewhere' }],
    ['redirect (handled)', 303, 5, { kind: 'redirect', location: '/elsewhere', status: 303, handled: true }],
    ['delay', 201, 5, { kind: 'delay', ms: 1 }],
    ['bulk-answer', 201, 5, { kind: 'bulk-answer', shape: 'missing' }],
    ['unsent', 201, 3, { kind: 'unsent', indices: [0, 3] }],
  ];
  test.each(answered)('%s answers with %i and sends %i of 5 messages', async (_name, status, count, fault) => {
    const { reply, sandbox, sent, charged } = await bulkUnder(fault);
    expect(reply).toMatchObject({ status });
    expect({ sent, charged }).toEqual({ sent: count, charged: count });
    expect(sandbox.requests()).toMatchObject([{ status, messages: 5, sent: count, fault: fault.kind }]);
  });

  const cut: Array<[string, number, Fault]> = [
    ['reset-before', 0, { kind: 'reset-before' }],
    ['reset-during', 2, { kind: 'reset-during' }],
    ['reset-during (sent: 4)', 4, { kind: 'reset-during', sent: 4 }],
    ['reset-during (sent: 0)', 0, { kind: 'reset-during', sent: 0 }],
    ['reset-before (by text)', 0, { kind: 'reset-before', text: 'Text 3' }],
    ['reset-after', 5, { kind: 'reset-after' }],
  ];
  test.each(cut)('%s cuts the connection and sends %i of 5 messages', async (_name, count, fault) => {
    const { reply, sandbox, sent, charged } = await bulkUnder(fault);
    expect(reply).toBe('cut');
    expect({ sent, charged }).toEqual({ sent: count, charged: count });
    expect(sandbox.messages().map(({ phone }) => phone)).toEqual(messages(count).map(({ phone }) => phone));
    expect(sandbox.requests()).toMatchObject([{ status: null, sent: count, fault: fault.kind }]);
    expect((await get(`${sandbox.url}/v1/user/balance`)).status).toBe(200);
  });

  test('half-body sends all messages and half of the answer under its full length', async () => {
    const sandbox = await sandboxWith({ faults: [{ kind: 'half-body' }] });
    const raw = await rawBalance(sandbox);
    const [head = '', body = ''] = raw.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(length).toBeGreaterThan(20);
    expect(body).toHaveLength(Math.floor(length / 2));

    const bulk = await bulkUnder({ kind: 'half-body' });
    expect(bulk.reply).toBe('cut');
    expect([bulk.sent, bulk.charged]).toEqual([5, 5]);
    expect(bulk.sandbox.requests()).toMatchObject([{ status: 201, sent: 5 }]);
  });

  test.each([
    [0, {}],
    [5, { handled: true }],
  ])(
    'silence gives no answer, sends %i of 5 messages and does not keep the sandbox from closing: %j',
    async (count, rest) => {
      const sandbox = await sandboxWith({ faults: [{ kind: 'silence', ...rest }] });
      const giveUp = new AbortController();
      const body = JSON.stringify({ messages: messages(5) });
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
      const ask = async (rest: RequestInit = {}) =>
        await call(`${sandbox.url}/v1/messages/send-bulk`, { method: 'POST', headers, body, ...rest });
      const reply = ask({ signal: giveUp.signal });
      while (sandbox.requests()[0]?.messages !== 5) await new Promise(setImmediate);
      giveUp.abort();
      await expect(reply).rejects.toThrow(/aborted/);
      expect(sandbox.messages()).toHaveLength(count);

      sandbox.setFaults([{ kind: 'silence', ...rest }]);
      const second = ask().catch(() => 'cut');
      while (sandbox.requests()[1]?.messages !== 5) await new Promise(setImmediate);
      await sandbox.close();
      expect(await second).toBe('cut');
    },
  );

  test('reset-after does not send an invalid request', async () => {
    const sandbox = await sandboxWith({ faults: [{ kind: 'reset-after' }] });
    await expect(post(`${sandbox.url}/v1/messages/send`, { phone: '+1', message: '' })).rejects.toThrow();
    expect(sandbox.messages()).toEqual([]);
  });

  test('delay does not keep the sandbox from closing', async () => {
    const sandbox = await sandboxWith({ faults: [{ kind: 'delay', ms: 3_600_000 }] });
    const reply = post(`${sandbox.url}/v1/messages/send`, messages(1)[0]).catch(() => 'cut');
    while (sandbox.messages().length === 0) await new Promise(setImmediate);
    expect(sandbox.requests()).toMatchObject([{ status: null, duration_ms: null }]);
    await sandbox.close();
    await reply;
  });
});

/** All bytes of the answer, whole or not. */
function rawBalance({ port }: Sandbox): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET /v1/user/balance HTTP/1.1\r\nHost: sandbox\r\nAuthorization: Bearer ${KEY}\r\n\r\n`);
    });
    socket.setEncoding('utf8');
    socket.on('data', (part) => (received += String(part)));
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
}

describe('A fault that replaces the answer', () => {
  const bulk = async (fault: Fault) => {
    const { reply } = await bulkUnder(fault);
    if (reply === 'cut') throw new Error('no answer');
    return reply;
  };

  test.each([
    [401, 'INVALID_API_KEY'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [422, 'VALIDATION_ERROR'],
    [429, 'RATE_LIMIT_EXCEEDED'],
    [500, 'SERVER_ERROR'],
    [503, 'HTTP_503'],
  ])('answers status %i with the code %s', async (status, code) => {
    expect(await bulk({ kind: 'status', status })).toMatchObject({ status, body: { success: false, error: { code } } });
  });

  test('answers 402 with the numbers of the request, or its own', async () => {
    expect((await bulk({ kind: 'status', status: 402 })).body).toMatchObject({
      error: { message: 'Insufficient credits: 5 needed, 4 available', required_credits: 5, available_credits: 4 },
    });
    const error = { required_credits: 9, available_credits: 3 };
    expect((await bulk({ kind: 'status', status: 402, error })).body).toMatchObject({
      error: { message: 'Insufficient credits: 9 needed, 3 available', ...error },
    });
  });

  test('answers 422 with details in a named shape, about given fields, or in any JSON', async () => {
    const detailed = async (rest: Partial<Fault & { kind: 'status' }>) =>
      (await bulk({ kind: 'status', status: 422, ...rest })).body;
    expect(await detailed({})).toMatchObject({ error: { details: [{ field: 'messages.0.phone' }] } });
    const shaped = await detailed({ detailsShape: 'array-with-nulls', fields: ['messages.3.phone'] });
    expect(shaped).toMatchObject({ error: { details: [null, null, null, { phone: [expect.any(String)] }, null] } });
    expect(await detailed({ details: null })).toMatchObject({ error: { details: null } });
    const hostile = JSON.parse('{"__proto__":{"phone":"x"},"list":[null,{"a":1}]}') as JsonValue;
    expect(JSON.stringify(await detailed({ details: hostile }))).toContain(JSON.stringify(hostile));
  });

  test.each([
    [null, {}],
    ['7', { retryAfter: 7 }],
    ['soon', { retryAfter: 'soon' }],
    ['Tue, 14 Nov 2023 22:13:30 GMT', { retryAfter: { dateInSeconds: 10 } }],
  ])('answers with Retry-After %p for %j', async (expected, rest) => {
    expect((await bulk({ kind: 'status', status: 429, ...rest })).headers.get('retry-after')).toBe(expected);
  });

  test('answers 429 without a code', async () => {
    const { body } = await bulk({ kind: 'status', status: 429, code: null, message: 'Slow down' });
    expect(body).toEqual({ success: false, error: { message: 'Slow down' } });
  });

  test('answers with an HTML page', async () => {
    const reply = await bulk({ kind: 'html' });
    expect(reply.headers.get('content-type')).toMatch(/^text\/html/);
    expect(reply.body).toMatch(/<h1>Bad Gateway/);
  });

  test('answers with an unchanged body, of the given content type or none', async () => {
    const cutJson = await bulk({ kind: 'body', status: 201, body: '{"success":tr' });
    expect(cutJson).toMatchObject({ status: 201, body: '{"success":tr' });
    expect(cutJson.headers.get('content-type')).toMatch(/^application\/json/);
    const untyped = await bulk({ kind: 'body', status: 200, body: 'hello', contentType: null });
    expect(untyped.body).toBe('hello');
    expect(untyped.headers.has('content-type')).toBe(false);
  });

  test('answers with a redirect', async () => {
    const reply = await bulk({ kind: 'redirect', location: 'https://elsewhere.invalid/v1' });
    expect(reply.headers.get('location')).toBe('https://elsewhere.invalid/v1');
  });
});

describe('A bulk answer that differs from what was sent', () => {
  const phones = messages(5).map(({ phone }) => phone);
  const entries = phones.map((phone, index) => ({ message_id: 1001 + index, phone, status: 'sent' }));
  const failed = [...entries.slice(0, 4), { ...entries[4], status: 'failed' }];
  test.each<[Omit<Fault & { kind: 'bulk-answer' }, 'kind'>, unknown[]]>([
    [{ shape: 'missing' }, entries.slice(1)],
    [{ shape: 'missing', indices: [1, 3] }, [entries[0], entries[2], entries[4]]],
    [{ shape: 'doubled' }, [entries[0], ...entries]],
    [{ shape: 'reordered' }, entries.toReversed()],
    [{ shape: 'other-status' }, entries.map((entry) => ({ ...entry, status: 'queued' }))],
    [{ shape: 'other-status', status: 'failed', indices: [4] }, failed],
    [{ shape: 'number-phones' }, entries.map((entry) => ({ ...entry, phone: Number(entry.phone) }))],
    [{ shape: 'plus-phones' }, entries.map((entry) => ({ ...entry, phone: `+${entry.phone}` }))],
    [{ shape: 'no-phones' }, entries.map(({ message_id, status }) => ({ message_id, status }))],
  ])('comes from the fault %j', async (fault, expected) => {
    const { reply, sent } = await bulkUnder({ kind: 'bulk-answer', ...fault });
    expect(reply).toMatchObject({ status: 201, body: { data: { messages_sent: 5, credits_used: 5 } } });
    expect(reply).toHaveProperty('body.data.messages', expected);
    expect(sent).toBe(5);
  });
});

describe('Messages that the service accepts and does not send', () => {
  const [first, ...others] = messages(5).map(({ phone }) => phone);
  const sentEntries = others.map((phone, index) => ({ message_id: 1001 + index, phone, status: 'sent' }));
  test.each<[Fault & { kind: 'unsent' }, object]>([
    [{ kind: 'unsent' }, { status: 'failed' }],
    [
      { kind: 'unsent', status: null, error: 'Not registered' },
      { status: null, error: 'Not registered' },
    ],
    [
      { kind: 'unsent', status: 'not_delivered', error: { code: 'UNKNOWN' }, messageId: true },
      { message_id: 1_000_001_000, status: 'not_delivered', error: { code: 'UNKNOWN' } },
    ],
  ])('are reported by the fault %j, neither sent nor charged', async (fault, entry) => {
    const { reply, sent, charged } = await bulkUnder(fault);
    const data = { messages_sent: 4, credits_used: 4, credits_remaining: 96 };
    expect(reply).toMatchObject({ status: 201, body: { data } });
    expect(reply).toHaveProperty('body.data.messages', [{ phone: first, ...entry }, ...sentEntries]);
    expect([sent, charged]).toEqual([4, 4]);
  });

  test('are those that the fault names by number or text', async () => {
    const { sandbox } = await bulkUnder({ kind: 'unsent', phones: ['447700900001'], text: 'Text 3' });
    expect(sandbox.messages().map(({ message }) => message)).toEqual(['Text 0', 'Text 2', 'Text 4']);
  });

  test('are reported in the answer to a single send, too', async () => {
    const sandbox = await sandboxWith({ credits: 5, faults: [{ kind: 'unsent', error: 'Not registered' }] });
    const { status, body } = await post(`${sandbox.url}/v1/messages/send`, messages(1)[0]);
    const data = { status: 'failed', error: 'Not registered', credits_used: 0, credits_remaining: 5 };
    expect({ status, body }).toEqual({ status: 201, body: { success: true, data } });
    expect(sandbox.messages()).toEqual([]);
  });
});

describe('An outage', () => {
  /** The status of each request in turn; the time is in seconds. */
  const statuses = async (fault: Fault, requests: Array<'balance' | 'send' | number>) => {
    let now = 0;
    const sandbox = await sandboxWith({ limit: 0, faults: [fault], now: () => now });
    const found: number[] = [];
    for (const request of requests) {
      if (typeof request === 'number') {
        now = request * 1000;
        continue;
      }
      const url = `${sandbox.url}/v1`;
      const reply = request === 'balance' ? get(`${url}/user/balance`) : post(`${url}/messages/send`, messages(1)[0]);
      found.push((await reply).status);
    }
    return found;
  };

  test('lasts for a number of balance requests, however much is sent', async () => {
    const fault: Fault = { kind: 'status', status: 503, after: 1, balanceRequests: 2 };
    const found = await statuses(fault, ['balance', 'send', 'send', 'balance', 'send', 'balance', 'send']);
    expect(found).toEqual([200, 503, 503, 503, 503, 503, 201]);
  });

  test('of sending alone lasts for a number of balance requests, too', async () => {
    const fault: Fault = { kind: 'html', on: 'send', balanceRequests: 1 };
    const found = await statuses(fault, ['balance', 'send', 'send', 'balance', 'send']);
    expect(found).toEqual([200, 502, 502, 200, 201]);
  });

  test('ends some seconds after the first request that it hits', async () => {
    const fault: Fault = { kind: 'html', status: 200, after: 1, seconds: 60 };
    const found = await statuses(fault, ['send', 30, 'send', 'balance', 89, 'send', 90, 'send']);
    expect(found).toEqual([201, 200, 200, 200, 201]);
  });

  test('lasts for good with a probability of 1: an instance that is not connected refuses every request', async () => {
    const fault: Fault = { kind: 'status', status: 422, detailsShape: 'none', on: 'send', after: 1, probability: 1 };
    const found = await statuses(fault, ['send', 'send', 'balance', 'send']);
    expect(found).toEqual([201, 422, 200, 422]);
  });
});

describe('A fault about messages', () => {
  const page: Fault = { kind: 'html', status: 403, text: 'Text 3' };
  const number: Fault = { kind: 'status', status: 422, phones: ['447700900003'] };

  test.each([
    [page, 403],
    [number, 422],
    [{ ...number, status: 400, on: 'bulk' } as const, 400],
  ])('hits every request that contains one of them, and no other: %j', async (fault, status) => {
    const sandbox = await sandboxWith({ faults: [fault] });
    const bulk = async (from: number, to: number) =>
      (await post(`${sandbox.url}/v1/messages/send-bulk`, { messages: messages(6).slice(from, to) })).status;
    const statuses = [await bulk(0, 3), await bulk(0, 6), await bulk(3, 4), await bulk(4, 6)];
    expect(statuses).toEqual([201, status, status, 201]);
    expect((await get(`${sandbox.url}/v1/user/balance`)).status).toBe(200);
    const texts = [0, 1, 2, 4, 5].map((index) => `Text ${index}`);
    expect(sandbox.messages().map(({ message }) => message)).toEqual(texts);
    expect(sandbox.requests()[1]).toMatchObject({ messages: 6, sent: 0, fault: fault.kind });
  });

  test('names their fields in its details, or none', async () => {
    const details = async (fault: Fault) => (await bulkUnder(fault)).reply;
    expect(await details(number)).toMatchObject({ body: { error: { details: [{ field: 'messages.3.phone' }] } } });
    expect(await details({ kind: 'status', status: 422, text: 'Text 4' })).toMatchObject({
      body: { error: { details: [{ field: 'messages.4.message' }] } },
    });
    expect(await details({ ...number, detailsShape: 'none' })).not.toHaveProperty('body.error.details');
  });
});

describe('A fault', () => {
  const hits = (faults: Fault[], endpoints: Array<'balance' | 'send' | 'bulk'>, seed = 1) => {
    const plan = new FaultPlan(seed);
    plan.set(faults);
    return endpoints.map((endpoint) => plan.pick({ endpoint, messages: null }, 0)?.kind ?? null);
  };
  const six = Array.from({ length: 6 }, () => 'send' as const);

  test('hits the next request, once', () => {
    expect(hits([{ kind: 'html' }], ['send', 'send'])).toEqual(['html', null]);
  });

  test('hits several requests after others have passed', () => {
    expect(hits([{ kind: 'html', after: 2, times: 3 }], six)).toEqual([null, null, 'html', 'html', 'html', null]);
  });

  test('hits and counts only requests to its endpoint', () => {
    const fault: Fault = { kind: 'html', on: 'bulk', after: 1 };
    expect(hits([fault], ['bulk', 'send', 'balance', 'bulk'])).toEqual([null, null, null, 'html']);
  });

  test('of kind bulk-answer waits for a bulk request', () => {
    expect(hits([{ kind: 'bulk-answer', shape: 'missing' }], ['send', 'bulk'])).toEqual([null, 'bulk-answer']);
  });

  test('hits a request before the faults after it in the list, which still count it', () => {
    const [first, second] = [{ kind: 'html', times: 2 } as const, { kind: 'reset-after', after: 1 } as const];
    expect(hits([first, second], six)).toEqual(['html', 'html', 'reset-after', null, null, null]);
  });

  test('with a probability hits the same requests for the same seed', () => {
    const many = Array.from({ length: 400 }, () => 'send' as const);
    const fault: Fault = { kind: 'html', probability: 0.25 };
    const first = hits([fault], many);
    expect(hits([fault], many)).toEqual(first);
    expect(hits([fault], many, 2)).not.toEqual(first);
    const share = first.filter((kind) => kind === 'html').length / many.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.35);
    expect(hits([{ ...fault, probability: 1 }], six)).toEqual(six.map(() => 'html'));
    expect(hits([{ ...fault, probability: 0 }], six)).toEqual(six.map(() => null));
    expect(hits([{ ...fault, probability: 1, times: 2 }], six).filter(Boolean)).toHaveLength(2);
  });

  test('hits no request with a wrong key or over the limit, and one that it hits counts against the limit', async () => {
    const sandbox = await sandboxWith({ limit: 1, faults: [{ kind: 'html' }], now: () => 0 });
    const balance = `${sandbox.url}/v1/user/balance`;
    expect((await get(balance, 'wrong')).status).toBe(401);
    const hit = await get(balance);
    expect([hit.status, hit.headers.get('ratelimit-remaining')]).toEqual([502, '0']);
    sandbox.setFaults([{ kind: 'status', status: 500 }]);
    expect((await get(balance)).status).toBe(429);
    const { body } = await call(`${sandbox.url}/_sandbox/faults`);
    expect(body).toMatchObject({ faults: [{ seen: 0, hits: 0 }] });
  });
});

describe('The check of a fault', () => {
  test.each<[unknown, RegExp]>([
    ['html', /^fault: must be an object$/],
    [{}, /^fault\.kind: must be one of status, html/],
    [{ kind: 'toString' }, /^fault\.kind: must be one of/],
    [{ kind: 'status' }, /^fault\.status: .*expected number, received undefined/],
    [{ kind: 'status', status: '500' }, /^fault\.status: .*expected number, received string/],
    [{ kind: 'status', status: 500.5 }, /^fault\.status: .*expected int/],
    [{ kind: 'status', status: 199 }, /^fault\.status: .*>=200/],
    [{ kind: 'status', status: 600 }, /^fault\.status: .*<=599/],
    [{ kind: 'status', status: 429, retryAfter: true }, /^fault\.retryAfter: must be seconds, a string or/],
    [{ kind: 'status', status: 422, fields: [7] }, /^fault\.fields\.0: .*expected string/],
    [{ kind: 'status', status: 402, error: [] }, /^fault\.error: must be an object/],
    [{ kind: 'redirect', location: '/', status: 302.5 }, /^fault\.status: .*expected one of 301\|302/],
    [{ kind: 'body', status: 200 }, /^fault\.body: .*expected string, received undefined/],
    [{ kind: 'delay', ms: -1 }, /^fault\.ms: .*>=0/],
    [{ kind: 'html', on: 'email' }, /^fault\.on: .*expected one of "balance"\|"send"\|"bulk"\|"any"/],
    [{ kind: 'html', times: 0 }, /^fault\.times: .*>=1/],
    [{ kind: 'html', probability: 2 }, /^fault\.probability: .*<=1/],
    [{ kind: 'html', tiems: 2 }, /^fault: Unrecognized key: "tiems"/],
    [{ kind: 'html', constructor: 1 }, /^fault: Unrecognized key: "constructor"/],
    [JSON.parse('{ "kind": "html", "__proto__": 1 }'), /^fault: Unrecognized key: "__proto__"/],
    [{ kind: 'bulk-answer', shape: 'round' }, /^fault\.shape: .*expected one of "missing"/],
    [{ kind: 'bulk-answer', shape: 'missing', on: 'send' }, /^fault\.on: must be bulk/],
    [{ kind: 'unsent', index: 0 }, /^fault: Unrecognized key: "index"/],
    [{ kind: 'tls-hang-up', on: 'send' }, /^fault\.on: must be any/],
    [{ kind: 'tls-hang-up', phones: ['447700900000'] }, /^fault: Unrecognized key: "phones"/],
    [{ kind: 'html', phones: [] }, /^fault\.phones: .*>=1/],
    [{ kind: 'html', text: '' }, /^fault\.text: .*>=1/],
    [{ kind: 'html', seconds: 0 }, /^fault\.seconds: .*>0/],
    [{ kind: 'html', balanceRequests: 0 }, /^fault\.balanceRequests: .*>=1/],
    [{ kind: 'html', times: 0, after: -1 }, /^fault\.times: .*; fault\.after: /],
  ])('refuses %j and names what is wrong', (value, message) => {
    expect(() => check(FAULT, value, 'fault')).toThrow(message);
  });
});
