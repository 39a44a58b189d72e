import { digestOf, nameOf, type Row } from './row';

/**
 * More pages tell more exactly which messages were in flight at a kill. 1,000 pages made a run of 1,000 messages a
 * fifth slower; 250 cost nothing measurable.
 */
const MAX_PAGES = 250;

/** The usual lengths of pages: a list of 251 to a million messages has 130 to 290 pages. */
export const LENGTHS = Array.from({ length: 13 }, (_, power) => 2 ** power);

/** How long the pages of a run usually are, in messages. With 1, each message has its own. */
export function usualLength(messages: number): number {
  return LENGTHS.find((length) => length * MAX_PAGES >= messages) ?? LENGTHS.at(-1) ?? 1;
}

/** Messages that the journal opens and notes together. */
export interface Page {
  /** A digest of who is on it: where people get several messages, their texts are in it, which may be megabytes. */
  readonly name: string;
  readonly rows: readonly Row[];
}

/**
 * Divides all messages of a run, in their order, where the hash of a person says so, and gives each its page. So a
 * message that is removed, added or corrected between two attempts changes its own page and no other. One that can't be
 * composed has its place, too: its number may have been another one when it was sent.
 * @param length the usual length, in messages; the longest page has twice as many
 * @param pause called after each page
 */
export async function pagesOf(
  rows: readonly Row[],
  length: number,
  pause: () => Promise<void>,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let page: Row[] = [];
  for (const row of rows) {
    row.page = pages.length;
    page.push(row);
    const isFull = page.length >= 2 * length || numberOf(row.person) % length === 0;
    if (!isFull && row !== rows.at(-1)) continue;
    pages.push({ name: digestOfNames(page), rows: page });
    page = [];
    await pause();
  }
  return pages;
}

export function digestOfNames(rows: readonly Row[]): string {
  return digestOf(rows.map(nameOf).join('\0'));
}

/** A number that looks random and is always the same for a person (FNV-1a, 32 bits). */
function numberOf(person: string): number {
  let number = 0x811c9dc5;
  for (let index = 0; index < person.length; index += 1) {
    number = Math.imul(number ^ person.charCodeAt(index), 0x01000193);
  }
  // The lowest bits of FNV-1a depend on few characters.
  return (number ^ (number >>> 15)) >>> 0;
}
