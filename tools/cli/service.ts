/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ExpectedError, systemCode } from './errors';
import { type Probe, waitFor } from './waiting';

const START_DEADLINE_SECONDS = 180;
const LAST_LINES = 12;

export interface ServiceOptions {
  /** Also of its log. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Its working folder; its log goes there. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The user it runs as, if not the user who runs this. */
  readonly user?: { uid: number; gid: number } | undefined;
  /** Ends it immediately, with all processes that it has started. */
  readonly killSignal?: NodeJS.Signals;
}

/** A program that runs beside this process, and never outlives it. */
export class Service {
  private ended: string | undefined;
  private readonly logFile: string;
  protected readonly child: ChildProcess;
  protected readonly killGroup: () => void;

  constructor(private readonly options: ServiceOptions) {
    const { name, file, args, folder, env, user, killSignal = 'SIGKILL' } = options;
    this.logFile = path.join(folder, `${name}.log`);
    const log = openSync(this.logFile, 'a');
    // A process group of its own: Ctrl-C reaches only the command, and the program's children can be ended with it.
    this.child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', log, log], detached: true, ...user });
    closeSync(log);
    this.child.once('exit', (code, by) => (this.ended = `${name} ended on its own (${by ?? `exit code ${code}`})`));
    this.child.once('error', (failure) => (this.ended = `${name} can't be started: ${failure.message}`));
    this.killGroup = () => this.signalGroup(killSignal);
    process.once('exit', this.killGroup);
  }

  /**
   * Waits until `ask` has an answer; until then it may reject.
   * @throws ExpectedError with the end of its log if it ends or stays silent
   */
  async started(ask: Probe<unknown>, signal: AbortSignal): Promise<void> {
    const probe = async () => {
      this.assertRunning();
      return await Promise.resolve(ask()).catch(() => undefined);
    };
    const what = `${this.options.name} to start`;
    try {
      await waitFor(what, START_DEADLINE_SECONDS, probe, { signal, evidence: () => this.endOfLog() });
    } catch (failure) {
      await this.kill();
      throw failure;
    }
  }

  /** The end of its log, to show with a failure. */
  endOfLog(): string {
    const lines = this.log().trim().split('\n').slice(-LAST_LINES);
    return [`The end of the log of ${this.options.name}:`, ...lines.map((line) => `  ${line}`)].join('\n');
  }

  log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  assertRunning(): void {
    if (this.ended !== undefined) throw new ExpectedError(`${this.ended}.\n${this.endOfLog()}`);
  }

  async whenEnded(): Promise<void> {
    if (this.ended === undefined) await once(this.child, 'exit');
  }

  /** Ends it and all its children at once. */
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
