import { readProjectFile } from '../../tools/project';
import { page } from './pages';

const readme = readProjectFile('README.md');

const INSTALL = 'npm ci --ignore-scripts';

test('The README has at most 1,500 words', () => {
  expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(1500);
});

test('The README can be tried with two commands that install what they need, each alone on a line', () => {
  const tried = page('README.md').blocks.filter(({ under }) => under === 'try-it-without-an-account');
  expect(tried.map(({ text }) => text)).toEqual([`${INSTALL} && npm run demo\n`, `${INSTALL} && npm test\n`]);
});
