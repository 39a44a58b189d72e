import { type Interruptible, withEach } from '../../messages/interruptible';
import type { Origin } from '../../messages/message';

/** The most places that are named. */
const MAX_NAMED = 10;

/**
 * Where messages came from, by the numbers that the editor shows, from 0: `Items 0 to 9 and 12, and entry 5 of item 13`.
 */
export function* placesText(origins: readonly Origin[]): Interruptible<string> {
  const items = new Ranges();
  const entriesOf = new Map<number, Ranges>();
  yield* withEach(origins, ({ item, entry }) => {
    if (entry === null) {
      items.add(item);
    } else {
      const entries = entriesOf.get(item) ?? new Ranges();
      entriesOf.set(item, entries);
      entries.add(entry);
    }
  });
  const lists = [
    { names: ['item', 'items'], ranges: items, of: '' },
    ...Array.from(entriesOf, ([item, ranges]) => ({ names: ['entry', 'entries'], ranges, of: ` of item ${item}` })),
  ];
  let left = MAX_NAMED;
  let unnamed = 0;
  const texts: string[] = [];
  for (const { names, ranges, of } of lists) {
    const all = ranges.sorted();
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
  first: number;
  last: number;
}

/** Numbers, of which three or more neighbours are a range: what failed in a batch are often neighbours. */
export class Ranges {
  private readonly found: Range[] = [];

  /** Most numbers come in ascending order, so that few ranges are kept of many numbers. */
  add(number: number): void {
    const range = this.found.at(-1);
    if (range !== undefined && (number === range.last || number === range.last + 1)) range.last = number;
    else this.found.push({ first: number, last: number });
  }

  /** In ascending order, each number once. */
  sorted(): readonly Range[] {
    const merged: Range[] = [];
    for (const range of this.found.toSorted((a, b) => a.first - b.first)) {
      const before = merged.at(-1);
      if (before !== undefined && range.first <= before.last + 1) before.last = Math.max(before.last, range.last);
      else merged.push({ ...range });
    }
    return merged.flatMap(({ first, last }) =>
      last === first + 1
        ? [
            { first, last: first },
            { first: last, last },
          ]
        : { first, last },
    );
  }
}

export function rangeText({ first, last }: Range): string {
  return first === last ? `${first}` : `${first} to ${last}`;
}

function enumerated(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
