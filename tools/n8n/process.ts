/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { mkdir } from 'node:fs/promises';

import getPort from 'get-port';

import { Service, type ServiceOptions } from '../cli/service';
import { waitFor } from '../cli/waiting';
import { environmentOf, filesFolderOf, workerEnvironment } from './settings';

const STOP_DEADLINE_MS = 15_000;
const GONE_DEADLINE_SECONDS = 30;

/** A program that starts n8n with n8n's own arguments: `start` or `worker`. */
export interface N8nProgram {
  file: string;
  args: readonly string[];
}

interface N8nOptions {
  program: N8nProgram;
  /** This n8n's own folder, with its home, database and log. Not a symbolic link. */
  folder: string;
  port: number;
  /** Further settings of n8n, which win over the usual ones. */
  environment?: NodeJS.ProcessEnv;
  /** Starts a queue-mode worker for this many executions at once, instead of an n8n with an editor. */
  worker?: { concurrency: number };
  signal: AbortSignal;
}

/** Starts an n8n process and waits until it answers. It continues with the data of an earlier process in the folder. */
export async function startN8n(options: N8nOptions): Promise<N8nProcess> {
  const { program, folder, port, environment, worker, signal } = options;
  await mkdir(filesFolderOf(folder), { recursive: true });
  const command = worker === undefined ? ['start'] : ['worker', `--concurrency=${worker.concurrency}`];
  const env = {
    ...environmentOf(folder, port, await getPort()),
    ...(worker === undefined ? {} : workerEnvironment(port)),
    ...environment,
  };
  const n8n = new N8nProcess(
    // Relative paths in a workflow start in its folder, as they do in n8n's own container image.
    { name: 'n8n', file: program.file, args: [...program.args, ...command], folder, env },
    `http://localhost:${port}`,
  );
  await n8n.started(() => isReady(n8n.url, worker === undefined), signal);
  return n8n;
}

/** @returns true once workflows can run, `undefined` before */
async function isReady(url: string, hasEditor: boolean): Promise<true | undefined> {
  if (!(await fetch(`${url}/healthz/readiness`)).ok) return undefined;
  if (!hasEditor) return true;
  // While it starts, n8n answers every other address with a page that says so.
  const { headers } = await fetch(`${url}/rest/login`);
  return headers.get('content-type')?.includes('json') === true ? true : undefined;
}

export class N8nProcess extends Service {
  constructor(
    options: ServiceOptions,
    readonly url: string,
  ) {
    super(options);
  }

  /** Ends n8n and its task runner: asks first, and kills them if that takes too long. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const insist = setTimeout(this.killGroup, STOP_DEADLINE_MS);
    await this.whenEnded();
    clearTimeout(insist);
    // The task runner normally ends with n8n. If not, it would now stay forever.
    await this.kill();
  }

  /** Ends n8n and all its children at once, as a crash or a power cut would, without time to save anything. */
  override async kill(): Promise<void> {
    await super.kill();
    // One in a container ends a moment after the command that has started it.
    const { signal } = new AbortController();
    const isGone = async () =>
      await fetch(`${this.url}/healthz`).then(
        () => undefined,
        () => true,
      );
    await waitFor('n8n to be gone', GONE_DEADLINE_SECONDS, isGone, { signal, evidence: () => this.endOfLog() });
  }
}
