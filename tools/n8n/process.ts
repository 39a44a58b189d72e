import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';

import getPort from 'get-port';

import { ExpectedError, systemCode } from '../cli/errors';
import { waitFor } from '../cli/waiting';
import { environmentOf, filesFolderOf, workerEnvironment } from './settings';

const START_DEADLINE_SECONDS = 180;
const STOP_DEADLINE_MS = 15_000;
const GONE_DEADLINE_SECONDS = 30;
const LAST_LINES = 12;

/** A program that starts n8n with n8n's own arguments: `start` or `worker`. */
export interface N8nProgram {
  file: string;
  args: readonly string[];
}

export interface N8nOptions {
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
  const logFile = path.join(folder, 'n8n.log');
  const log = await open(logFile, 'a');
  const command = worker === undefined ? ['start'] : ['worker', `--concurrency=${worker.concurrency}`];
  const child = spawn(program.file, [...program.args, ...command], {
    // Relative paths in a workflow start here, as they do in n8n's own container image.
    cwd: folder,
    env: {
      ...environmentOf(folder, port, await getPort()),
      ...(worker === undefined ? {} : workerEnvironment(port)),
      ...environment,
    },
    stdio: ['ignore', log.fd, log.fd],
    // A process group of its own: Ctrl-C reaches only the command, and n8n's children can be ended with it.
    detached: true,
  });
  await log.close();
  const n8n = new N8nProcess(child, `http://localhost:${port}`, logFile, worker === undefined);
  try {
    await waitFor('n8n to start', START_DEADLINE_SECONDS, () => n8n.isReady(), {
      signal,
      evidence: () => n8n.endOfLog(),
    });
  } catch (failure) {
    await n8n.stop();
    throw failure;
  }
  return n8n;
}

export class N8nProcess {
  private ended: string | undefined;
  private readonly killGroup = () => {
    this.signalGroup('SIGKILL');
  };

  constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly logFile: string,
    private readonly hasEditor: boolean,
  ) {
    child.once('exit', (code, signal) => (this.ended = `n8n ended on its own (${signal ?? `exit code ${code}`})`));
    child.once('error', (failure) => (this.ended = `n8n can't be started: ${failure.message}`));
    // n8n never outlives this process, and is gone before its folder is removed.
    process.prependOnceListener('exit', this.killGroup);
  }

  /** The end of n8n's log, to show with a failure. */
  endOfLog(): string {
    const lines = this.log().trim().split('\n').slice(-LAST_LINES);
    return ["The end of n8n's log:", ...lines.map((line) => `  ${line}`)].join('\n');
  }

  log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** @returns true once workflows can run, `undefined` before; throws when n8n has ended. */
  async isReady(): Promise<true | undefined> {
    this.assertRunning();
    const answer = await fetch(`${this.url}/healthz/readiness`).catch(() => undefined);
    if (answer?.ok !== true) return undefined;
    if (!this.hasEditor) return true;
    // While it starts, n8n answers every other address with a page that says so.
    const login = await fetch(`${this.url}/rest/login`).catch(() => undefined);
    return login?.headers.get('content-type')?.includes('json') === true ? true : undefined;
  }

  assertRunning(): void {
    if (this.ended !== undefined) throw new ExpectedError(`${this.ended}.\n${this.endOfLog()}`);
  }

  async whenEnded(): Promise<void> {
    if (this.ended === undefined) await once(this.child, 'exit');
  }

  /** Ends n8n and its task runner: asks first, and kills them if that takes too long. */
  async stop(): Promise<void> {
    if (this.ended === undefined) {
      this.child.kill('SIGTERM');
      const insist = setTimeout(this.killGroup, STOP_DEADLINE_MS);
      await this.whenEnded();
      clearTimeout(insist);
    }
    // The task runner normally ends with n8n. If not, it would now stay forever.
    await this.kill();
  }

  /** Ends n8n and all its children at once, as a crash or a power cut would, without time to save anything. */
  async kill(): Promise<void> {
    this.killGroup();
    await this.whenEnded();
    process.removeListener('exit', this.killGroup);
    // One in a container ends a moment after the command that has started it.
    await waitFor('n8n to be gone', GONE_DEADLINE_SECONDS, async () => ((await this.answers()) ? undefined : true), {
      signal: new AbortController().signal,
      evidence: () => this.endOfLog(),
    });
  }

  private async answers(): Promise<boolean> {
    return await fetch(`${this.url}/healthz`).then(
      () => true,
      () => false,
    );
  }

  private signalGroup(signal: NodeJS.Signals): void {
    if (this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, signal);
    } catch (failure) {
      if (systemCode(failure) !== 'ESRCH') throw failure;
    }
  }
}
