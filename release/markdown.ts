import MarkdownIt from 'markdown-it';

/** What can be told of a page of the documentation without reading it. */
export interface Page {
  headings: Heading[];
  links: Link[];
  tables: Table[];
  /** Fenced blocks. */
  blocks: Block[];
  /** All pieces of code within sentences. */
  code: string[];
}

export interface Heading {
  text: string;
  /** What a link to it ends in, after the #. */
  anchor: string;
}

export interface Link {
  target: string;
  isPicture: boolean;
}

export interface Table {
  /** The anchor of the heading it stands under. */
  under: string;
  header: string[];
  rows: Cell[][];
}

export interface Cell {
  text: string;
  bold: string[];
  code: string[];
  /** Whether it begins with something in italics. */
  isAside: boolean;
}

export interface Block {
  under: string;
  language: string;
  text: string;
}

const parser = new MarkdownIt();

/** A piece of a page, as the parser tells it. */
type Piece = ReturnType<typeof parser.parse>[number];

/** Reads a page as GitHub shows it. */
export function readPage(markdown: string): Page {
  const page: Page = { headings: [], links: [], tables: [], blocks: [], code: [] };
  const pieces = parser.parse(markdown, {});
  for (const [index, piece] of pieces.entries()) {
    const under = page.headings.at(-1)?.anchor ?? '';
    const before = pieces[index - 1]?.type;
    if (piece.type === 'fence') page.blocks.push({ under, language: piece.info, text: piece.content });
    if (piece.type === 'table_open') page.tables.push({ under, header: [], rows: [] });
    if (piece.type === 'tr_open') page.tables.at(-1)?.rows.push([]);
    if (piece.type !== 'inline') continue;

    const parts = piece.children ?? [];
    if (before === 'heading_open')
      page.headings.push({ text: textOf(parts), anchor: anchorOf(textOf(parts), page.headings) });
    if (before === 'td_open' || before === 'th_open') page.tables.at(-1)?.rows.at(-1)?.push(readCell(parts));
    for (const part of parts) {
      if (part.type === 'code_inline') page.code.push(part.content);
      if (part.type === 'link_open') page.links.push({ target: String(part.attrGet('href')), isPicture: false });
      if (part.type === 'image') page.links.push({ target: String(part.attrGet('src')), isPicture: true });
    }
  }
  for (const table of page.tables) table.header = (table.rows.shift() ?? []).map(({ text }) => text);
  return page;
}

function readCell(parts: Piece[]): Cell {
  const bold: string[] = [];
  for (const [index, { type }] of parts.entries()) {
    if (type !== 'strong_open') continue;
    const end = parts.findIndex((part, place) => place > index && part.type === 'strong_close');
    bold.push(textOf(parts.slice(index, end)));
  }
  const code = parts.filter(({ type }) => type === 'code_inline').map(({ content }) => content);
  // A piece of emphasis at the very start comes after an empty text.
  const isAside = parts.find(({ type, content }) => type !== 'text' || content !== '')?.type === 'em_open';
  return { text: textOf(parts), bold, code, isAside };
}

function textOf(parts: Piece[]): string {
  return parts
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : type === 'softbreak' ? ' ' : ''))
    .join('');
}

/** GitHub's rule: letters, digits, hyphens and underscores stay; a second heading of the same words gets a number. */
function anchorOf(heading: string, before: readonly Heading[]): string {
  const anchor = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  const same = before.filter((other) => other.text === heading).length;
  return same === 0 ? anchor : `${anchor}-${same}`;
}
