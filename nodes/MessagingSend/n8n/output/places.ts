import type { Origin } from '../../messages/message';
import { addTo } from '../../messages/order';

/** The most places that are named. */
const MAX_NAMED = 10;

/**
 * Where messages came from, by the numbers that the editor shows, from 0: `Items 0 to 9 and 12, and entry 5 of item 13`.
 */
export function placesText(origins: readonly Origin[]): string {
  const items: number[] = [];
  const entriesOf = new Map<number, number[]>();
  for (const { item, entry } of origins) {
    if (entry === null) items.push(item);
    else addTo(entriesOf, item, entry);
  }
  const lists = [
    { names: ['item', 'items'], numbers: items, of: '' },
    ...Array.from(entriesOf, ([item, numbers]) => ({ names: ['entry', 'entries'], numbers, of: ` of item ${item}` })),
  ];
  let left = MAX_NAMED;
  let unnamed = 0;
  const texts: string[] = [];
  for (const { names, numbers, of } of lists) {
    const all = ranges(numbers);
    const named = all.slice(0, left);
    left -= named.length;
    unnamed += all.slice(named.length).reduce((sum, { first, last }) => sum + last - first + 1, 0);
    if (named.length === 0) continue;
    const isOne = named.length === 1 && named[0]?.first === named[0]?.last;
    texts.push(`${names[isOne ? 0 : 1]} ${enumerated(named.map(rangeText))}${of}`);
  }
  const text = [...texts, ...(unnamed > 0 ? [`${unnamed} more`] : [])].join(', and ');
  return text.replace(/^./, (letter) => letter.toUpperCase());
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Three or more neighbours are a range: what failed in a batch are often neighbours. */
export function ranges(numbers: readonly number[]): readonly Range[] {
  const found: Array<{ first: number; last: number }> = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const range = found.at(-1);
    if (range !== undefined && number === range.last + 1) range.last = number;
    else found.push(one(number));
  }
  return found.flatMap(({ first, last }) => (last === first + 1 ? [one(first), one(last)] : { first, last }));
}

function one(number: number): { first: number; last: number } {
  return { first: number, last: number };
}

export function rangeText({ first, last }: Range): string {
  return first === last ? `${first}` : `${first} to ${last}`;
}

function enumerated(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
