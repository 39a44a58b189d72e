/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';

import { execa } from 'execa';

import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';
import { waitFor } from '../../tools/cli/waiting';
import { PROJECT_FOLDER } from '../../tools/project';
import { sessionForTests } from './instanceForTests';

const START_SECONDS = 240;
const END_SECONDS = 30;

describe('npm run dev', () => {
  const session = sessionForTests();

  test('The command starts n8n and the sandbox, starts n8n again after a kill, and Ctrl-C ends both and removes their data', async () => {
    const temporary = await makeTemporaryFolder('dev-test', session.cleanup);
    const dataFolders = async () => (await readdir(temporary)).filter((name) => name.startsWith('n8n-messaging-send-'));
    let output = '';
    let isOver = false;
    // In a process group of its own, like a command in a terminal.
    const command = execa('npm', ['run', 'dev'], {
      cwd: PROJECT_FOLDER,
      env: { TMPDIR: temporary },
      ...{ detached: true, all: true, reject: false, buffer: false },
    });
    command.all.on('data', (text: Buffer) => (output += text.toString()));
    void command.then(() => (isOver = true));
    const until = async (what: string, seconds: number, probe: () => true | undefined) =>
      await waitFor(what, seconds, probe, { signal: session.signal, evidence: () => output });
    const pressCtrlC = async () => {
      if (command.pid !== undefined && !isOver) process.kill(-command.pid, 'SIGINT');
      await until('the command to end', END_SECONDS, () => isOver || undefined);
    };
    session.cleanup.add(pressCtrlC);

    await until('the command to start', START_SECONDS, () => {
      assert.ok(!isOver, output);
      return output.includes('Press Ctrl-C') || undefined;
    });
    assert.equal((await dataFolders()).length, 1);

    process.kill(Number(/n8n +process (\d+)/.exec(output)?.[1]), 'SIGKILL');
    await until('n8n to start again', START_SECONDS, () => /n8n is process \d+ now/.test(output) || undefined);
    await pressCtrlC();
    assert.match(output, /Stopping n8n and the sandbox/);
    assert.deepEqual(await dataFolders(), []);
  });
});
