/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { execFileSync } from 'node:child_process';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';
import { type Page, readPage, type Table } from '../support/markdown';

/** All files that git tracks or would add. */
export const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: PROJECT_FOLDER,
  encoding: 'utf8',
})
  .trim()
  .split('\n');

/** Every page of the documentation, by its path. */
export const PAGES: ReadonlyMap<string, Page> = new Map(
  FILES.filter((file) => file.endsWith('.md')).map((file) => [file, readPage(readProjectFile(file))]),
);

export function page(file: string): Page {
  const found = PAGES.get(file);
  if (found === undefined) throw new Error(`there is no page ${file}`);
  return found;
}

/** The table under a heading whose first column has this name. */
export function table(file: string, under: string, firstColumn: string): Table {
  const found = page(file).tables.find((each) => each.under === under && each.header[0] === firstColumn);
  if (found === undefined) throw new Error(`${file} has no table of "${firstColumn}" under #${under}`);
  return found;
}
