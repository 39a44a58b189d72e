import { distTagOf, type ReleaseInput, releaseProblems } from '../../release/version';

const GOOD: ReleaseInput = {
  tag: 'v1.2.3',
  version: '1.2.3',
  lockVersion: '1.2.3',
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Added\n\n- Something new.\n',
  repositoryUrl: 'git+https://github.com/owner/name.git',
  publishedFrom: 'owner/name',
};

test('a tag that fits its version and changelog can be published', () => expect(releaseProblems(GOOD)).toEqual([]));

test.each<[string, Partial<ReleaseInput>, string]>([
  ['a tag of another version', { tag: 'v1.2.4' }, 'the tag has to be v1.2.3'],
  ['a tag without its v', { tag: '1.2.3' }, 'the tag has to be v1.2.3'],
  ['what is no version', { tag: 'v1.2', version: '1.2', lockVersion: '1.2' }, 'is no version'],
  ['a lock file of another version', { lockVersion: '1.2.2' }, 'package-lock.json is of version 1.2.2'],
  [
    'a changelog without the version',
    { changelog: '# Changelog\n\n## [Unreleased]\n' },
    'the newest version is none, not 1.2.3',
  ],
  [
    'entries that were left under Unreleased',
    { changelog: GOOD.changelog.replace('[Unreleased]\n', '[Unreleased]\n\n### Fixed\n\n- More.\n') },
    '1 entries under [Unreleased]',
  ],
  ['a changelog out of form', { changelog: GOOD.changelog.replace('Added', 'News') }, '"News" is none of'],
  ['another repository', { publishedFrom: 'other/name' }, 'has to be git+https://github.com/other/name.git'],
  [
    'another case of the repository',
    { publishedFrom: 'Owner/name' },
    'has to be git+https://github.com/Owner/name.git',
  ],
])('%s is not published', (_name, change, said) =>
  expect(releaseProblems({ ...GOOD, ...change }).join()).toContain(said),
);

test('where nothing is published from, the repository may be any', () => {
  expect(releaseProblems({ ...GOOD, publishedFrom: undefined, repositoryUrl: 'elsewhere' })).toEqual([]);
});

test.each([
  ['1.2.3', 'latest'],
  ['1.2.3-rc.1', 'next'],
])('npm keeps %s as %s', (version, tag) => expect(distTagOf(version)).toBe(tag));
