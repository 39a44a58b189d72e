/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
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
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}

/** Writes half of the body under the Content-Length of the whole, then closes the connection. */
export function sendHalf(reply: FastifyReply, { status, headers, body }: Answer): void {
  reply.hijack();
  const bytes = Buffer.from(body);
  reply.raw.writeHead(status, { ...headers, 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reply.raw.destroy());
}
