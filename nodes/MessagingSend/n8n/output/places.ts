import type { Origin } from '../../messages/message';
import { addTo } from '../../messages/order';

const MAX_NAMED = 10;

/** By the numbers that the editor shows, from 0: `Items 0 to 9 and 12, and entry 5 of item 13`. */
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
    const ranges = rangesOf(numbers);
    const named = ranges.slice(0, left);
    left -= named.length;
    unnamed += ranges.slice(named.length).reduce((sum, { first, last }) => sum + last - first + 1, 0);
    if (named.length === 0) continue;
    const isOne = named.length === 1 && named[0]?.first === named[0]?.last;
    texts.push(`${names[isOne ? 0 : 1]} ${enumerated(named.map(rangeText))}${of}`);
  }
  const text = [...texts, ...(unnamed > 0 ? [`${unnamed} more`] : [])].join(', and ');
  return text.replace(/^./, (letter) => letter.toUpperCase());
}

interface Range {
  first: number;
  last: number;
}

/** Three or more neighbours as a range, in ascending order, each number once. */
function rangesOf(numbers: readonly number[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && number <= range.last + 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.flatMap(({ first, last }) =>
    last === first + 1 ? [first, last].map((number) => ({ first: number, last: number })) : { first, last },
  );
}

function rangeText({ first, last }: Range): string {
  return first === last ? `${first}` : `${first} to ${last}`;
}

/** Such as `0 to 9, 12, 14`. */
export function rangesText(numbers: readonly number[]): string {
  return rangesOf(numbers).map(rangeText).join(', ');
}

function enumerated(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
