import { readFileSync } from 'node:fs';
import path from 'node:path';

import sharp from 'sharp';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';
import { page } from './pages';

const readme = readProjectFile('README.md');

const INSTALL = 'npm ci --ignore-scripts';

test('The README has at most 1,500 words', () => {
  expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(1500);
});

test('The picture at the top of the README moves and repeats, and has at most 3 MB', async () => {
  expect(readme.split('\n## ')[0]).toContain('](docs/tour.webp)');
  const picture = readFileSync(path.join(PROJECT_FOLDER, 'docs/tour.webp'));
  const { delay = [], loop } = await sharp(picture).metadata();
  expect({ moves: delay.length > 1, loop, isSmall: picture.length <= 3_000_000 }).toEqual({
    moves: true,
    loop: 0,
    isSmall: true,
  });
});

test('The README has no JSON: outputs are in the reference', () => {
  expect(page('README.md').blocks.filter(({ language }) => language !== 'sh')).toEqual([]);
});

test('The README can be tried with two commands that install what they need, each alone on a line', () => {
  const tried = page('README.md').blocks.filter(({ under }) => under === 'try-it-without-an-account');
  expect(tried.map(({ text }) => text)).toEqual([`${INSTALL} && npm run demo\n`, `${INSTALL} && npm test\n`]);
});

test('The README names what n8n 3 needs before the first step of the installation', () => {
  const chapter = readme.split('## Install\n')[1]?.split('\n## ')[0] ?? '';
  expect(chapter.split('\n2. ')[0]).toContain('N8N_UNVERIFIED_PACKAGES_ENABLED=true');
});

test('The nodes that the README names for a first list are in its example', () => {
  const chapter = readme.split('### From a Data Table\n')[1]?.split('\n### ')[0] ?? '';
  const opened = [...chapter.matchAll(/Open \*\*([^*]+)\*\*/g)].map(([, name]) => name);
  const { nodes } = JSON.parse(readProjectFile('examples/data-table-to-messages.json')) as {
    nodes: Array<{ name: string }>;
  };
  expect(opened.length).toBeGreaterThan(2);
  expect(opened.filter((name) => !nodes.some((node) => node.name === name))).toEqual([]);
});
