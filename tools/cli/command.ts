import { execa } from 'execa';

import { isObject } from '../json';
import { PROJECT_FOLDER } from '../project';
import { ExpectedError, systemCode } from './errors';

const SHOWN_LINES = 15;

export interface CommandOptions {
  signal: AbortSignal;
  /** Without it, the folder of the checkout. */
  cwd?: string;
  /** Over this process's own. */
  env?: NodeJS.ProcessEnv;
}

/**
 * Runs a program to its end, without output.
 *
 * @throws ExpectedError with the program's last lines if it fails
 */
export async function runCommand(command: string, args: string[], options: CommandOptions): Promise<void> {
  const { signal, cwd = PROJECT_FOLDER, env = {} } = options;
  try {
    await execa(command, args, { cwd, env, stdin: 'ignore', all: true, cancelSignal: signal });
  } catch (failure) {
    signal.throwIfAborted();
    if (systemCode(failure) === 'ENOENT') throw new ExpectedError(`The command ${command} can't be found.`);
    const output = isObject(failure) && typeof failure.all === 'string' ? failure.all.trim() : '';
    const lines = output.split('\n').slice(-SHOWN_LINES).join('\n');
    throw new ExpectedError(`"${command} ${args.slice(0, 2).join(' ')}" failed:\n${lines}`);
  }
}
