import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, test } from 'node:test';

import { execa, type ResultPromise } from 'execa';

import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';
import { type Probe, waitFor } from '../../tools/cli/waiting';
import { OWNER } from '../../tools/n8n/instance';
import { N8nRest } from '../../tools/n8n/rest';
import { PROJECT_FOLDER } from '../../tools/project';
import { sessionForTests } from './instanceForTests';

/** What the command needs of the checkout; the tests change a copy. */
const COPIED = [
  ...['credentials', 'dev', 'examples', 'icons', 'nodes', 'sandbox', 'tools'],
  ...['gulpfile.js', 'index.js', 'package.json', 'tsconfig.json'],
];

const START_SECONDS = 240;
const RELOAD_SECONDS = 15;
const END_SECONDS = 30;

describe('npm run dev', () => {
  const session = sessionForTests();
  let checkout: string;
  /** The command's own temporary folder. */
  let temporary: string;
  let command: ResultPromise<{ all: true; reject: false; buffer: false }>;
  let output = '';
  /** Whether npm and what it has started are over, and all that they printed has arrived. */
  let isOver = false;

  const until = <Answer>(what: string, seconds: number, probe: Probe<Answer>) =>
    waitFor(what, seconds, probe, { signal: session.signal, evidence: () => output });
  const pressCtrlC = async () => {
    if (command.pid !== undefined && !isOver) process.kill(-command.pid, 'SIGINT');
    await until('the command to end', END_SECONDS, () => isOver || undefined);
  };

  before(async () => {
    const folder = await makeTemporaryFolder('dev-test', session.cleanup);
    checkout = path.join(folder, 'checkout');
    temporary = path.join(folder, 'temporary');
    await mkdir(temporary);
    for (const part of COPIED)
      await cp(path.join(PROJECT_FOLDER, part), path.join(checkout, part), { recursive: true });
    await symlink(path.join(PROJECT_FOLDER, 'node_modules'), path.join(checkout, 'node_modules'));
    // In a process group of its own, like a command in a terminal.
    command = execa('npm', ['run', 'dev'], {
      cwd: checkout,
      env: { TMPDIR: temporary },
      detached: true,
      all: true,
      reject: false,
      buffer: false,
    });
    command.all.on('data', (text: Buffer) => (output += text.toString()));
    void command.then(() => (isOver = true));
    session.cleanup.add(pressCtrlC);
    await until('the command to start', START_SECONDS, () => {
      assert.ok(!isOver, output);
      return output.includes('Press Ctrl-C') || undefined;
    });
  });

  test(`n8n knows a changed label and a changed alias within ${RELOAD_SECONDS} s`, async () => {
    await replaceInNodes(checkout, '.ts', "displayName: 'Phone'", "displayName: 'A changed label'");
    await replaceInNodes(checkout, '.node.json', '"sms"', '"a changed alias"');
    const [, url = ''] = /^ *editor +(http:\/\/[^/]+)/m.exec(output) ?? [];
    const rest = new N8nRest({ url, endOfLog: () => output, assertRunning: () => undefined }, session.signal);
    await rest.logIn(OWNER);
    for (const change of ['A changed label', 'a changed alias'])
      await until(
        change,
        RELOAD_SECONDS,
        async () => (await rest.readFile('/types/nodes.json')).includes(change) || undefined,
      );
  });

  test('Ctrl-C ends n8n and the sandbox, and removes their data', async () => {
    const dataFolders = async () => (await readdir(temporary)).filter((name) => name.startsWith('n8n-messaging-send-'));
    assert.equal((await dataFolders()).length, 1);

    await pressCtrlC();

    assert.match(output, /Stopping n8n and the sandbox/);
    assert.deepEqual(await dataFolders(), []);
  });
});

/** Replaces a text in the files of nodes/ whose names end so. */
async function replaceInNodes(checkout: string, ending: string, text: string, replacement: string): Promise<void> {
  const folder = path.join(checkout, 'nodes');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(ending));
  for (const file of names.map((name) => path.join(folder, name))) {
    const before = await readFile(file, 'utf8');
    if (before.includes(text)) await writeFile(file, before.replaceAll(text, replacement));
  }
}
