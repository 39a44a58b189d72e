import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

import type { Closing } from '../../demo/closing';
import { DemoFailure, systemCode } from '../../demo/failure';
import { waitFor } from '../../demo/waiting';
import { stopped } from './stage';

const START_DEADLINE_SECONDS = 30;

/** The user a server runs as. */
export interface User {
  uid: number;
  gid: number;
}

export interface ServerOptions {
  command: string;
  args: string[];
  /** Its working folder; its log goes there. */
  folder: string;
  /** Not the one who runs the tests. */
  user?: User | undefined;
  /** What ends it at once, and all processes that it has started. */
  endSignal: NodeJS.Signals;
  /** Resolves once it answers, rejects before. */
  ask: () => Promise<unknown>;
  /** Takes its end. */
  closing: Closing;
}

/**
 * Starts a server of the tests' own and waits until it answers. It ends with the tests, however they end.
 *
 * @throws DemoFailure with its last words when it ends or stays silent
 */
export async function startServer({
  command,
  args,
  folder,
  user,
  endSignal,
  ask,
  closing,
}: ServerOptions): Promise<void> {
  const name = path.basename(command);
  const logFile = path.join(folder, `${name}.log`);
  const log = await open(logFile, 'a');
  // In a session of its own: what a terminal sends to the tests is theirs to handle.
  const server = spawn(command, args, { cwd: folder, stdio: ['ignore', log.fd, log.fd], detached: true, ...user });
  await log.close();
  const lastWords = () => readFileSync(logFile, 'utf8').trim().split('\n').slice(-12).join('\n');

  let failure: string | undefined;
  server.once(
    'error',
    (error) => (failure = systemCode(error) === 'ENOENT' ? `${name} can't be found` : error.message),
  );
  server.once('exit', (code, signal) => (failure ??= `${name} ended by itself (${signal ?? `exit code ${code}`})`));
  const end = () => void server.kill(endSignal);
  // Before its folder is removed, which is a listener of the same event.
  process.prependOnceListener('exit', end);
  closing.add(async () => {
    const ended = failure === undefined ? once(server, 'exit') : undefined;
    end();
    await ended;
    process.removeListener('exit', end);
  });

  await waitFor(
    `${name} to start`,
    START_DEADLINE_SECONDS,
    async () => {
      if (failure !== undefined) throw new DemoFailure(`${failure}.\n${lastWords()}`);
      return await ask().then(
        () => true,
        () => undefined,
      );
    },
    { signal: stopped.signal, evidence: lastWords },
  );
}
