/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** For tests in Jest: sandboxes, what they have received, a certificate, and waits that also suit a busy machine. */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';
import type { Account } from '../../tools/engine/credentials';
import { KEY } from './contacts';

/** A sandbox without limits, closed after the tests of the file; each test starts with an empty one. */
export function sandboxForTests(options: Partial<SandboxOptions> = {}): () => Sandbox {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ keys: [KEY], limit: 0, credits: 100_000, ...options });
  });
  beforeEach(() => sandbox.reset());
  afterAll(async () => await sandbox.close());
  return () => sandbox;
}

export const accountOf = ({ url }: Sandbox, prefix = '/v1'): Account => ({ baseUrl: `${url}${prefix}`, apiKey: KEY });
export const receivedTexts = (sandbox: Sandbox): string[] => sandbox.messages().map(({ message }) => message);

/** Each message that the sandbox has received, as the item that it came from, in the order of arrival. */
export function receivedContacts(sandbox: Sandbox): Array<{ phone: string; text: string }> {
  return sandbox.messages().map(({ phone, message }) => ({ phone, text: message }));
}

export const requestSizes = (sandbox: Sandbox): number[] => sandbox.requests().map(({ messages }) => messages);

/** A key and a certificate for this machine that nobody has signed. */
export function selfSignedCertificate(): { readonly key: string; readonly cert: string } {
  const options = ['-newkey', 'rsa:2048', '-nodes', '-keyout', '-', '-subj', '/CN=127.0.0.1', '-days', '2'];
  const both = execFileSync('openssl', ['req', '-x509', ...options], { encoding: 'utf8', stdio: 'pipe' });
  return { key: both, cert: both };
}

/** Waits until the condition holds; if it never does, the test's time is up. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(2);
}

/** Gives work that is under way many turns of the event loop: a busy machine can use up a single long pause in one. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 25; turn += 1) await pause(2);
}
