import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MessageStore } from '../../sandbox/messages';
import { type Fault, type Sandbox, startSandbox } from '../../sandbox/server';
import { call, closeSandboxes, get, KEY, messages, post, sandboxWith } from './client';

afterEach(closeSandboxes);

const json = (method: string, body: unknown) => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

test('The control API lists messages in pages, by id', async () => {
  const { url } = await sandboxWith();
  await post(`${url}/v1/messages/send-bulk`, { messages: messages(5) });
  const page = async (query: string) => (await call(`${url}/_sandbox/messages${query}`)).body;
  expect(await page('?limit=2')).toMatchObject({ messages: [{ id: 1001 }, { id: 1002 }], total: 5, next_after: 1002 });
  expect(await page('?limit=2&after=1004')).toMatchObject({ messages: [{ id: 1005 }], next_after: 1005 });
  expect(await page('?after=1005')).toEqual({ messages: [], total: 5, next_after: 1005 });
  expect((await call(`${url}/_sandbox/messages?limit=0`)).status).toBe(400);
});

test('The control API lists requests to the API, and none to itself or the inbox', async () => {
  const { url } = await sandboxWith();
  await get(`${url}/v1/user/balance?x=1`);
  await post(`${url}/api/v1/messages/send-bulk`, { messages: messages(2) });
  await call(`${url}/v1/unknown`);
  await call(`${url}/_sandbox/state`);
  await call(`${url}/`);
  const times = { started_at: expect.any(String) as unknown, duration_ms: expect.any(Number) as unknown };
  const open = { messages: 0, sent: 0, fault: null, ...times };
  const bulk = { ...open, messages: 2, sent: 2, status: 201 };
  expect((await call(`${url}/_sandbox/requests`)).body).toEqual({
    requests: [
      { ...open, number: 1, method: 'GET', path: '/v1/user/balance', endpoint: 'balance', key: 'key 1', status: 200 },
      { ...bulk, number: 2, method: 'POST', path: '/api/v1/messages/send-bulk', endpoint: 'bulk', key: 'key 1' },
      { ...open, number: 3, method: 'GET', path: '/v1/unknown', endpoint: null, key: null, status: 404 },
    ],
    total: 3,
  });
});

test('The control API sets the credits of all keys, or of one', async () => {
  const sandbox = await sandboxWith({ keys: ['first', 'second'] });
  const set = async (body: unknown) => (await call(`${sandbox.url}/_sandbox/credits`, json('POST', body))).status;
  expect(await set({ credits: 5 })).toBe(200);
  expect([sandbox.credits(), sandbox.credits('key 2')]).toEqual([5, 5]);
  expect(await set({ credits: 7, key: 'key 2' })).toBe(200);
  expect([sandbox.credits(), sandbox.credits('key 2')]).toEqual([5, 7]);
  expect(await set({ credits: -1 })).toBe(400);
  expect(await set({ credits: 1, key: 'key 3' })).toBe(404);
});

test('The control API sets faults, shows them with their progress, and removes them', async () => {
  const { url } = await sandboxWith();
  const faults = `${url}/_sandbox/faults`;
  expect((await call(faults, json('PUT', [{ kind: 'html', times: 3 }]))).status).toBe(200);
  expect((await get(`${url}/v1/user/balance`)).status).toBe(502);
  expect((await call(faults)).body).toEqual({ faults: [{ fault: { kind: 'html', times: 3 }, seen: 1, hits: 1 }] });
  expect(await call(faults, json('PUT', [{ kind: 'html' }, { kind: 'round' }]))).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringMatching(/^faults\.1\.kind: must be one of/) as unknown } },
  });
  await call(faults, { method: 'DELETE' });
  expect((await get(`${url}/v1/user/balance`)).status).toBe(200);
});

test('A reset restores credits, limits and faults, and forgets messages and requests', async () => {
  const sandbox = await sandboxWith({ limit: 2, credits: 9, faults: [{ kind: 'html', after: 1 }] });
  const balance = `${sandbox.url}/v1/user/balance`;
  await post(`${sandbox.url}/v1/messages/send`, messages(1)[0]);
  expect((await get(balance)).status).toBe(502);
  expect((await get(balance)).status).toBe(429);
  const { body } = await call(`${sandbox.url}/_sandbox/reset`, { method: 'POST' });
  expect(body).toMatchObject({ credits: 9, requests_left: 2, messages: 0, conversations: 0, requests: 0, resets: 1 });
  expect([sandbox.messages(), sandbox.requests(), sandbox.credits()]).toEqual([[], [], 9]);
  expect((await get(balance)).status).toBe(200);
  expect((await get(balance)).status).toBe(502);
});

