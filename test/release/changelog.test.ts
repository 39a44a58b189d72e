import { readChangelog } from '../../release/changelog';
import { readProjectFile } from '../../tools/project';

const HEAD = '# Changelog\n\nWhat has changed.\n';
const ENTRY = '\n### Added\n\n- Something new.\n';
const problemsOf = (text: string) => readChangelog(text).problems;

test('the changelog of this package has the form of Keep a Changelog', () => {
  expect(problemsOf(readProjectFile('CHANGELOG.md'))).toEqual([]);
});

test('versions are read with their dates and the number of their entries, the newest first', () => {
  const text = `${HEAD}\n## [Unreleased]\n${ENTRY}\n## [1.1.0] - 2026-02-01\n${ENTRY}\n### Fixed\n\n- One.\n- Two.\n\n## [1.0.0] - 2026-01-31 [YANKED]\n${ENTRY}`;
  expect(readChangelog(text)).toEqual({
    releases: [
      { version: '1.1.0', date: '2026-02-01', entries: 3 },
      { version: '1.0.0', date: '2026-01-31', entries: 1 },
    ],
    unreleased: 1,
    problems: [],
  });
});

test.each([
  ['no title', `## [1.0.0] - 2026-01-31\n${ENTRY}`, 'The first line'],
  ['a version without brackets', `${HEAD}\n## 1.0.0 - 2026-01-31\n${ENTRY}`, 'is neither'],
  ['a version without a date', `${HEAD}\n## [1.0.0]\n${ENTRY}`, 'is neither'],
  ['a day that does not exist', `${HEAD}\n## [1.0.0] - 2026-02-30\n${ENTRY}`, 'is neither'],
  ['what is no version', `${HEAD}\n## [1.0] - 2026-01-31\n${ENTRY}`, 'is neither'],
  ['a kind of its own', `${HEAD}\n## [1.0.0] - 2026-01-31\n\n### News\n\n- Something.\n`, '"News" is none of'],
  ['a kind twice', `${HEAD}\n## [1.0.0] - 2026-01-31\n${ENTRY}${ENTRY}`, 'twice'],
  ['an entry of no kind', `${HEAD}\n## [1.0.0] - 2026-01-31\n\n- Something.\n`, 'under no kind'],
  ['a version without entries', `${HEAD}\n## [1.0.0] - 2026-01-31\n`, 'no entry'],
  [
    'an older version above a newer one',
    `${HEAD}\n## [1.0.0] - 2026-01-31\n${ENTRY}\n## [1.1.0] - 2026-01-31\n${ENTRY}`,
    'is not newer',
  ],
  [
    'a version dated before the one below',
    `${HEAD}\n## [1.1.0] - 2026-01-30\n${ENTRY}\n## [1.0.0] - 2026-01-31\n${ENTRY}`,
    'is not newer',
  ],
  ['a version twice', `${HEAD}\n## [1.0.0] - 2026-01-31\n${ENTRY}\n## [1.0.0] - 2026-01-31\n${ENTRY}`, 'is not newer'],
  [
    'what is unreleased below a version',
    `${HEAD}\n## [1.0.0] - 2026-01-31\n${ENTRY}\n## [Unreleased]\n`,
    'not at the top',
  ],
])('%s is found', (_name, text, said) => expect(problemsOf(text).join()).toContain(said));
