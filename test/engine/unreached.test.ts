/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** What is certain when a connection breaks: nothing was sent as long as the request had not left, and only then. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, KEY, phones } from '../support/contacts';
import { runRouting, runWorkflow, startWorkflow } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { SEND_BULK } from '../support/parameters';
import { selfSignedCertificate } from '../support/sandbox';

const certificate = selfSignedCertificate();
const closing: Array<() => void> = [];
/** Everything that the servers of a test have received, decrypted if they speak TLS. */
let received = '';
const receive = (data: Buffer) => (received += data.toString('latin1'));

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

/** A server of bytes. @param onData called with the first bytes of each connection */
async function raw(onData: (socket: Socket) => void, onConnection: (socket: Socket) => void = nothing) {
  return await listen(
    createServer((socket) => {
      socket.on('data', receive);
      socket.once('data', () => onData(socket));
      onConnection(socket);
    }),
  );
}

/** A server that speaks TLS. @param onData called with the first decrypted bytes of each connection */
async function tls(onData: (socket: TLSSocket, below: Socket) => void, options: TlsOptions = {}): Promise<number> {
  const below: Socket[] = [];
  const server = createTlsServer({ ...certificate, ...options }, (socket) => {
    socket.on('error', nothing);
    socket.on('data', receive);
    socket.once('data', () => onData(socket, below.at(-1) ?? socket));
  });
  server.on('connection', (socket: Socket) => below.push(socket));
  return await listen(server);
}

/** A TLS alert, as it is sent before anything is encrypted. */
const alert = (description: number) => Buffer.from([21, 3, 3, 0, 2, 2, description]);
const nothing = () => undefined;
const TUNNEL = 'HTTP/1.1 200 OK\r\n\r\n';
/** What a server does with the first bytes of a connection. */
const ends =
  (text: string | Buffer = '') =>
  (socket: Socket) =>
    void socket.end(text);
