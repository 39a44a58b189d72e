/** What is certain when a connection breaks: nothing was sent as long as the request had not left, and only then. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';

import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts } from '../support/contacts';
import { runRouting, runWorkflow, startWorkflow } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { SEND_BULK } from '../support/parameters';

let certificate: { key: Buffer; cert: Buffer };
let folder: string;
const closing: Array<() => void> = [];
/** All that the servers of a test have received, decrypted where they speak TLS. */
let received = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'messaging-send-certificate-'));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  certificate = { key: readFileSync(key), cert: readFileSync(cert) };
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => (received = ''));
afterEach(() => closing.splice(0).forEach((close) => close()));

/** Starts a server. @returns its port */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  closing.push(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A server of bytes. @param onData called with the first ones of each connection */
async function raw(onData: (socket: Socket) => void, onConnection: (socket: Socket) => void = () => undefined) {
  return await listen(
    createServer((socket) => {
      socket.on('data', (data: Buffer) => (received += data.toString('latin1')));
      socket.once('data', () => onData(socket));
      onConnection(socket);
    }),
  );
}

/** A server that speaks TLS. @param onData called with the first decrypted bytes of each connection */
async function tls(onData: (socket: TLSSocket, below: Socket) => void, options: TlsOptions = {}): Promise<number> {
  const below: Socket[] = [];
  const server = createTlsServer({ ...certificate, ...options }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => (received += data.toString('latin1')));
    socket.once('data', () => onData(socket, below.at(-1) ?? socket));
  });
  server.on('connection', (socket: Socket) => below.push(socket));
  return await listen(server);
}

/** A TLS alert, as it is sent before anything is encrypted. */
const alert = (description: number) => Buffer.from([21, 3, 3, 0, 2, 2, description]);
const nothing = () => undefined;
const TUNNEL = 'HTTP/1.1 200 OK\r\n\r\n';

function setupFor(baseUrl: string, options: IDataObject = {}) {
  const requestOptions = { allowUnauthorizedCerts: true, timeout: 5_000, ...options };
  const parameters = { ...SEND_BULK, requestOptions } as INodeParameters;
  return { account: { baseUrl, apiKey: KEY }, items: contacts(2), parameters };
}

/** The details of the first message of a run. */
async function outcomeAt(baseUrl: string, options: IDataObject = {}): Promise<IDataObject> {
  const setup = setupFor(baseUrl, options);
  const { outputs } = await runWorkflow({ ...setup, onError: 'continueRegularOutput' });
  expect(new Set(outputs[0]?.map((item) => detailsOf(item).outcome)).size).toBe(1);
  return detailsOf(outputs[0]?.[0]);
}

/** The items of a run that is stopped as soon as its first bytes have arrived at the server. */
async function stoppedOnArrival(server: (onData: () => void) => Promise<number>): Promise<INodeExecutionData[]> {
  let arrived: () => void = nothing;
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  const port = await server(() => arrived());
  const running = await startWorkflow({ ...setupFor(https(port)), onError: 'continueRegularOutput' });
  await arrival;
  running.stop();
  return (await running.ended).outputs.flat();
}

const https = (port: number) => `https://127.0.0.1:${port}/v1`;
const http = (port: number) => `http://127.0.0.1:${port}/v1`;
/** By way of a proxy, to an address that only it could know. */
const viaProxy = async (port: number, options: IDataObject = {}) =>
  await outcomeAt('https://api.example.com/v1', { proxy: `http://127.0.0.1:${port}`, ...options });

