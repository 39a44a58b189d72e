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
