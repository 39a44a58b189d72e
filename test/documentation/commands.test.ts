import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';
import { FILES, PAGES } from './pages';

const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };

interface Command {
  file: string;
  script: string;
  words: string[];
}

/** A script with all that stands behind it, up to the end of the command. */
const NPM = /\bnpm (?:run )?(?<script>(?<=run )[\w:-]+|test\b)(?: -- (?<words>[^;&|]*))?/g;

/** Every `npm run …` of a page, in a block or within a sentence. */
const commands: Command[] = [...PAGES].flatMap(([file, { blocks, code }]) => {
  const lines = [
    ...blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n')),
    ...code,
  ];
  return lines.flatMap((line) =>
    [...line.replace(/#.*$/, '').matchAll(NPM)].map(({ groups }): Command => ({
      file,
      script: groups?.script ?? '',
      words: (groups?.words ?? '')
        .replace(/[[\]]/g, '')
        .split(' ')
        .filter((word) => word !== ''),
    })),
  );
});

test('every script that is named is one of package.json', () => {
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.filter(({ script }) => scripts[script] === undefined)).toEqual([]);
});

/** The file that a script runs; `test` runs none of this project's own. */
const fileOf = (script: string) => scripts[script]?.split(' ').findLast((word) => /\.m?ts$/.test(word));
const withFlags = commands.filter(
  ({ script, words }) => fileOf(script) !== undefined && words.length > 0 && !words.includes('--help'),
);

test.each([...new Set(withFlags.map(({ script }) => script))])(
  'the flags and names for npm run %s are those that it knows',
  (script) => {
    const help = execFileSync(process.execPath, ['--import', 'tsx', fileOf(script) ?? '', '--help'], {
      cwd: PROJECT_FOLDER,
      encoding: 'utf8',
    });
    const unknown = withFlags
      .filter((command) => command.script === script)
      .flatMap(({ words }) => {
        // What follows a flag is its value, and what stands in <…> is for the reader to fill in.
        const names = words.filter(
          (word, index) => word.startsWith('--') || (!words[index - 1]?.startsWith('--') && !word.startsWith('<')),
        );
        return names.filter((name) => !new RegExp(`(^|[^\\w-])${name}([^\\w-]|$)`).test(help));
      });
    expect(unknown).toEqual([]);
  },
);

test('files and folders that are named exist', () => {
  const roots = new Set(FILES.map((file) => file.split('/')[0]));
  const missing = [...PAGES].flatMap(([file, { code }]) => {
    const named = code
      .flatMap((text) => text.split(/,? /))
      .filter((text) => /^[\w.-]+(\/[\w.-]+)*\/?$/.test(text) && text.includes('/') && roots.has(text.split('/')[0]));
    return named
      .filter(
        (name) =>
          ![PROJECT_FOLDER, path.join(PROJECT_FOLDER, path.dirname(file))].some((from) =>
            existsSync(path.join(from, name)),
          ),
      )
      .map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('variables of this project are read somewhere', () => {
  const named = [...PAGES].flatMap(([, { code }]) => code.flatMap((text) => text.match(/\bMESSAGING_SEND_\w+/g) ?? []));
  expect(named.length).toBeGreaterThan(0);
  const code = FILES.filter((file) => /^(tools|test\/e2e)\/.*\.ts$/.test(file))
    .map(readProjectFile)
    .join('\n');
  expect(named.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});
