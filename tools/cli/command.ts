import { execa } from 'execa';

import { PROJECT_FOLDER } from '../project';
import { ExpectedError, messageOf } from './errors';

const SHOWN_LINES = 15;

/**
 * Runs a program to its end.
 * @param options.cwd      without it, the folder of the checkout
 * @param options.env      over this process's own
 * @param options.isShown  whether the user sees its output, which is only kept otherwise
 * @throws ExpectedError with the command and its last lines if it fails
 */
export async function runCommand(
  command: string,
  args: string[],
  options: { signal: AbortSignal; cwd?: string; env?: NodeJS.ProcessEnv; isShown?: boolean },
): Promise<void> {
  const { signal, cwd = PROJECT_FOLDER, env, isShown = false } = options;
  const output = isShown ? 'inherit' : 'pipe';
  try {
    await execa(command, args, { cwd, env, stdio: ['ignore', output, output], all: true, cancelSignal: signal });
  } catch (failure) {
    signal.throwIfAborted();
    const [what = '', ...lines] = messageOf(failure).split('\n');
    throw new ExpectedError([what, ...lines.slice(-SHOWN_LINES)].join('\n'));
  }
}
