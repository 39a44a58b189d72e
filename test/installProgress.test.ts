import { mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { showProgress } from '../tools/n8n/installProgress';

const MEGABYTE = 1024 ** 2;
const folder = mkdtempSync(path.join(tmpdir(), 'messaging-send-progress-'));

/** The lines that are shown where the output is no terminal. */
async function shown(gigabytes: number, install: () => Promise<unknown>): Promise<string[]> {
  const output = new PassThrough();
  await showProgress(folder, gigabytes, install, output).catch(() => undefined);
  return String(output.read()).split('\n').filter(Boolean);
}

test('The progress of an installation is the size of its folder, at most the size that it will have', async () => {
  const write = async () => {
    await writeFile(path.join(folder, 'part'), Buffer.alloc(52 * MEGABYTE, 1));
  };
  const lines = await shown(0.2, write);
  expect(lines[0]).toMatch(/ 0% {2}0\.0 of 0\.2 GB/);
  expect(lines.at(-1)).toMatch(/ 25% {2}0\.1 of 0\.2 GB/);
  expect((await shown(0.01, write)).at(-1)).toMatch(/ 100% {2}0\.1 of 0\.01 GB/);
});

test('The bar ends with an installation that fails', async () => {
  const lines = await shown(0.2, () => Promise.reject(new Error('no network')));
  expect(lines.length).toBeGreaterThan(0);
});
