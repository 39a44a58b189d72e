import type { SandboxOptions } from '../sandbox/server';
import { startWorker } from './processes';

/** The key that everything in the benchmark sends with. */
export const KEY = 'made-up-key-0123456789';

interface SandboxRequest {
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly status: number | null;
}

/** What a sandbox got. */
export interface Received {
  readonly messages: number;
  /** Numbers that got a message: as many as there are messages, if each has a number of its own and none got two. */
  readonly phones: number;
  readonly requests: number;
  readonly refused: number;
  /** From the first request to the last answer, in seconds. */
  readonly seconds: number;
}

/** A sandbox in a process of its own. */
export class RemoteSandbox {
  constructor(readonly url: string) {}

  async reset(): Promise<void> {
    await this.ask('POST', 'reset');
  }

  /** Of the latest 1,000 requests. */
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

  /** @throws unless each of so many messages, all to numbers of their own, arrived once */
  async expectOnce(messages: number): Promise<void> {
    const { messages: arrived, phones } = await this.received();
    if (arrived !== messages || phones !== messages) {
      throw new Error(`${messages} messages should have arrived once each; ${arrived} arrived, at ${phones} numbers`);
    }
  }

  private async ask(method: 'GET' | 'POST', path: string): Promise<unknown> {
    const answer = await fetch(`${this.url}/_sandbox/${path}`, { method });
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status} to ${path}`);
    return await answer.json();
  }
}

/** A sandbox for the time of `use`; without a limit unless the options say otherwise. */
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
