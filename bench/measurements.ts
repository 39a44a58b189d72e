/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** What the parts of the benchmark share: packages, items, the sandbox, and runs that take turns. */
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { execaNode } from 'execa';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { SandboxOptions } from '../sandbox/server';
import { runCommand } from '../tools/cli/command';
import type { Session } from '../tools/cli/session';
import { makeTemporaryFolder } from '../tools/cli/temporaryFolder';
import { loadPackage, runStep, type Step } from '../tools/engine/steps';
import { API_KEY } from '../tools/n8n/instance';
import { unpackPackage } from '../tools/n8n/package';
import { PROJECT_FOLDER } from '../tools/project';

/** A package to measure: packed for real n8n, unpacked for n8n's engine in this process. */
export interface Package {
  readonly tarball: string;
  readonly folder: string;
}

export interface Options {
  /** How often each contender is measured, after a warm-up; parts with short runs repeat them more often. */
  readonly rounds: number;
  readonly own: Package;
  readonly before: Package | undefined;
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

/** @param source anything that npm can pack: a folder with a built package, a tarball, a published version */
export async function pack(source: string, { signal, cleanup }: Session): Promise<Package> {
  const packed = await makeTemporaryFolder('packed', cleanup);
  await runCommand('npm', ['pack', '--ignore-scripts', '--pack-destination', packed, source], { signal });
  const tarball = join(packed, (await readdir(packed)).join());
  const home = await makeTemporaryFolder('unpacked', cleanup);
  // All share one n8n-workflow, as in n8n.
  await symlink(join(PROJECT_FOLDER, 'node_modules'), join(home, 'node_modules'));
  return { tarball, folder: await unpackPackage(tarball, home, signal) };
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

/** The node of a package, which sends each item's `message` to its `phone`. */
export async function sendingNode(
  operation: 'send' | 'sendBulk',
  folder?: string,
  changed: INodeParameters = {},
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

type Run = () => Promise<number>;

/**
 * The time of a run over that of another, and of the same run with the package before. They take turns (A B B A …), after
 * uncounted runs of each. Ratios are taken by round: what slows down a round slows down both.
 */
export async function compare(
  what: string,
  { own, other, before }: { own: Run; other: Run; before: Run | undefined },
  { rounds, warmUps = 1, atMost }: { rounds: number; warmUps?: number; atMost: number | undefined },
  { signal, say }: Session,
): Promise<Row[]> {
  say(what);
  const all = [own, other, ...(before ? [before] : [])].map((run) => ({ run, times: [] as number[] }));
  for (let round = 1 - warmUps; round <= rounds; round += 1) {
    for (const { run, times } of round % 2 === 0 ? all : all.toReversed()) {
      signal.throwIfAborted();
      // Garbage of one must not be collected in the time of the next. A full collection would also make V8 forget code.
      (global.gc as ((options: { type: 'minor' }) => void) | undefined)?.({ type: 'minor' });
      const time = await run();
      if (round > 0) times.push(time);
    }
  }
  const over = (index: number) => (all[0]?.times ?? []).map((time, round) => time / (all[index]?.times[round] ?? NaN));
  const last = { what: `${what}, over the package before`, rounds: over(2), atMost: 1 };
  return [{ what, rounds: over(1), atMost }, ...(before ? [last] : [])];
}
