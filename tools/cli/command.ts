/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { execa } from 'execa';

import { PROJECT_FOLDER } from '../project';
import { ExpectedError, messageOf } from './errors';

const SHOWN_LINES = 15;

/** Runs a program to its end. */
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