describe('Nothing was sent', () => {
  test.each<[string, () => Promise<IDataObject>, string]>([
    [
      'closes the connection before the TLS handshake',
      async () => await outcomeAt(https(await raw(nothing, (socket) => socket.end()))),
      'UNREACHABLE_ECONNRESET',
    ],
    [
      'closes the connection in the TLS handshake',
      async () => await outcomeAt(https(await raw((socket) => socket.end()))),
      'UNREACHABLE_ECONNRESET',
    ],
    [
      'resets the connection in the TLS handshake',
      async () => await outcomeAt(https(await raw((socket) => socket.resetAndDestroy()))),
      'UNREACHABLE_ECONNRESET',
    ],
    [
      'does not answer in the TLS handshake',
      async () => await outcomeAt(https(await raw(nothing)), { timeout: 300 }),
      'UNREACHABLE_ETIMEDOUT',
    ],
    [
      'ends the TLS handshake with the alert internal_error',
      async () => await outcomeAt(https(await raw((socket) => socket.end(alert(80))))),
      'UNREACHABLE_EPROTO',
    ],
    [
      'ends the TLS handshake with the alert access_denied',
      async () => await outcomeAt(https(await raw((socket) => socket.end(alert(49))))),
      'UNREACHABLE_EPROTO',
    ],
    [
      'ends the TLS handshake with the alert handshake_failure',
      async () => await outcomeAt(https(await raw((socket) => socket.end(alert(40))))),
      'UNREACHABLE_EPROTO',
    ],
    [
      'answers the TLS handshake with HTTP',
      async () => await outcomeAt(https(await raw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))),
      'UNREACHABLE_EPROTO',
    ],
    [
      'wants a certificate of the client',
      async () => await outcomeAt(https(await tls(nothing, { requestCert: true }))),
      'UNREACHABLE_ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    ],
    [
      'wants a certificate of the client by TLS 1.2',
      async () => await outcomeAt(https(await tls(nothing, { requestCert: true, maxVersion: 'TLSv1.2' }))),
      'UNREACHABLE_EPROTO',
    ],
    [
      'has a certificate that is not trusted',
      async () => await outcomeAt(https(await tls(nothing)), { allowUnauthorizedCerts: false }),
      'UNREACHABLE_DEPTH_ZERO_SELF_SIGNED_CERT',
    ],
  ])('if the service %s', async (_what, outcome, code) => {
    expect(await outcome()).toMatchObject({ outcome: 'not_sent', code, http_status: null });
    expect(received).not.toContain('POST');
  });

  test.each<[string, () => Promise<IDataObject>, string]>([
    [
      'closes the connection',
      async () => await viaProxy(await raw((socket) => socket.end())),
      'UNREACHABLE_ECONNRESET',
    ],
    ['does not answer', async () => await viaProxy(await raw(nothing), { timeout: 300 }), 'UNREACHABLE_ETIMEDOUT'],
    [
      'asks for a password',
      async () => await viaProxy(await raw((socket) => socket.end('HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n'))),
      'HTTP_407',
    ],
    [
      'does not allow it',
      async () => await viaProxy(await raw((socket) => socket.end('HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n'))),
      'FORBIDDEN',
    ],
    [
      'connects and then closes the connection',
      async () => await viaProxy(await raw((socket) => socket.end(TUNNEL))),
      'UNREACHABLE_ECONNRESET',
    ],
    [
      'connects and then resets the connection',
      async () =>
        await viaProxy(
          await raw((socket) => {
            socket.write(TUNNEL);
            socket.once('data', () => socket.resetAndDestroy());
          }),
        ),
      'UNREACHABLE_ECONNRESET',
    ],
    [
      'connects to a service that does not answer',
      async () => await viaProxy(await raw((socket) => socket.write(TUNNEL)), { timeout: 300 }),
      'UNREACHABLE_ETIMEDOUT',
    ],
  ])('if a proxy that is asked for a connection %s', async (_what, outcome, code) => {
    expect(await outcome()).toMatchObject({ outcome: 'not_sent', code });
    expect(received).toContain('CONNECT api.example.com:443');
    expect(received).not.toContain('POST');
  });

  test.each([
    ['https', https],
    ['http', http],
  ])('if the connection is not made within a short Timeout, by %s', async (_name, addressOf) => {
    const port = await fullBacklog();
    expect(await outcomeAt(addressOf(port), { timeout: 300 })).toMatchObject({
      outcome: 'not_sent',
      code: 'UNREACHABLE_ETIMEDOUT',
    });
  });

  test('if the run is stopped while the connection is made', async () => {
    const items = await stoppedOnArrival(raw);
    expect(items).toHaveLength(2);
    for (const item of items) expect(detailsOf(item)).toMatchObject({ outcome: 'not_sent', code: 'STOPPED' });
    expect(received).not.toContain('POST');
  });

  test('through the routing as well', async () => {
    const setup = setupFor(https(await raw((socket) => socket.resetAndDestroy())));
    await expect(runRouting(setup)).rejects.toMatchObject({
      message: 'The connection was closed before the request could be sent',
      description: expect.not.stringContaining('may have been sent') as string,
    });
    expect(received).not.toContain('POST');
  });
});

