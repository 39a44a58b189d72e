import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

import { ExpectedError, systemCode } from '../../../tools/cli/errors';
import { type Session } from '../../../tools/cli/session';
import { waitFor } from '../../../tools/cli/waiting';

const START_DEADLINE_SECONDS = 30;

/** The user a service runs as. */
export interface User {
  uid: number;
  gid: number;
}

export interface ServiceOptions {
  command: string;
  args: string[];
  /** Its working folder; its log goes there. */
  folder: string;
  /** Not the user who runs the tests. */
  user?: User | undefined;
  /** Ends it immediately, with all processes that it has started. */
  endSignal: NodeJS.Signals;
  /** Resolves once it answers, rejects until then. */
  ask: () => Promise<unknown>;
}

/**
 * Starts a service that n8n needs, and waits until it answers. It always ends with the tests.
 * @throws ExpectedError with the end of its log if it ends or stays silent
 */
export async function startService(options: ServiceOptions, { signal, cleanup }: Session): Promise<void> {
  const { command, args, folder, user, endSignal, ask } = options;
  const name = path.basename(command);
  const logFile = path.join(folder, `${name}.log`);
  const log = await open(logFile, 'a');
  // In a process group of its own: Ctrl-C reaches only the tests, which then end it.
  const service = spawn(command, args, { cwd: folder, stdio: ['ignore', log.fd, log.fd], detached: true, ...user });
  await log.close();
  const endOfLog = () => readFileSync(logFile, 'utf8').trim().split('\n').slice(-12).join('\n');

  let failure: string | undefined;
  service.once(
    'error',
    (error) => (failure = systemCode(error) === 'ENOENT' ? `${name} can't be found` : error.message),
  );
  service.once('exit', (code, by) => (failure ??= `${name} ended on its own (${by ?? `exit code ${code}`})`));
  const end = () => service.kill(endSignal);
  // Before its folder is removed, which is a listener of the same event.
  process.prependOnceListener('exit', end);
  cleanup.add(async () => {
    const ended = failure === undefined ? once(service, 'exit') : undefined;
    end();
    await ended;
    process.removeListener('exit', end);
  });

  await waitFor(
    `${name} to start`,
    START_DEADLINE_SECONDS,
    async () => {
      if (failure !== undefined) throw new ExpectedError(`${failure}.\n${endOfLog()}`);
      return await ask().then(
        () => true,
        () => undefined,
      );
    },
    { signal, evidence: endOfLog },
  );
}
