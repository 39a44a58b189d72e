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

/** A script with its arguments, up to the end of the command. */
const NPM = /\bnpm (?:run )?(?<script>(?<=run )[\w:-]+|test\b)(?: -- (?<words>[^;&|]*))?/g;

/** Every `npm run …` of a page, in a block or in a sentence. */
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

test('Every script that a page names is in package.json', () => {
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.filter(({ script }) => scripts[script] === undefined)).toEqual([]);
});

/** The file that a script runs; `test` runs none of this project. */
const fileOf = (script: string) => scripts[script]?.split(' ').findLast((word) => /\.m?ts$/.test(word));
const withFlags = commands.filter(
  ({ script, words }) => fileOf(script) !== undefined && words.length > 0 && !words.includes('--help'),
);

test.each([...new Set(withFlags.map(({ script }) => script))])(
  'The arguments that pages give npm run %s are in its help',
  (script) => {
    const help = execFileSync(process.execPath, ['--import', 'tsx', fileOf(script) ?? '', '--help'], {
      cwd: PROJECT_FOLDER,
      encoding: 'utf8',
    });
    const unknown = withFlags
      .filter((command) => command.script === script)
      .flatMap(({ words }) => {
        // A word after a flag is its value, and the reader replaces a word in <…>.
        const names = words.filter(
          (word, index) => word.startsWith('--') || (!words[index - 1]?.startsWith('--') && !word.startsWith('<')),
        );
        return names.filter((name) => !new RegExp(`(^|[^\\w-])${name}([^\\w-]|$)`).test(help));
      });
    expect(unknown).toEqual([]);
  },
);

test('Every file and folder that a page names exists', () => {
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

test('Every variable of this project that a page names is read in the code', () => {
  const named = [...PAGES].flatMap(([, { code }]) => code.flatMap((text) => text.match(/\bMESSAGING_SEND_\w+/g) ?? []));
  expect(named.length).toBeGreaterThan(0);
  const code = FILES.filter((file) => file.endsWith('.ts'))
    .map(readProjectFile)
    .join('\n');
  expect(named.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});
