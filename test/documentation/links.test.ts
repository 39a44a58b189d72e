import path from 'node:path';

import { readManifest } from '../../release/project';
import { readProjectFile } from '../../tools/project';
import { FILES, page, PAGES } from './pages';

/** A link of n8n's to the README, as the sources write it: the build puts in where that is. */
const HOMEPAGE = /["']https:\/\/homepage\.invalid\/([^"']*)["']/g;

function anchorsOf(file: string): string[] {
  return page(file).headings.map(({ anchor }) => anchor);
}

describe.each([...PAGES])('%s', (file, { links }) => {
  const inside = links.filter(({ target }) => !/^[a-z]+:/.test(target));

  test('links lead to files that git keeps, and to headings that are there', () => {
    const broken = inside.filter(({ target }) => {
      const [to = '', anchor] = target.split('#');
      const found = to === '' ? file : path.posix.join(path.posix.dirname(file), to);
      return !FILES.includes(found) || (anchor !== undefined && !anchorsOf(found).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  test('links to elsewhere are whole addresses, over https', () => {
    const outside = links
      .map(({ target }) => target)
      .filter((target) => !inside.some((link) => link.target === target));
    expect(
      outside.filter(
        (target) =>
          !URL.canParse(target) || new URL(target).protocol !== 'https:' || !new URL(target).hostname.includes('.'),
      ),
    ).toEqual([]);
  });
});

test('every page can be reached from the README, and every picture is shown', () => {
  const reached = new Set(['README.md']);
  for (const file of reached) {
    for (const { target } of PAGES.get(file)?.links ?? []) {
      if (!/^[a-z]+:/.test(target)) reached.add(path.posix.join(path.posix.dirname(file), target.replace(/#.*$/, '')));
    }
  }
  expect(FILES.filter((file) => (file.endsWith('.md') || file.startsWith('docs/')) && !reached.has(file))).toEqual([]);
});

test('pictures have words for who does not see them', () => {
  for (const file of PAGES.keys()) expect(readProjectFile(file)).not.toContain('![]');
});

test('what n8n links to is in the README', () => {
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

test('the table of contents names every chapter of the README in its order', () => {
  const chapters = readProjectFile('README.md')
    .split('\n')
    .filter((line) => line.startsWith('## '))
    .map((line) => line.slice(3));
  const after = chapters.slice(chapters.indexOf('Contents') + 1);
  const anchors = page('README.md')
    .headings.filter(({ text }) => after.includes(text))
    .map(({ anchor }) => `#${anchor}`);
  const contents = readProjectFile('README.md').split('## Contents\n')[1]?.split('\n## ')[0] ?? '';
  const listed = [...contents.matchAll(/^- \[[^\]]+\]\((#[^)]+)\)/gm)].map(([, target]) => target);
  expect(listed).toEqual(anchors);
});
