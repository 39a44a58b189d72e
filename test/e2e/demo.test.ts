import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { execa } from 'execa';

import { PROJECT_FOLDER } from '../../tools/project';
import { stopSignal } from './instanceForTests';

describe('npm run demo -- --editor', () => {
  test('The demo sends to every contact that can be reached, in real n8n, and ends', async () => {
    const { stdout } = await execa('npm', ['run', 'demo', '--', '--editor', '--exit'], {
      cwd: PROJECT_FOLDER,
      cancelSignal: stopSignal,
    });
    assert.match(stdout, /^ {2}execution +success $/m);
    assert.match(stdout, /^ {2}sent +245$/m);
    assert.match(stdout, /^ {2}not sent +5$/m);
    assert.match(stdout, /^ {2}requests +3$/m);
  });
});
