import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';

import getPort from 'get-port';

import { DemoFailure, systemCode } from './failure';
import type { N8nInstallation } from './install';
import { waitFor } from './waiting';

const START_DEADLINE_SECONDS = 180;
const STOP_DEADLINE_MS = 15_000;

export interface N8nOptions {
  installation: N8nInstallation;
  /** A folder of this n8n's own: its home, its database and its log. Not a symbolic link. */
  folder: string;
  port: number;
  /** More of n8n's settings, or others than here. */
  environment?: NodeJS.ProcessEnv;
  /** Start a worker of queue mode, which takes so many executions at once, instead of an n8n with an editor. */
  worker?: { concurrency: number };
  signal: AbortSignal;
}

/** Where n8n lets "Read/Write Files from Disk" read by default, in the folder that is its home. */
export function filesFolderOf(folder: string): string {
  return path.join(folder, '.n8n-files');
}

/**
 * Starts n8n and waits until it answers. On a folder that an earlier n8n has left, it goes on from there.
 *
 * It gets nothing of the user's environment beyond what a program needs to run, and is told to call nobody.
 *
 * @throws DemoFailure with n8n's last words when it ends or stays silent
 */
export async function startN8n(options: N8nOptions): Promise<N8nProcess> {
  const { installation, folder, port, environment, worker, signal } = options;
  await mkdir(filesFolderOf(folder), { recursive: true });
  const logFile = path.join(folder, 'n8n.log');
  const log = await open(logFile, 'a');
  const command = worker === undefined ? ['start'] : ['worker', `--concurrency=${worker.concurrency}`];
  const child = spawn(installation.nodeBinary, [installation.entry, ...command], {
    // Relative paths in a workflow start here, as they do in n8n's own container image.
    cwd: folder,
    env: {
      ...inherited(),
      ...settings(folder, port, await getPort()),
      ...(worker === undefined ? {} : workerSettings(port)),
      ...installation.settings,
      ...environment,
    },
    stdio: ['ignore', log.fd, log.fd],
    // A process group of its own: Ctrl-C reaches only the demo, and n8n's children can be ended with it.
    detached: true,
  });
  await log.close();
  const n8n = new N8nProcess(child, `http://localhost:${port}`, logFile, worker === undefined);
  try {
    await waitFor('n8n to start', START_DEADLINE_SECONDS, () => n8n.isReady(), {
      signal,
      evidence: () => n8n.lastWords(),
    });
  } catch (failure) {
    await n8n.stop();
    throw failure;
  }
  return n8n;
}

/** A running n8n with its task runner. */
export class N8nProcess {
  private ended: string | undefined;
  private readonly killGroup = () => this.signalGroup('SIGKILL');

  constructor(
    private readonly child: ChildProcess,
    /** Where its editor and its REST interface are. */
    readonly url: string,
    private readonly logFile: string,
    private readonly hasEditor: boolean,
  ) {
    child.once('exit', (code, signal) => (this.ended = `n8n ended by itself (${signal ?? `exit code ${code}`})`));
    child.once('error', (failure) => (this.ended = `n8n can't be started: ${failure.message}`));
    // However the demo ends, n8n doesn't outlive it.
    process.once('exit', this.killGroup);
  }

  /** The end of n8n's log, to show with a failure. */
  lastWords(): string {
    const lines = this.log().trim().split('\n');
    return `n8n's last words:\n${lines
      .slice(-12)
      .map((line) => `  ${line}`)
      .join('\n')}`;
  }

  /** Everything n8n has said so far. */
  log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** @returns true once workflows can run, `undefined` before; throws when n8n has ended. */
  async isReady(): Promise<true | undefined> {
    this.assertRunning();
    const answer = await fetch(`${this.url}/healthz/readiness`).catch(() => undefined);
    if (answer?.ok !== true) return undefined;
    if (!this.hasEditor) return true;
    // While it is starting, n8n answers every other address with a page that says so.
    const settingsAnswer = await fetch(`${this.url}/rest/settings`).catch(() => undefined);
    const isJson = settingsAnswer?.headers.get('content-type')?.includes('json') === true;
    return settingsAnswer?.ok === true && isJson ? true : undefined;
  }

  /** @throws DemoFailure when n8n is no longer there. */
  assertRunning(): void {
    if (this.ended !== undefined) throw new DemoFailure(`${this.ended}.\n${this.lastWords()}`);
  }

  /** Resolves when n8n ends, whatever the reason. */
  async whenEnded(): Promise<void> {
    if (this.ended === undefined) await once(this.child, 'exit');
  }

  /** Ends n8n and its task runner: asks first, and insists when that takes too long. */
  async stop(): Promise<void> {
    if (this.ended === undefined) {
      this.child.kill('SIGTERM');
      const insist = setTimeout(this.killGroup, STOP_DEADLINE_MS);
      await this.whenEnded();
      clearTimeout(insist);
    }
    // The task runner normally ends with n8n; what is left of the group now would stay for ever.
    this.signalGroup('SIGKILL');
    process.removeListener('exit', this.killGroup);
  }

  /** Ends n8n and all its children at once, as a crash or a power cut would: it has no time to save anything. */
  async kill(): Promise<void> {
    this.killGroup();
    await this.whenEnded();
    process.removeListener('exit', this.killGroup);
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

function inherited(): NodeJS.ProcessEnv {
  const names = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];
  return Object.fromEntries(names.filter((name) => name in process.env).map((name) => [name, process.env[name]]));
}

function settings(folder: string, port: number, brokerPort: number): NodeJS.ProcessEnv {
  return {
    HOME: folder,
    N8N_USER_FOLDER: folder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_HOST: 'localhost',
    N8N_RUNNERS_BROKER_PORT: String(brokerPort),
    N8N_SECURE_COOKIE: 'false',
    N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
    N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
    // The package lies in its place already; n8n must not look for it in the registry.
    N8N_REINSTALL_MISSING_PACKAGES: 'false',
    // Nothing that would call n8n's own servers, ask the user questions or show them news.
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
  };
}

/** A worker answers to nothing but the question whether it is ready, and to that only if it is told to. */
function workerSettings(port: number): NodeJS.ProcessEnv {
  return {
    QUEUE_HEALTH_CHECK_ACTIVE: 'true',
    QUEUE_HEALTH_CHECK_PORT: String(port),
    N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
  };
}
