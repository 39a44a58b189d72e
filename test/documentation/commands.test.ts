import { existsSync } from 'node:fs';
import path from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';
import { FILES, PAGES } from './pages';

const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };

/** Every `npm run …` of a page, in a block or in a sentence. */
const named = [...PAGES.values()].flatMap(({ blocks, code }) => {
  const lines = [...blocks.filter(({ language }) => language === 'sh').map(({ text }) => text), ...code];
  return lines.flatMap((line) => [...line.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script]) => String(script)));
});

test('Every script that a page names is in package.json', () => {
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
});

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
