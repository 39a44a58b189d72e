import type { FastifyInstance, FastifyRequest } from 'fastify';

import { pause } from './connection';
import type { LoggedRequest } from './requests';
import type { SandboxState } from './state';

/** Where the sandbox's own paths begin; the inbox is at `/`. */
export const CONTROL_PREFIX = '/_sandbox';

/** The log entry of each request to the API, with the time of its arrival. */
const LOGGED = new WeakMap<FastifyRequest, { logged: LoggedRequest; arrival: number }>();

/** Logs every request to the API, from its arrival to its answer, and delays answers by `latencyMs`. */
export function registerLogging(app: FastifyInstance, state: SandboxState, closing: AbortSignal): void {
  app.addHook('onRequest', (request, reply, done) => {
    const path = request.url.replace(/\?.*$/s, '');
    if (path !== '/' && !path.startsWith(`${CONTROL_PREFIX}/`)) {
      const logged = state.requests.open(request.method, path, state.timestamp());
      LOGGED.set(request, { logged, arrival: performance.now() });
      reply.raw.once('close', () => complete(request));
    }
    done();
  });

  app.addHook('onSend', async (request, reply) => {
    const entry = LOGGED.get(request);
    if (entry === undefined) return;
    await pause(state.options.latencyMs, closing);
    if (reply.raw.destroyed) return;
    entry.logged.status = reply.statusCode;
    complete(request);
  });
}

function complete(request: FastifyRequest): void {
  const { logged, arrival = 0 } = LOGGED.get(request) ?? {};
  if (logged !== undefined) logged.duration_ms ??= Math.round((performance.now() - arrival) * 10) / 10;
}

export function loggedRequest(request: FastifyRequest): LoggedRequest {
  const entry = LOGGED.get(request);
  if (entry === undefined) throw new Error(`${request.url} is not logged`);
  return entry.logged;
}
