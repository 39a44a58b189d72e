import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, test } from 'node:test';

import { execa, type ResultPromise } from 'execa';
import getPort from 'get-port';

import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';
import { type Probe, waitFor } from '../../tools/cli/waiting';
import { asObjects } from '../../tools/json';
import { launchBrowser, openWindow } from '../../tools/n8n/browser';
import { logIn, openNode, openWorkflow } from '../../tools/n8n/editor';
import { CONTACTS_EXAMPLE, contactsExampleNodes } from '../../tools/n8n/examples/contactsExample';
import { readExample } from '../../tools/n8n/examples/files';
import { OWNER } from '../../tools/n8n/instance';
import { N8nRest } from '../../tools/n8n/rest';
import { PROJECT_FOLDER } from '../../tools/project';
import { parametersShown } from './editorParts';
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
  let editorUrl: string;

  const until = <Answer>(what: string, seconds: number, probe: Probe<Answer>) =>
    waitFor(what, seconds, probe, { signal: session.signal, evidence: () => output });

  /** Whether npm and what it has started are over, and all that they printed has arrived. */
  let isOver = false;
  const hasEnded = () => isOver || undefined;
  const pressCtrlC = async () => {
    if (command.pid !== undefined && hasEnded() === undefined) process.kill(-command.pid, 'SIGINT');
    await until('the command to end', END_SECONDS, hasEnded);
  };

  before(async () => {
    const folder = await makeTemporaryFolder('dev-test', session.cleanup);
    checkout = path.join(folder, 'checkout');
    temporary = path.join(folder, 'temporary');
    await mkdir(temporary);
    for (const part of COPIED)
      await cp(path.join(PROJECT_FOLDER, part), path.join(checkout, part), { recursive: true });
    await symlink(path.join(PROJECT_FOLDER, 'node_modules'), path.join(checkout, 'node_modules'));

    const ports = ['--n8n-port', String(await getPort()), '--sandbox-port', String(await getPort())];
    // In a process group of its own, like a command in a terminal.
    command = execa('npm', ['run', 'dev', '--', ...ports], {
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
    editorUrl = await until('the command to start', START_SECONDS, () =>
      output.includes('Ctrl-C') ? /^ *editor +(\S+)/m.exec(output)?.[1] : undefined,
    );
  });

  test(`A changed label is shown in the open editor within ${RELOAD_SECONDS} s`, async () => {
    const browser = await launchBrowser();
    session.cleanup.add(() => browser.close());
    const page = await (await openWindow(browser)).newPage();
    await logIn(page, new URL(editorUrl).origin, OWNER);
    await openWorkflow(page, editorUrl);
    await openNode(page, contactsExampleNodes(await readExample(CONTACTS_EXAMPLE)).sender);
    assert.ok((await parametersShown(page)).includes('Phone'));

    assert.ok((await replaceInNodes(checkout, '.ts', "displayName: 'Phone'", "displayName: 'Phone Number'")) > 0);

    await until('the changed label', RELOAD_SECONDS, async () =>
      (await parametersShown(page)).includes('Phone Number') ? true : undefined,
    );
  });

  test(`A changed alias is known to n8n within ${RELOAD_SECONDS} s`, async () => {
    const n8n = { url: new URL(editorUrl).origin, endOfLog: () => output, assertRunning: () => undefined };
    const rest = new N8nRest(n8n, session.signal);
    await rest.logIn(OWNER);

    assert.ok((await replaceInNodes(checkout, '.node.json', '"sms"', '"a changed alias"')) > 0);

    await until('the changed alias', RELOAD_SECONDS, async () => {
      const types = readTypes(await rest.readFile('/types/nodes.json'));
      const own = types.filter(({ name }) => name === 'n8n-nodes-messaging-send.messagingSend');
      return JSON.stringify(own).includes('a changed alias') ? true : undefined;
    });
  });

  test('Ctrl-C ends n8n and the sandbox, and removes their data', async () => {
    assert.notDeepEqual(await dataFolders(temporary), []);

    await pressCtrlC();

    assert.match(output, /Stopping n8n and the sandbox/);
    assert.deepEqual(await dataFolders(temporary), []);
    await assert.rejects(fetch(editorUrl));
  });
});

/** n8n serves this file also while it writes it anew: then it is not whole, and no types are known yet. */
function readTypes(json: string): Array<Record<string, unknown>> {
  try {
    return asObjects(JSON.parse(json), 'the node types');
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Replaces a text in the files of nodes/ whose names end so; returns in how many. */
async function replaceInNodes(checkout: string, ending: string, text: string, replacement: string): Promise<number> {
  const folder = path.join(checkout, 'nodes');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(ending));
  let changed = 0;
  for (const file of names.map((name) => path.join(folder, name))) {
    const before = await readFile(file, 'utf8');
    if (!before.includes(text)) continue;
    await writeFile(file, before.replaceAll(text, replacement));
    changed += 1;
  }
  return changed;
}

async function dataFolders(temporary: string): Promise<string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith('n8n-messaging-send-'));
}