describe('A message is uncertain', () => {
  test.each<[string, (below: Socket, socket: Socket) => void, string]>([
    ['resets the connection', (below) => below.resetAndDestroy(), 'CONNECTION_LOST'],
    ['closes the connection', (_below, socket) => socket.end(), 'CONNECTION_LOST'],
    ['sends something that is not TLS', (below) => below.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 'CONNECTION_LOST'],
    ['sends an alert', (below) => below.end(alert(80)), 'CONNECTION_LOST'],
    ['sends nothing', nothing, 'TIMEOUT'],
    [
      'sends 100 Continue and nothing more',
      (_below, socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
      'TIMEOUT',
    ],
    [
      'sends half of a refusal',
      (_below, socket) => socket.end('HTTP/1.1 422 X\r\nContent-Length: 99\r\n\r\n{'),
      'CONNECTION_LOST',
    ],
  ])('if the service has the request and %s', async (_what, answer, code) => {
    const port = await tls((socket, below) => answer(below, socket));
    expect(await outcomeAt(https(port), { timeout: 400 })).toMatchObject({ outcome: 'uncertain', code });
    expect(received).toContain('POST /v1/messages/send-bulk');
  });

  test.each([303, 408, 499, 502, 504])('if the service has the request and answers %i', async (status) => {
    const port = await tls((socket) => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));
    expect(await outcomeAt(https(port))).toMatchObject({ outcome: 'uncertain', http_status: status });
  });

  test('if the connection is reset without TLS once the service has the request', async () => {
    const port = await raw((socket) => socket.resetAndDestroy());
    expect(await outcomeAt(http(port))).toMatchObject({ outcome: 'uncertain', code: 'CONNECTION_LOST' });
    expect(received).toContain('POST');
  });

  test('if it was stopped once the service has the request', async () => {
    const items = await stoppedOnArrival(tls);
    expect(items).toHaveLength(2);
    for (const item of items) expect(detailsOf(item)).toMatchObject({ outcome: 'uncertain', code: 'STOPPED' });
  });
});

test.each([
  ['50%off', '50%off'],
  ['50%25off', '50%off'],
  ['p%40ss%', 'p@ss%'],
])("A proxy's password that is written as %s reaches the proxy", async (written, password) => {
  const port = await raw((socket) => socket.end('HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n'));
  await outcomeAt('https://api.example.com/v1', { proxy: `http://user:${written}@127.0.0.1:${port}` });
  const [, credentials = ''] = /Proxy-Authorization: Basic (\S+)/.exec(received) ?? [];
  expect(Buffer.from(credentials, 'base64').toString()).toBe(`user:${password}`);
});

/** The port of a process that accepts no connections, with as many waiting as the system lets wait. */
async function fullBacklog(): Promise<number> {
  const code = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    require('fs').writeSync(1, String(this.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  })`;
  const child: ChildProcess = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  closing.push(() => child.kill('SIGKILL'));
  const port = Number(
    await new Promise<string>((resolve) => child.stdout?.once('data', (data: Buffer) => resolve(String(data)))),
  );
  const waiting = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  closing.push(() => waiting.forEach((socket) => socket.destroy()));
  await Promise.all(
    waiting.slice(0, 2).map(async (socket) => await new Promise((resolve) => socket.once('connect', resolve))),
  );
  return port;
}
