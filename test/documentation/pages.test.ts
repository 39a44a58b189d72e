/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Pages: their links, the names in them, and the length of the README. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { PROJECT_FOLDER, readManifest, readProjectFile } from '../../tools/project';
import { FILES, page, PAGES } from './pages';

/** A link from n8n to the README as in the sources, in which the build replaces the host. */
const HOMEPAGE = /["']https:\/\/homepage\.invalid\/([^"']*)["']/g;
const anchorsOf = (file: string): string[] => page(file).headings.map(({ anchor }) => anchor);

describe.each([...PAGES])('%s', (file, { links }) => {
  const inside = links.filter((target) => !/^[a-z]+:/.test(target));

  test('links only to files in git and to headings that exist', () => {
    const broken = inside.filter((target) => {
      const [to = '', anchor] = target.split('#');
      const found = to === '' ? file : path.posix.join(path.posix.dirname(file), to);
      return !FILES.includes(found) || (anchor !== undefined && !anchorsOf(found).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  test('links elsewhere only with whole https addresses', () => {
    const outside = links.filter((link) => !inside.includes(link));
    const isWhole = (target: string) => /^https:\/\/[^/]+\./.test(target) && URL.canParse(target);
    expect(outside.filter((target) => !isWhole(target))).toEqual([]);
  });
});

test('Every page can be reached from the README, and every picture is shown', () => {
  const reached = new Set(['README.md']);
  for (const file of reached) {
    for (const target of PAGES.get(file)?.links ?? []) {
      if (!/^[a-z]+:/.test(target)) reached.add(path.posix.join(path.posix.dirname(file), target.replace(/#.*$/, '')));
    }
  }
  // GitHub shows what is in .github itself.
  const shown = FILES.filter(
    (file) => (file.endsWith('.md') && !file.startsWith('.github/')) || file.startsWith('docs/'),
  );
  expect(shown.filter((file) => !reached.has(file))).toEqual([]);
});

test('The README has every heading that n8n links to', () => {
  const sources = [
    ...readManifest().n8n.nodes.map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.json')),
    'credentials/MessagingSendApi.credentials.ts',
  ];
  const linked = sources.flatMap((file) => [...readProjectFile(file).matchAll(HOMEPAGE)].map(([, place]) => place));
  expect(linked.length).toBeGreaterThan(0);
  // GitHub shows a repository's README under #readme.
  expect(
    linked.filter((place) => place !== '#readme' && !anchorsOf('README.md').includes(String(place).slice(1))),
  ).toEqual([]);
});

const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };

test('Every script that a page names is in package.json', () => {
  const lines = [...PAGES.values()].flatMap(({ blocks, code }) => [
    ...blocks.filter(({ language }) => language === 'sh').map(({ text }) => text),
    ...code,
  ]);
  const named = lines.flatMap((line) => [...line.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script]) => String(script)));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
});

test('Every file and folder that a page names exists', () => {
  const roots = new Set(FILES.map((file) => file.split('/')[0]));
  const missing = [...PAGES].flatMap(([file, { code }]) => {
    const folders = [PROJECT_FOLDER, path.join(PROJECT_FOLDER, path.dirname(file))];
    const named = code
      .flatMap((text) => text.split(/,? /))
      .filter((text) => /^[\w.-]+(\/[\w.-]+)+\/?$/.test(text) && roots.has(text.split('/')[0]));
    const lost = named.filter((name) => !folders.some((from) => existsSync(path.join(from, name))));
    return lost.map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('Every variable of this project that a page names is read in the code', () => {
  const named = [...PAGES].flatMap(([, { code }]) => code.flatMap((text) => text.match(/\bMESSAGING_SEND_\w+/g) ?? []));
  expect(named.length).toBeGreaterThan(0);
  const code = FILES.filter((file) => file.endsWith('.ts'))
    .map(readProjectFile)
    .join('\n');
  expect(named.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

test('The README has at most 1,500 words', () => {
  expect(readProjectFile('README.md').trim().split(/\s+/).length).toBeLessThanOrEqual(1500);
});

test('The README can be tried with two commands that install what they need, each alone on a line', () => {
  const install = 'npm ci --ignore-scripts';
  const tried = page('README.md').blocks.filter(({ under }) => under === 'try-it-without-an-account');
  expect(tried.map(({ text }) => text)).toEqual([`${install} && npm run demo\n`, `${install} && npm test\n`]);
});
