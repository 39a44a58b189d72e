import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from '../tools/project';
import { runCommand } from './support/command';

// What is under test is built already.
const demo = (...flags: string[]) => runCommand('demo/main.ts', '--no-build', ...flags);
const folder = mkdtempSync(path.join(tmpdir(), 'messaging-send-demo-'));

test('The demo sends to 250 contacts, sends nobody twice, and shows the inbox until Ctrl-C', async () => {
  const running = demo('--no-exit');
  const url = /http:\S+(?=\/$)/.exec(await running.line(/inbox +http/))?.[0] ?? '';
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
  expect(rows('sent before')).toEqual(['0', '245']);
  expect(rows('not sent')).toEqual(['5', '5']);
  expect(rows('requests')).toEqual(['3', '0']);
  expect(rows('credits')).toEqual(['1000 before, 755 after', '755 before, 755 after']);
  expect(output).toContain('contact 188 "ask at reception": The phone number contains letters');
  expect(output).toContain("To see it in n8n's editor: npm run dev");
});

test('Without a terminal the demo ends by itself', async () => {
  const { code, output, errors } = await demo().ended;
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(output).not.toContain('Ctrl-C');
});

test('In a checkout without packages, the demo names the command that installs them', () => {
  const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: { demo: string } };
  cpSync(path.join(PROJECT_FOLDER, 'tools/cli'), path.join(folder, 'tools/cli'), { recursive: true });
  const { status, stderr } = spawnSync('sh', ['-c', scripts.demo], { cwd: folder, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "Failed: this checkout's packages are not installed. Install them: npm ci --ignore-scripts\n",
  });
});
