/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { setMaxListeners } from 'node:events';

import Fastify, { type FastifyInstance } from 'fastify';

import { registerApi } from './api';
import { check } from './check';
import { registerControl } from './control';
import { answerToError, registerErrors, sendAnswer } from './errors';
import { type Fault, FAULTS } from './faults';
import { registerInbox } from './inbox';
import { CONTROL_PREFIX, registerLogging } from './logging';
import type { SentMessage } from './messages';
import { completeOptions, type SandboxOptions } from './options';
import type { LoggedRequest } from './requests';
import { SandboxState } from './state';

export type { Endpoint, Fault } from './faults';
export type { SentMessage } from './messages';
export type { SandboxOptions } from './options';
export type { LoggedRequest } from './requests';

/** The two addresses of the document (part 9). */
export const API_PREFIXES = ['/v1', '/api/v1'] as const;

export interface Sandbox {
  /** `http://127.0.0.1:PORT`, without a slash at the end; https with `tls`. */
  url: string;
  port: number;
  messages(): SentMessage[];
  /** All requests, oldest first, including those in flight. */
  requests(): LoggedRequest[];
  /** Balance of the first key, or of the key with this label (`key 2`). */
  credits(label?: string): number;
  setCredits(credits: number, label?: string): void;
  setFaults(faults: Fault[]): void;
  /** Back to the start: nothing sent or requested, credits and limits full, the faults of the options. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts the API as a local server. Rejects if an option is wrong, or the port is in use (code `EADDRINUSE`). */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const state = new SandboxState(completeOptions(options));
  const closing = new AbortController();
  // Every delayed answer listens for it.
  setMaxListeners(0, closing.signal);
  const app = createApp(state, closing.signal);
  const { host, tls } = state.options;
  await app.listen({ port: state.options.port, host });
  const address = app.server.address();
  const port = address !== null && typeof address === 'object' ? address.port : state.options.port;

  return {
    url: `${tls === null ? 'http' : 'https'}://${reachable(host)}:${port}`,
    port,
    messages: () => state.messages.list(),
    requests: () => state.requests.list(),
    credits: (label) => state.account(label).credits,
    setCredits: (credits, label) => state.setCredits(credits, label),
    setFaults: (faults) => state.faults.set(check(FAULTS, faults, 'faults')),
    reset: () => state.reset(),
    close: async () => {
      closing.abort();
      await app.close();
    },
  };
}

function createApp(state: SandboxState, closing: AbortSignal): FastifyInstance {
  const app = Fastify({
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    frameworkErrors: (error, _request, reply) => void sendAnswer(reply, answerToError(error)),
    https: state.options.tls,
  });
  app.removeContentTypeParser('text/plain');
  registerLogging(app, state, closing);
  registerErrors(app);
  registerInbox(app);
  const register = (prefix: string, routes: (scope: FastifyInstance) => void) => {
    app.register(
      (scope, _options, done) => {
        routes(scope);
        done();
      },
      { prefix },
    );
  };
  register(CONTROL_PREFIX, (control) => registerControl(control, state));
  for (const prefix of API_PREFIXES) register(prefix, (api) => registerApi(api, state, closing));
  return app;
}

/** The address of a server that listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
