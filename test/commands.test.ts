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
  /** Presses Ctrl-C. @returns how the command ends */
  const interrupt = () =>
    new Promise<{ code: number | null; output: string; errors: string }>((resolve) => {
      child.on('close', (code) => resolve({ code, output, errors }));
      child.kill('SIGINT');
    });
  return { address, interrupt };
}

test('The sandbox prints its addresses and keys, applies its flags, and ends on Ctrl-C', async () => {
  const command = runCommand('sandbox/main.ts', '--port', '0', '--key', 'made-up', '--fault', '{"kind":"html"}');
  const url = await command.address(/inbox/);
  const answer = await fetch(`${url}/v1/user/balance`, { headers: { authorization: 'Bearer made-up' } });
  expect(answer.status).toBe(502);
  const { code, output, errors } = await command.interrupt();
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toContain('made-up');
});

test('The demo sends to 250 contacts, sends nobody twice, and shows the inbox until Ctrl-C', async () => {
  const running = runCommand('demo/main.ts');
  const url = await running.address(/inbox +http/);
  const { messages } = (await (await fetch(`${url}/_sandbox/messages`)).json()) as {
    messages: Array<{ phone: string; message: string }>;
  };
  const { code, output, errors } = await running.interrupt();
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(messages).toHaveLength(245);
  expect(new Set(messages.map(({ phone }) => phone)).size).toBe(245);
  expect(messages[0]?.message).toBe(
    'Hello Cleo Ashgrovel, a reminder of your appointment in Little Marrow on Monday 3 May at 09:00. Please call us to change it.',
  );
  expect(output).toMatch(/^ {2}sent before +245$/m);
  expect(output).toContain('contact 188 "ask at reception": The phone number contains letters');
  expect(output).toContain("To see it in n8n's editor: npm run dev");
});
