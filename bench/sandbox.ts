import type { Fault, SandboxOptions } from '../sandbox/server';
import { KEY } from '../test/support/account';
import { startWorker } from './processes';

interface SandboxRequest {
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly status: number | null;
}

interface MessagePage {
  readonly messages: ReadonlyArray<{ readonly phone: string }>;
  readonly next_after: number;
}

/** What a sandbox has received. */
export interface Received {
  readonly messages: number;
  /** Phone numbers that got a message: as many as messages, if each message has its own and arrived once. */
  readonly phones: number;
  readonly requests: number;
  readonly refused: number;
  /** From the first request to the last answer, in seconds. */
  readonly seconds: number;
}

/** A sandbox in its own process. */
export class RemoteSandbox {
  constructor(readonly url: string) {}

  async reset(): Promise<void> {
    await this.ask('POST', 'reset');
  }

  /** Until it is reset, each answer comes so many milliseconds after the request. */
  async answerAfter(ms: number): Promise<void> {
    await this.fail([{ kind: 'delay', ms, probability: 1 }]);
  }

  /** Until it is reset, it has these faults. */
  async fail(faults: readonly Fault[]): Promise<void> {
    await this.ask('PUT', 'faults', faults);
  }

  /** How many messages it has sent. */
  async sent(): Promise<number> {
    return ((await this.ask('GET', 'state')) as { messages: number }).messages;
  }

  /** All phone numbers that got a message. */
  async phones(): Promise<ReadonlySet<string>> {
    const phones = new Set<string>();
    for (let after: number | null = 0; after !== null;) {
      const page = (await this.ask('GET', `messages?after=${after}&limit=1000`)) as MessagePage;
      for (const { phone } of page.messages) phones.add(phone);
      after = page.messages.length === 0 ? null : page.next_after;
    }
    return phones;
  }

  /** What has arrived; times and refusals are of the last 1,000 requests. */
  async received(): Promise<Received> {
    const state = (await this.ask('GET', 'state')) as { messages: number; conversations: number; requests: number };
    const { requests } = (await this.ask('GET', 'requests?limit=1000')) as { requests: SandboxRequest[] };
    const starts = requests.map(({ started_at }) => Date.parse(started_at));
    const ends = requests.map(({ started_at, duration_ms }) => Date.parse(started_at) + (duration_ms ?? 0));
    return {
      messages: state.messages,
      phones: state.conversations,
      requests: state.requests,
      refused: requests.filter(({ status }) => status === 429).length,
      seconds: (Math.max(...ends) - Math.min(...starts)) / 1000,
    };
  }

  /** @throws unless this many messages arrived, each to a different number */
  async expectOnce(messages: number): Promise<void> {
    const { messages: arrived, phones } = await this.received();
    if (arrived !== messages || phones !== messages) {
      throw new Error(`${messages} messages should have arrived once each; ${arrived} arrived, at ${phones} numbers`);
    }
  }

  private async ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<unknown> {
    // A connection that is kept for the next question may be closed just as that is asked.
    const headers = { connection: 'close', ...(body && { 'content-type': 'application/json' }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${this.url}/_sandbox/${path}`, init);
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status} to ${path}`);
    return await answer.json();
  }
}

/** Starts a sandbox, by default without a limit, and stops it after `use`. */
export async function withSandbox<Result>(
  options: Partial<SandboxOptions>,
  use: (sandbox: RemoteSandbox) => Promise<Result>,
): Promise<Result> {
  const worker = startWorker<Partial<SandboxOptions>, string>('sandboxWorker.ts');
  try {
    return await use(
      new RemoteSandbox(await worker.ask({ keys: [KEY], credits: 1_000_000_000, limit: 0, ...options })),
    );
  } finally {
    await worker.stop();
  }
}
