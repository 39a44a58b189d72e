/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Sandboxes for tests that run in Jest, and what they have received. */
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';
import type { Account } from '../../tools/engine/credentials';
import { KEY } from './account';

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

export function accountOf({ url }: Sandbox, prefix = '/v1'): Account {
  return { baseUrl: `${url}${prefix}`, apiKey: KEY };
}

/** The text of each message that the sandbox has received, in the order of arrival. */
export function receivedTexts(sandbox: Sandbox): string[] {
  return sandbox.messages().map(({ message }) => message);
}

/** Each message that the sandbox has received, as the item that it came from, in the order of arrival. */
export function receivedContacts(sandbox: Sandbox): Array<{ phone: string; text: string }> {
  return sandbox.messages().map(({ phone, message }) => ({ phone, text: message }));
}

/** The number of messages in each request that the sandbox has received. */
export function requestSizes(sandbox: Sandbox): number[] {
  return sandbox.requests().map(({ messages }) => messages);
}

/** The highest number of requests that are in flight at once until `work` has ended. */
export async function mostInFlight(sandbox: Sandbox, work: Promise<unknown>): Promise<number> {
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, sandbox.requests().filter(({ duration_ms: duration }) => duration === null).length);
  }, 1);
  await work.finally(() => clearInterval(watch));
  return most;
}
