/** The number of Unicode code points, which the service counts: most emoji have two units in a string, but are one. */
export function codePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** The first `size` code points, or fewer so that no character is cut. */
export function truncate(text: string, size: number): string {
  return text.slice(0, beforeCharacter(text, unitsOf(text, size)));
}

/**
 * Cuts a text into parts of at most `size` code points: at white space if there is some in the last quarter of a part.
 * Only the white space at a cut is left out.
 */
export function split(text: string, size: number): string[] {
  const parts: string[] = [];
  for (let rest = text.trim(); rest !== '';) {
    const end = unitsOf(rest, size);
    const cut = end === rest.length ? end : cutBefore(rest, end);
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return parts;
}

function cutBefore(text: string, end: number): number {
  const earliest = Math.floor(end * 0.75);
  const space = text.slice(earliest, end + 1).search(/\s\S*$/);
  return space === -1 ? beforeCharacter(text, end) : earliest + space + 1;
}

/** In string units. What a reader sees as one character, such as a family emoji or a flag, is rarely longer. */
const LONGEST_CHARACTER = 50;

/** Moves a cut that would divide a character to the start of that character. */
function beforeCharacter(text: string, end: number): number {
  if (end >= text.length) return end;
  const { index } = new Intl.Segmenter().segment(text.slice(0, end + LONGEST_CHARACTER)).containing(end);
  return index > 0 ? index : end;
}

/** How many string units the next `count` code points take. */
function unitsOf(text: string, count: number): number {
  let end = 0;
  for (let counted = 0; counted < count && end < text.length; counted += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}
