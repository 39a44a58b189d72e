import type { FastifyInstance, FastifyRequest } from 'fastify';

import { pause } from './connection';
import type { RequestRecord } from './requests';
import type { SandboxState } from './state';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for the inbox page and the control API, which are not requests to the API. */
    record: RequestRecord | null;
  }
}

/** Paths of the sandbox itself. */
export const CONTROL_PREFIX = '/_sandbox';
export const INBOX_PATH = '/';

/** Records every request to the API, from its arrival to its answer, and keeps answers back for `latencyMs`. */
export function registerRecording(app: FastifyInstance, state: SandboxState, closing: AbortSignal): void {
  const arrivals = new WeakMap<RequestRecord, number>();

  app.decorateRequest('record', null);

  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.replace(/\?.*$/s, '');
    if (path === INBOX_PATH || path.startsWith(`${CONTROL_PREFIX}/`)) return;
    const record = state.requests.open(request.method, path, state.timestamp());
    request.record = record;
    arrivals.set(record, performance.now());
    reply.raw.once('close', () => complete(record));
  });

  app.addHook('onSend', async (request, reply) => {
    const { record } = request;
    if (record === null) return;
    await pause(state.options.latencyMs, closing);
    if (reply.raw.destroyed) return;
    record.status = reply.statusCode;
    complete(record);
  });

  function complete(record: RequestRecord): void {
    if (record.duration_ms !== null) return;
    record.duration_ms = Math.round((performance.now() - (arrivals.get(record) ?? 0)) * 10) / 10;
    state.requests.completed += 1;
  }
}

/** The record of a request to the API. */
export function recordOf(request: FastifyRequest): RequestRecord {
  if (request.record === null) throw new Error(`${request.url} is not recorded`);
  return request.record;
}
