import { distTagOf, type ReleaseInput, releaseProblems } from '../../release/version';

const GOOD: ReleaseInput = {
  tag: 'v1.2.3',
  version: '1.2.3',
  lockVersion: '1.2.3',
  changelog: `# Changelog

## [Unreleased]

## [1.2.3] - 2026-01-31

### Added

- Something new.

## [1.2.2] - 2026-01-01

### Fixed

- Something old.
`,
  repositoryUrl: 'git+https://github.com/owner/name.git',
  publishedFrom: 'owner/name',
};

test('A tag that agrees with its version and changelog can be published', () => {
  expect(releaseProblems(GOOD)).toEqual([]);
});

test.each<[string, Partial<ReleaseInput>, string]>([
  ['the tag is of another version', { tag: 'v1.2.4' }, 'it must be v1.2.3'],
  ['the tag lacks its v', { tag: '1.2.3' }, 'it must be v1.2.3'],
  ['package.json has no valid version', { tag: 'v1.2', version: '1.2', lockVersion: '1.2' }, 'is not a version'],
  ['the lock file has another version', { lockVersion: '1.2.2' }, 'package-lock.json has version 1.2.2'],
  ['the changelog has no version', { changelog: '# Changelog\n\n## [Unreleased]\n' }, 'the newest heading is ""'],
  [
    'the newest version in the changelog is an older one',
    { changelog: GOOD.changelog.replace('1.2.3', '1.2.1') },
    'the newest heading is "[1.2.1] - 2026-01-31"; it must be "[1.2.3] - <date>"',
  ],
  [
    'the version in the changelog has no date',
    { changelog: GOOD.changelog.replace(' - 2026-01-31', '') },
    'the newest heading is "[1.2.3]"',
  ],
  ['the version has no entry', { changelog: GOOD.changelog.replace('- Something new.', '') }, '[1.2.3] has no entry'],
  [
    'entries are left under [Unreleased]',
    { changelog: GOOD.changelog.replace('[Unreleased]\n', '[Unreleased]\n\n### Fixed\n\n- More.\n') },
    'entries under [Unreleased] belong to [1.2.3]: 1',
  ],
  [
    'it is published from another repository',
    { publishedFrom: 'other/name' },
    'must be git+https://github.com/other/name.git',
  ],
  ['the repository differs in case', { publishedFrom: 'Owner/name' }, 'must be git+https://github.com/Owner/name.git'],
])('A tag is not published if %s', (_name, change, expected) => {
  expect(releaseProblems({ ...GOOD, ...change }).join()).toContain(expected);
});

test('Outside of a publishing workflow, the repository may be any', () => {
  expect(releaseProblems({ ...GOOD, publishedFrom: undefined, repositoryUrl: 'elsewhere' })).toEqual([]);
});

test.each([
  ['1.2.3', 'latest'],
  ['1.2.3-rc.1', 'next'],
])('Version %s is published under the npm tag %s', (version, tag) => {
  expect(distTagOf(version)).toBe(tag);
});
