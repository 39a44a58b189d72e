import path from 'node:path';

import { readManifest, readProjectFile } from '../../tools/project';
import { FILES, page, PAGES } from './pages';

/** A link from n8n to the README, as in the sources: the build replaces the host. */
const HOMEPAGE = /["']https:\/\/homepage\.invalid\/([^"']*)["']/g;

function anchorsOf(file: string): string[] {
  return page(file).headings.map(({ anchor }) => anchor);
}

describe.each([...PAGES])('%s', (file, { links }) => {
  const inside = links.filter(({ target }) => !/^[a-z]+:/.test(target));

  test('links only to files in git and to headings that exist', () => {
    const broken = inside.filter(({ target }) => {
      const [to = '', anchor] = target.split('#');
      const found = to === '' ? file : path.posix.join(path.posix.dirname(file), to);
      return !FILES.includes(found) || (anchor !== undefined && !anchorsOf(found).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  test('links elsewhere only with whole https addresses', () => {
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

test('Every page can be reached from the README, and every picture is shown', () => {
  const reached = new Set(['README.md']);
  for (const file of reached) {
    for (const { target } of PAGES.get(file)?.links ?? []) {
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
