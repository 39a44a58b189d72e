import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';

import type { FastifyReply } from 'fastify';

import type { Answer } from './answers';

/** Waits `ms`, or until the sandbox closes. */
export async function pause(ms: number, closing: AbortSignal): Promise<void> {
  if (ms === 0 || closing.aborted) return;
  await wait(ms, undefined, { signal: closing }).catch(() => undefined);
}

/** Ends the connection with a TCP reset and no answer. Over TLS, where Node can't reset, it is closed. */
export function cutConnection(reply: FastifyReply): void {
  reply.hijack();
  const { socket } = reply.raw;
  if (socket === null) return;
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Writes half of the body under the Content-Length of the whole, then closes the connection. */
export function sendHalf(reply: FastifyReply, answer: Answer): void {
  reply.hijack();
  const body = Buffer.from(answer.body);
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...answer.headers })) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.writeHead(answer.status, { 'content-length': body.length });
  reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => reply.raw.destroy());
}

/** Lets a server close the connections that `hangsUp` picks when the first bytes of their TLS handshake arrive. */
export function hangingUp(server: Server, hangsUp: () => boolean): Server {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (hangsUp()) hangUp(socket);
    else for (const listener of listeners) listener.call(server, socket);
  });
  return server;
}

function hangUp(socket: Socket): void {
  const close = () => socket.destroy();
  // A client that sends nothing would keep the sandbox from closing.
  socket.on('error', close).once('data', close).setTimeout(1000, close);
}
