/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Commands of this project, each in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';

import { PROJECT_FOLDER } from '../tools/project';

const children = new Set<ChildProcess>();

// A test that failed must not leave its server behind.
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** @param file  the command's, from the folder of the checkout */
function runCommand(file: string, ...flags: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...flags], { cwd: PROJECT_FOLDER });
  children.add(child);
  child.on('close', () => children.delete(child));
  let output = '';
  let errors = '';
  child.stderr.on('data', (part) => (errors += String(part)));
  child.stdout.on('data', (part) => (output += String(part)));
  /** The address in the first complete line that matches. */
  const address = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const lines = output.split('\n').slice(0, -1);
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) resolve(/http:\S+(?=\/$)/.exec(found)?.[0] ?? '');
      };
      child.stdout.on('data', look);
      child.on('close', () => reject(new Error(`ended without a line like ${pattern}: ${errors}`)));
    });
  const ended = new Promise<{ code: number | null; output: string; errors: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, output, errors }));
  });
  /** Presses Ctrl-C. @returns how the command ends */
  const interrupt = async () => {
    child.kill('SIGINT');
    return await ended;
  };
  return { address, interrupt, ended };
}

test('The sandbox prints its addresses and keys, applies its flags, and ends on Ctrl-C', async () => {
  const command = runCommand('sandbox/main.ts', '--port', '0', '--key', 'made-up', '--fault', '{"kind":"html"}');
  const url = await command.address(/inbox/);
  expect((await fetch(`${url}/v1/user/balance`, { headers: { authorization: 'Bearer made-up' } })).status).toBe(502);
  const { code, output, errors } = await command.interrupt();
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toContain('made-up');
});

test('The demo sends to 250 contacts, sends nobody twice, and ends where nobody can press Ctrl-C', async () => {
  const { code, output, errors } = await runCommand('demo/main.ts').ended;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  const [first = '', second = ''] = output.split('Running it again');
  expect(first).toMatch(/^ {2}sent +245$/m);
  expect(first).toMatch(/^ {2}credits +1,?000 before, 755 after$/m);
  expect(second).toMatch(/^ {2}sent before +245$/m);
  expect(second).toMatch(/^ {2}requests +0$/m);
  expect(output).toContain('contact 188 "ask at reception": The phone number contains letters');
  expect(output).toContain("To see it in n8n's editor: npm run dev");
});
