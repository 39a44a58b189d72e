/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** What the parts of the benchmark share: items, the sandbox, and runs that take turns. */
import { join } from 'node:path';

import { execaNode } from 'execa';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { SandboxOptions } from '../sandbox/server';
import type { Session } from '../tools/cli/session';
import { loadPackage, runStep, type Step } from '../tools/engine/steps';
import { API_KEY } from '../tools/n8n/instance';

export interface Options {
  /** How often each contender is measured, after a warm-up; parts with short runs repeat them more often. */
  readonly rounds: number;
  /** The folder of a built checkout to compare with as well. */
  readonly before?: string;
  readonly session: Session;
}

export interface Row {
  readonly what: string;
  /** None for a ratio. */
  readonly unit?: string;
  readonly rounds: readonly number[];
  /** The target that the project sets itself. */
  readonly atMost?: number | undefined;
}

/** How many requests the node, and what it is compared with, have in flight. */
export const PARALLEL = 16;

/** The sandbox has no limit, so the node needs none. */
export const UNLIMITED = { requestsPerMinute: 1_000_000, parallelRequests: PARALLEL };

/** This many contacts, each with its own phone number. */
export function contacts(count: number): IDataObject[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Made-up Person ${index}`,
    phone: `4477${String(index).padStart(8, '0')}`,
    message: `Hello Made-up Person ${index}, a reminder of your appointment on Monday ${index % 28} May.`,
  }));
}

/** The node of a built checkout, by default this one, which sends each item's `message` to its `phone`. */
export async function sendingNode(
  operation: 'send' | 'sendBulk',
  changed: INodeParameters = {},
  folder?: string,
): Promise<Step> {
  const { node } = await loadPackage(folder);
  const fields = { phone: '={{ $json.phone }}', message: '={{ $json.message }}', options: UNLIMITED };
  const parameters = { resource: 'message', operation, source: 'items', ...fields, ...changed };
  return { type: node, parameters, onError: 'continueRegularOutput' };
}

/** A sandbox in a process of its own, so that its work doesn't slow down what is measured. */
export class RemoteSandbox {
  constructor(
    readonly url: string,
    private readonly apiKey: string,
  ) {}

  /** How long a step takes over items, in milliseconds. */
  async timeOf(step: Step, items: readonly IDataObject[], arriving = items.length): Promise<number> {
    await this.ask('POST', 'reset');
    const started = performance.now();
    await runStep(items, step, { baseUrl: `${this.url}/v1`, apiKey: this.apiKey });
    const time = performance.now() - started;
    await this.expectOnce(arriving);
    return time;
  }

  /** Back to the start, but for answers that come this many milliseconds after their requests. */
  async reset(answerMs: number): Promise<void> {
    await this.ask('POST', 'reset');
    await this.ask('PUT', 'faults', answerMs > 0 ? [{ kind: 'delay', ms: answerMs, probability: 1 }] : []);
  }

  /** @throws unless this many messages arrived, each to a different number */
  async expectOnce(count: number): Promise<void> {
    const { messages, conversations } = await this.ask('GET', 'state');
    if (messages !== count || conversations !== count)
      throw new Error(`${count} messages should have arrived once each; ${messages} did, at ${conversations} numbers`);
  }

  private async ask(method: string, path: string, body: object = {}): Promise<Record<string, number>> {
    // A kept connection may be closed just as the next question is asked.
    const headers = { connection: 'close', 'content-type': 'application/json' };
    const given = method === 'GET' ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${this.url}/_sandbox/${path}`, { method, headers, ...given });
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status} to ${path}`);
    return (await answer.json()) as Record<string, number>;
  }
}

/** Starts a sandbox, by default without a limit, and stops it after `use`. */
export async function withSandbox<Result>(
  use: (sandbox: RemoteSandbox) => Promise<Result>,
  options: Partial<SandboxOptions> = {},
  apiKey = API_KEY,
): Promise<Result> {
  const ipcInput = { keys: [apiKey], credits: 1e9, limit: 0, ...options };
  const server = execaNode(join(import.meta.dirname, 'sandbox.ts'), { ipcInput, stdout: 'inherit', stderr: 'inherit' });
  const ended = server.catch(() => undefined);
  try {
    return await use(new RemoteSandbox((await server.getOneMessage()) as string, apiKey));
  } finally {
    server.kill();
    await ended;
  }
}

/**
 * The time of a run over that of another. They take turns (A B B A …), after uncounted runs of each. Ratios are taken by
 * round: what slows down a round slows down both.
 */
export async function compare(
  what: string,
  runs: readonly [own: () => Promise<number>, other: () => Promise<number>],
  { rounds, warmUps = 1, atMost }: { rounds: number; warmUps?: number; atMost: number | undefined },
  { signal, say }: Session,
): Promise<Row> {
  say(what);
  const ratios: number[] = [];
  for (let round = 1 - warmUps; round <= rounds; round += 1) {
    const times = [0, 0];
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      signal.throwIfAborted();
      // Garbage of one must not be collected in the time of the next. A full collection would also make V8 forget code.
      (global.gc as ((options: { type: 'minor' }) => void) | undefined)?.({ type: 'minor' });
      times[index] = await runs[index]();
    }
    const [own = NaN, other = NaN] = times;
    if (round > 0) ratios.push(own / other);
  }
  return { what, rounds: ratios, atMost };
}
