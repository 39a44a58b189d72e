/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { execFileSync } from 'node:child_process';

import MarkdownIt from 'markdown-it';

import { PROJECT_FOLDER, readProjectFile } from '../../tools/project';

const parser = new MarkdownIt();
type Token = ReturnType<typeof parser.parse>[number];

/** All files that git tracks or would add. */
export const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: PROJECT_FOLDER,
  encoding: 'utf8',
})
  .trim()
  .split('\n');

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

/** The parts of a Markdown page that a program can check. */
export interface Page {
  /** Each with the fragment that links to it, without the #. */
  headings: Array<{ text: string; anchor: string }>;
  links: string[];
  tables: Table[];
  /** Fenced blocks, each with the anchor of the heading above it. */
  blocks: Array<{ under: string; language: string; text: string }>;
  /** Inline code, without that in blocks. */
  code: string[];
}

export interface Table {
  /** The anchor of the heading above it. */
  under: string;
  header: string[];
  rows: Array<Array<{ text: string; bold: string[] }>>;
}

export function readPage(markdown: string): Page {
  const page: Page = { headings: [], links: [], tables: [], blocks: [], code: [] };
  const tokens = parser.parse(markdown, {});
  for (const [index, token] of tokens.entries()) {
    const under = page.headings.at(-1)?.anchor ?? '';
    const before = tokens[index - 1]?.type;
    if (token.type === 'fence') page.blocks.push({ under, language: token.info, text: token.content });
    if (token.type === 'table_open') page.tables.push({ under, header: [], rows: [] });
    if (token.type === 'tr_open') page.tables.at(-1)?.rows.push([]);
    if (token.type !== 'inline') continue;

    const parts = token.children ?? [];
    if (before === 'heading_open')
      page.headings.push({ text: textOf(parts), anchor: anchorOf(textOf(parts), page.headings) });
    if (before === 'td_open' || before === 'th_open') page.tables.at(-1)?.rows.at(-1)?.push(readCell(parts));
    for (const part of parts) {
      if (part.type === 'code_inline') page.code.push(part.content);
      if (part.type === 'link_open') page.links.push(String(part.attrGet('href')));
      if (part.type === 'image') page.links.push(String(part.attrGet('src')));
    }
  }
  for (const table of page.tables) table.header = (table.rows.shift() ?? []).map(({ text }) => text);
  return page;
}

function readCell(parts: Token[]) {
  const bold: string[] = [];
  for (const [index, { type }] of parts.entries()) {
    if (type !== 'strong_open') continue;
    const end = parts.findIndex((part, place) => place > index && part.type === 'strong_close');
    bold.push(textOf(parts.slice(index, end)));
  }
  return { text: textOf(parts), bold };
}

function textOf(parts: Token[]): string {
  return parts
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : type === 'softbreak' ? ' ' : ''))
    .join('');
}

/** GitHub's rule: keeps letters, digits, hyphens and underscores, and numbers headings of the same text. */
function anchorOf(heading: string, before: Page['headings']): string {
  const anchor = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  const same = before.filter((other) => other.text === heading).length;
  return same === 0 ? anchor : `${anchor}-${same}`;
}