const answers = (status: number) => ends(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`);

function setupFor(baseUrl: string, options: IDataObject = {}) {
  const requestOptions = { allowUnauthorizedCerts: true, timeout: 5_000, ...options };
  const parameters = { ...SEND_BULK, requestOptions } as INodeParameters;
  return { account: { baseUrl, apiKey: KEY }, items: contacts(2), parameters };
}

/** The details of a run's first message; all its messages have the same outcome. */
async function outcomeAt(baseUrl: string, options: IDataObject = {}): Promise<IDataObject> {
  const { outputs } = await runWorkflow({ ...setupFor(baseUrl, options), onError: 'continueRegularOutput' });
  expect(new Set(outputs[0]?.map((item) => detailsOf(item).outcome)).size).toBe(1);
  return detailsOf(outputs[0]?.[0]);
}

const https = (port: number) => `https://127.0.0.1:${port}/v1`;
const http = (port: number) => `http://127.0.0.1:${port}/v1`;
/** An address that only a proxy could know. */
const BEHIND_PROXY = 'https://api.example.com/v1';

describe('Nothing was sent', () => {
  test.each<[string, string, () => Promise<number>, IDataObject?]>([
    ['closes the connection before the TLS handshake', 'ECONNRESET', () => raw(nothing, ends())],
    ['closes the connection in the TLS handshake', 'ECONNRESET', () => raw(ends())],
    ['does not answer in the TLS handshake', 'ETIMEDOUT', () => raw(nothing), { timeout: 300 }],
    ['ends the TLS handshake with the alert handshake_failure', 'EPROTO', () => raw(ends(alert(40)))],
    ['answers the TLS handshake with HTTP', 'EPROTO', () => raw(answers(400))],
  ])('if the service %s', async (...[, code, server, options = {}]) => {
    const outcome = await outcomeAt(https(await server()), options);
    expect(outcome).toMatchObject({ outcome: 'not_sent', code: `UNREACHABLE_${code}`, http_status: null });
    expect(received).not.toContain('POST');
  });

  const tunnelThen = (next: (socket: Socket) => void) => (socket: Socket) => {
    socket.write(TUNNEL);
    socket.once('data', () => next(socket));
  };
  test.each<[string, string, (socket: Socket) => void]>([
    ['closes the connection', 'UNREACHABLE_ECONNRESET', ends()],
    ['does not answer', 'UNREACHABLE_ETIMEDOUT', nothing],
    ['asks for a password', 'HTTP_407', answers(407)],
    ['connects and then closes the connection', 'UNREACHABLE_ECONNRESET', ends(TUNNEL)],
    ['connects to a service that does not answer', 'UNREACHABLE_ETIMEDOUT', tunnelThen(nothing)],
  ])('if a proxy that is asked for a connection %s', async (_what, code, onData) => {
    const timeout = code === 'UNREACHABLE_ETIMEDOUT' ? 300 : 5_000;
    const proxy = `http://127.0.0.1:${await raw(onData)}`;
    expect(await outcomeAt(BEHIND_PROXY, { proxy, timeout })).toMatchObject({ outcome: 'not_sent', code });
    expect(received).toContain('CONNECT api.example.com:443');
    expect(received).not.toContain('POST');
  });

  test('if the run is stopped while the connection is made', async () => {
    let arrived: () => void = nothing;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const port = await raw(() => arrived());
    const running = await startWorkflow({ ...setupFor(https(port)), onError: 'continueRegularOutput' });
    await arrival;
    running.stop();
    const [items = []] = (await running.ended).outputs;
    const stopped = { outcome: 'not_sent', code: 'STOPPED' };
    expect(items.map(detailsOf)).toMatchObject([stopped, stopped]);
    expect(received).not.toContain('POST');
  });
});

describe('A message is uncertain', () => {
  test.each<[string, string, (socket: Socket, below: Socket) => void]>([
    ['resets the connection', 'CONNECTION_LOST', (_socket, below) => below.resetAndDestroy()],
    ['closes the connection', 'CONNECTION_LOST', ends()],
    ['sends something that is not TLS', 'CONNECTION_LOST', (_socket, below) => below.write('HTTP/1.1 400 X\r\n\r\n')],
    ['sends nothing', 'TIMEOUT', nothing],
    ['sends half of a refusal', 'CONNECTION_LOST', ends('HTTP/1.1 422 X\r\nContent-Length: 99\r\n\r\n{')],
  ])('if the service has the request and %s', async (_what, code, onData) => {
    const outcome = await outcomeAt(https(await tls(onData)), { timeout: 400 });
    expect(outcome).toMatchObject({ outcome: 'uncertain', code });
    expect(received).toContain('POST /v1/messages/send-bulk');
  });
});

/** Begins an answer, and never ends it. */
const drips = (start: string) => (socket: Socket) => {
  socket.write(start);
  const timer = setInterval(() => socket.write('1'), 20);
  socket.once('close', () => clearInterval(timer));
};

test.each([
  ['body', 'HTTP/1.1 201 X\r\nContent-Length: 1000000\r\n\r\n'],
  ['header', 'HTTP/1.1 201 X\r\nX-Slow: '],
])("An answer that drips in its %s is given up after 'Timeout': messages are uncertain", async (_part, start) => {
  const baseUrl = http(await raw(drips(start)));
  expect(await outcomeAt(baseUrl, { timeout: 300 })).toMatchObject({ outcome: 'uncertain', code: 'TIMEOUT' });
  const routed = runRouting(setupFor(baseUrl, { timeout: 300 }));
  await expect(routed).rejects.toThrow(/^The service did not answer in time\. /);
});

describe('An answer of', () => {
  const ofMegabytes = (megabytes: number, status: number) => {
    const messages = phones(0, 1).map((phone, index) => ({ message_id: index + 1, phone, status: 'sent' }));
    const body =
      status === 422 ? { success: false, error: { code: 'VALIDATION_ERROR' } } : { success: true, data: { messages } };
    const padded = JSON.stringify({ padding: 'x'.repeat(megabytes * 1_000_000), ...body });
    return raw((socket) => socket.end(`HTTP/1.1 ${status} X\r\nConnection: close\r\n\r\n${padded}`));
  };

  test('9 MB is read', async () => {
    const { outputs } = await runWorkflow(setupFor(http(await ofMegabytes(9, 201))));
    expect(outputs[0]?.map(({ json }) => json.message_id)).toEqual([1, 2]);
    expect(await outcomeAt(http(await ofMegabytes(9, 422)))).toMatchObject({ outcome: 'not_sent', http_status: 422 });
  });

  test.each([201, 422, 429])('11 MB with status %i is not, and leaves its messages uncertain', async (status) => {
    const baseUrl = http(await ofMegabytes(11, status));
    const unread = { outcome: 'uncertain', code: 'UNREADABLE_ANSWER', http_status: status };
    expect(await outcomeAt(baseUrl)).toMatchObject(unread);
    await expect(runRouting(setupFor(baseUrl))).rejects.toThrow(/^The response is not from this API/);
  });
});

test("A proxy's user name and password that have encoded percent signs reach the proxy", async () => {
  const port = await raw(answers(407));
  await outcomeAt(BEHIND_PROXY, { proxy: `http://us%2540er:p%40ss%25%25@127.0.0.1:${port}` });
  const [, credentials = ''] = /Proxy-Authorization: Basic (\S+)/.exec(received) ?? [];
  expect(Buffer.from(credentials, 'base64').toString()).toBe('us%40er:p@ss%%');
});
