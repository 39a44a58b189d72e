/** Commands of this project, each in a process of its own, for tests that run in Jest. */
import { type ChildProcess, spawn } from 'node:child_process';

import { PROJECT_FOLDER } from '../../tools/project';

const children = new Set<ChildProcess>();

// A test that failed must not leave its server behind.
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** @param file  the command's, from the folder of the checkout */
export function runCommand(file: string, ...flags: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...flags], { cwd: PROJECT_FOLDER });
  children.add(child);
  child.on('close', () => children.delete(child));
  let output = '';
  let errors = '';
  child.stderr.on('data', (part) => (errors += String(part)));
  child.stdout.on('data', (part) => (output += String(part)));
  return {
    /** Settles at the first complete line that matches, with it. */
    line: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const found = output
            .split('\n')
            .slice(0, -1)
            .find((line) => pattern.test(line));
          if (found !== undefined) resolve(found);
        };
        child.stdout.on('data', look);
        child.on('close', () => reject(new Error(`ended without a line like ${pattern}: ${errors}`)));
        look();
      }),
    /** Settles when the process has ended. */
    ended: new Promise<{ code: number | null; output: string; errors: string }>((resolve) =>
      child.on('close', (code) => resolve({ code, output, errors })),
    ),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
  };
}
