/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { setMaxListeners } from 'node:events';

import Fastify from 'fastify';

import { registerApi } from './api';
import { check } from './check';
import { registerControl } from './control';
import type { Fault } from './faults';
import { registerInbox } from './inbox';
import type { SentMessage } from './messages';
import { OPTIONS, type SandboxOptions } from './options';
import { type LoggedRequest, SandboxState } from './state';

export type { Endpoint, Fault } from './faults';
export type { SentMessage } from './messages';
export type { SandboxOptions } from './options';
export type { LoggedRequest } from './state';

export interface Sandbox {
  /** `http://127.0.0.1:PORT`, without a slash at the end; https with `tls`. */
  url: string;
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
  const state = new SandboxState(check(OPTIONS, options));
  const { host, port, tls } = state.options;
  const closing = new AbortController();
  // Every delayed answer listens for it.
  setMaxListeners(0, closing.signal);
  const app = Fastify({ forceCloseConnections: true, https: tls });
  registerInbox(app);
  registerControl(app, state);
  registerApi(app, state, closing.signal);
  const url = await app.listen({ host, port });

  return {
    url,
    messages: () => [...state.messages.all],
    requests: () => state.requests.map((logged) => ({ ...logged })),
    credits: (label) => state.account(label).credits,
    setCredits: (credits, label) => state.setCredits(credits, label),
    setFaults: (faults) => state.faults.set(faults),
    reset: () => state.reset(),
    close: async () => {
      closing.abort();
      await app.close();
    },
  };
}