test('Conversations are listed newest first with their count, and found by number and by text', () => {
  const store = new MessageStore();
  const from = { key: 'key 1', endpoint: 'bulk', request: 1 } as const;
  store.add(messages(3), from, '2026-01-01T00:00:00.000Z');
  store.add([{ phone: '447700900000', message: 'Closing at Noon' }], from, '2026-01-01T00:00:01.000Z');
  const list = (search: string, limit = 10) =>
    store.conversations(search, limit).map(({ phone, count, last }) => [phone, count, last.message]);
  expect(list('')).toEqual([
    ['447700900000', 2, 'Closing at Noon'],
    ['447700900002', 1, 'Text 2'],
    ['447700900001', 1, 'Text 1'],
  ]);
  expect(list('', 1)).toHaveLength(1);
  expect(list('noon')).toEqual([['447700900000', 2, 'Closing at Noon']]);
  expect(list('900001')).toEqual([['447700900001', 1, 'Text 1']]);
  expect(store.conversation('447700900000', 10).map(({ id }) => id)).toEqual([1001, 1004]);
});

test('The message store keeps 200,000 messages and finds them by id and by phone', () => {
  const store = new MessageStore();
  const from = { key: 'key 1', endpoint: 'bulk', request: 1 } as const;
  for (let batch = 0; batch < 2000; batch += 1) store.add(messages(100), from, '2026-01-01T00:00:00.000Z');
  expect(store.total).toBe(200_000);
  expect(store.page(200_999, 10).map(({ id }) => id)).toEqual([201_000]);
  expect(store.conversations('', 300)).toHaveLength(100);
  expect(store.countTo('447700900000')).toBe(2000);
});

test.each([
  ['/', /^text\/html/],
  ['/_sandbox/inbox.css', /^text\/css/],
  ['/_sandbox/inbox.js', /^text\/javascript/],
])("The inbox file %s runs only the sandbox's own scripts and styles, and never writes markup", async (path, type) => {
  const { url } = await sandboxWith();
  const answer = await fetch(`${url}${path}`);
  expect(answer.headers.get('content-type')).toMatch(type);
  expect(answer.headers.get('content-security-policy')).toBe("default-src 'self'; img-src data:");
  const content = await answer.text();
  expect(content).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|<script>|<style>|\bstyle="|\bon\w+="/);
  expect(content.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\//);
});

test.each([
  [{ keys: [] }, /^keys: .*>=1/],
  [{ keys: ['same', 'same'] }, /^keys: must differ/],
  [{ keys: ['with space'] }, /^keys\.0: must not be empty or contain spaces/],
  [{ credits: -1 }, /^credits: .*>=0/],
  [{ limit: 1.5 }, /^limit: .*expected int/],
  [{ windowSeconds: 0 }, /^windowSeconds: .*>0/],
  [{ port: 70_000 }, /^port: .*<=65535/],
  [{ faults: [{ kind: 'html', times: 0 }] as Fault[] }, /^faults\.0\.times: .*>=1/],
])('The option %j is refused by name', async (options, message) => {
  await expect(startSandbox(options)).rejects.toThrow(message);
});

test('A port in use is refused with EADDRINUSE', async () => {
  const { port } = await sandboxWith();
  await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

describe('Over https', () => {
  let tls: { key: string; cert: string };
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-tls-'));
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=127.0.0.1', '-days', '2', '-nodes'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', keyFile, '-out', certFile, ...subject], {
      stdio: 'ignore',
    });
    tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
    rmSync(folder, { recursive: true });
  });

  /** The status of a balance request on a connection of its own. */
  const statusOf = (sandbox: Sandbox, rejectUnauthorized = false) =>
    new Promise((resolve, reject) => {
      const options = { rejectUnauthorized, headers: { authorization: `Bearer ${KEY}` }, agent: false as const };
      request(`${sandbox.url}/v1/user/balance`, options, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });

  test('the sandbox answers with a self-signed certificate, and cuts connections', async () => {
    const sandbox = await sandboxWith({ tls });
    expect(sandbox.url).toMatch(/^https:/);
    await expect(statusOf(sandbox)).resolves.toBe(200);
    await expect(statusOf(sandbox, true)).rejects.toThrow(/self-signed/);
    sandbox.setFaults([{ kind: 'reset-after' }]);
    await expect(statusOf(sandbox)).rejects.toThrow();
  });

  test('the fault tls-hang-up closes connections in their TLS handshake, before a request', async () => {
    const sandbox = await sandboxWith({ tls, faults: [{ kind: 'tls-hang-up', after: 1, times: 2 }] });
    await expect(statusOf(sandbox)).resolves.toBe(200);
    const early = /before secure TLS connection was established/;
    await expect(statusOf(sandbox)).rejects.toThrow(early);
    await expect(statusOf(sandbox)).rejects.toThrow(early);
    await expect(statusOf(sandbox)).resolves.toBe(200);
    expect(sandbox.requests()).toHaveLength(2);
  });

  test('the fault tls-hang-up does not let a silent client keep the sandbox from closing', async () => {
    const sandbox = await sandboxWith({ tls, faults: [{ kind: 'tls-hang-up' }] });
    const socket = connect(sandbox.port, '127.0.0.1');
    await once(socket, 'connect');
    await expect(sandbox.close()).resolves.toBeUndefined();
    socket.destroy();
  });
});
