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

test('The README can be tried with two commands that install what they need, each alone on a line', () => {
  const tried = page('README.md').blocks.filter(({ under }) => under === 'try-it-without-an-account');
  expect(tried.map(({ text }) => text)).toEqual([`${INSTALL} && npm run demo\n`, `${INSTALL} && npm test\n`]);
});
