import type { SandboxOptions } from '../sandbox/server';
import { API_KEY } from '../tools/n8n/instance';
import { startProcess } from './processes';

/** A sandbox in its own process. */
export class RemoteSandbox {
  constructor(readonly url: string) {}

  /** What a node needs to send to the sandbox. */
  get account() {
    return { baseUrl: `${this.url}/v1`, apiKey: API_KEY };
  }

  async reset(): Promise<void> {
    await this.ask('POST', 'reset');
  }

  /** Until it is reset, each answer comes this many milliseconds after its request. */
  async answerAfter(ms: number): Promise<void> {
    await this.ask('PUT', 'faults', [{ kind: 'delay', ms, probability: 1 }]);
  }

  /** @throws unless this many messages arrived, each to a different number */
  async expectOnce(count: number): Promise<void> {
    const { messages, conversations } = (await this.ask('GET', 'state')) as Record<string, number>;
    if (messages !== count || conversations !== count) {
      throw new Error(`${count} messages should have arrived once each; ${messages} did, at ${conversations} numbers`);
    }
  }

  private async ask(method: string, path: string, body?: object): Promise<unknown> {
    // A kept connection may be closed just as the next question is asked.
    const headers = { connection: 'close', ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${this.url}/_sandbox/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status} to ${path}`);
    return await answer.json();
  }
}

/** Starts a sandbox, by default without a limit, and stops it after `use`. */
export async function withSandbox<Result>(
  options: Partial<SandboxOptions>,
  use: (sandbox: RemoteSandbox) => Promise<Result>,
): Promise<Result> {
  const server = startProcess('sandboxWorker.ts', { keys: [API_KEY], credits: 1e9, limit: 0, ...options });
  const ended = server.catch(() => undefined);
  try {
    return await use(new RemoteSandbox((await server.getOneMessage()) as string));
  } finally {
    server.kill();
    await ended;
  }
}
