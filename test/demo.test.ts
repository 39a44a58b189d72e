import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from '../tools/project';
import { runCommand } from './support/command';

/** The demo in n8n's engine; `test/e2e/demo.test.ts` is about `--editor`. */

// What is under test is built already.
const demo = (...flags: string[]) => runCommand('demo/main.ts', '--no-build', ...flags);
const folder = mkdtempSync(path.join(tmpdir(), 'messaging-send-demo-'));

test('The demo sends to 250 contacts, sends nobody twice, and shows the inbox until Ctrl-C', async () => {
  const running = demo('--no-exit', '--sandbox-port', String(await freePort()));
  const url = /http:\S+(?=\/$)/.exec(await running.line(/inbox/))?.[0] ?? '';
  const { messages } = (await (await fetch(`${url}/_sandbox/messages?limit=1000`)).json()) as {
    messages: Array<{ phone: string; message: string }>;
  };
  running.kill('SIGINT');
  const { code, output, errors } = await running.ended;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(messages).toHaveLength(245);
  expect(new Set(messages.map(({ phone }) => phone)).size).toBe(245);
  expect(messages[0]?.message).toBe(
    'Hello Cleo Ashgrovel, a reminder of your appointment in Little Marrow on Monday 3 May at 09:00. Please call us to change it.',
  );
  const rows = (name: string) =>
    [...output.matchAll(new RegExp(`^  ${name} +(\\d.*)$`, 'gm'))].map(([, value]) => value);
  expect(rows('contacts')).toEqual(['250', '250']);
  expect(rows('sent')).toEqual(['245', '0']);
  expect(rows('sent before')).toEqual(['245']);
  expect(rows('not sent')).toEqual(['5', '5']);
  expect(rows('requests')).toEqual(['3', '0']);
  expect(rows('credits')).toEqual(['1000 before, 755 after', '755 before, 755 after']);
  expect(output).toContain('contact 188 "ask at reception": The phone number contains letters');
  expect(output).toMatch(/^To see it in n8n's editor: npm run demo -- --editor \(/m);
});

test('Without a terminal the demo ends by itself, with the list that it was given', async () => {
  const contacts = path.join(folder, 'own.csv');
  writeFileSync(contacts, 'name,phone,city,appointment\nAda,+44 7700 900 001,Bath,Monday\n');
  const { code, output, errors } = await demo('--contacts', contacts).ended;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).toMatch(/^ {2}sent +1$/m);
  expect(output).not.toContain('Ctrl-C');
});

test.each([
  [['--keep'], "error: '--keep' is only for '--editor'\n"],
  [['--n8n-port', '5679'], "error: '--n8n-port' is only for '--editor'\n"],
  [['--editor'], "error: '--no-build' is not for '--editor'\n"],
  [['--contacts', 'nowhere.csv'], `Failed: There is no file ${path.join(PROJECT_FOLDER, 'nowhere.csv')}\n`],
])('The flags %j give one line of error and exit code 1', async (flags, message) => {
  expect(await demo(...flags).ended).toEqual({ code: 1, output: '', errors: message });
});

test('In a checkout without packages, the demo names the command that installs them', () => {
  const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: { demo: string } };
  cpSync(path.join(PROJECT_FOLDER, 'tools/cli'), path.join(folder, 'tools/cli'), { recursive: true });
  const { status, stderr } = spawnSync('sh', ['-c', scripts.demo], { cwd: folder, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "Failed: this checkout's packages are not installed. Install them: npm ci\n",
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
