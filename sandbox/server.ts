import { setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

import Fastify, { type FastifyInstance } from 'fastify';

import { registerApi } from './api';
import { registerControl, setCredits } from './control';
import { answerToError, registerErrors, sendAnswer } from './errors';
import { checkFaults } from './faultCheck';
import type { Fault } from './faults';
import { registerInbox } from './inbox';
import type { SentMessage } from './messages';
import { completeOptions, type SandboxOptions } from './options';
import { CONTROL_PREFIX, registerRecording } from './recording';
import type { RequestRecord } from './requests';
import { SandboxState } from './state';

export type { Endpoint, Fault } from './faults';
export type { SentMessage } from './messages';
export type { SandboxOptions } from './options';
export type { RequestRecord } from './requests';

/** The two addresses of the document (part 9). */
export const API_PREFIXES = ['/v1', '/api/v1'] as const;

/** A running sandbox, and its state for tests. */
export interface Sandbox {
  /** `http://127.0.0.1:PORT`, without a slash at the end; https with `tls`. */
  url: string;
  port: number;
  /** Everything sent, oldest first. */
  messages(): SentMessage[];
  /** The latest 10,000 requests, oldest first, with those under way. */
  requests(): RequestRecord[];
  /** Balance of the first key, or of the key with this label (`key 2`). */
  credits(label?: string): number;
  /** Sets the balance of every key, or of the key with this label. */
  setCredits(credits: number, label?: string): void;
  /** Replaces all faults. */
  setFaults(faults: Fault[]): void;
  /** Back to how it started: nothing sent or requested, credits and limits full, the faults of the options. */
  reset(): void;
  /** Stops at once; connections that are open are cut. */
  close(): Promise<void>;
}

/** Starts the API as a local server. Rejects for a wrong option (TypeError) or a port in use (code `EADDRINUSE`). */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const state = new SandboxState(completeOptions(options));
  const closing = new AbortController();
  // Every answer that is held back listens for it.
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
    credits: (label = 'key 1') => {
      const account = state.accounts.all.find((candidate) => candidate.label === label);
      if (account === undefined) throw new Error(`no key is labelled ${label}`);
      return account.credits;
    },
    setCredits: (credits, label) => setCredits(state, credits, label),
    setFaults: (faults) => state.faults.set(checkFaults(faults)),
    reset: () => state.reset(),
    close: async () => {
      closing.abort();
      await app.close();
    },
  };
}

function createApp(state: SandboxState, closing: AbortSignal): FastifyInstance {
  const { bodyLimit, tls } = state.options;
  const app = Fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    frameworkErrors: (error, _request, reply) => sendAnswer(reply, answerToError(error)),
    serverFactory: (listener) => (tls === null ? createServer(listener) : createTlsServer(tls, listener)),
  });
  app.removeContentTypeParser('text/plain');
  registerRecording(app, state, closing);
  registerErrors(app);
  registerInbox(app);
  app.register(async (control) => registerControl(control, state), { prefix: CONTROL_PREFIX });
  for (const prefix of API_PREFIXES) {
    app.register(async (api) => registerApi(api, state, closing), { prefix });
  }
  return app;
}

/** The address to reach a server at that listens on `host`. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
