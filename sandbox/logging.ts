import type { FastifyInstance, FastifyRequest } from 'fastify';

import { pause } from './connection';
import type { LoggedRequest } from './requests';
import type { SandboxState } from './state';

declare module 'fastify' {
  interface FastifyRequest {
    /** The log entry; null for requests to the inbox page and the control API. */
    logged: LoggedRequest | null;
  }
}

/** Paths that belong to the sandbox, not to the API. */
export const CONTROL_PREFIX = '/_sandbox';
export const INBOX_PATH = '/';

/** Logs every request to the API, from its arrival to its answer, and delays answers by `latencyMs`. */
export function registerLogging(app: FastifyInstance, state: SandboxState, closing: AbortSignal): void {
  const arrivals = new WeakMap<LoggedRequest, number>();

  app.decorateRequest('logged', null);

  app.addHook('onRequest', (request, reply, done) => {
    const path = request.url.replace(/\?.*$/s, '');
    if (path !== INBOX_PATH && !path.startsWith(`${CONTROL_PREFIX}/`)) {
      const logged = state.requests.open(request.method, path, state.timestamp());
      request.logged = logged;
      arrivals.set(logged, performance.now());
      reply.raw.once('close', () => complete(logged));
    }
    done();
  });

  app.addHook('onSend', async (request, reply) => {
    const { logged } = request;
    if (logged === null) return;
    await pause(state.options.latencyMs, closing);
    if (reply.raw.destroyed) return;
    logged.status = reply.statusCode;
    complete(logged);
  });

  function complete(logged: LoggedRequest): void {
    if (logged.duration_ms !== null) return;
    logged.duration_ms = Math.round((performance.now() - (arrivals.get(logged) ?? 0)) * 10) / 10;
    state.requests.completed += 1;
  }
}

/** The log entry of a request to the API. */
export function loggedRequest(request: FastifyRequest): LoggedRequest {
  if (request.logged === null) throw new Error(`${request.url} is not logged`);
  return request.logged;
}
