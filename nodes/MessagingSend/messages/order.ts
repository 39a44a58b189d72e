import type { Interruptible } from './interruptible';
import type { Origin } from './message';

/** How many values are sorted at once; the sorted chunks are then merged. */
const CHUNK = 512;

export function byOrigin(a: Origin, b: Origin): number {
  return a.item - b.item || (a.entry ?? 0) - (b.entry ?? 0) || (a.part ?? 0) - (b.part ?? 0);
}

/** Like `toSorted`, but interruptible: for long lists, `toSorted` would block n8n. */
export function* sorted<Value>(
  list: readonly Value[],
  compare: (a: Value, b: Value) => number,
): Interruptible<readonly Value[]> {
  let runs: Array<readonly Value[]> = [];
  for (let start = 0; start < list.length; start += CHUNK) {
    runs.push(list.slice(start, start + CHUNK).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Array<readonly Value[]> = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
      yield;
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<Value>(
  a: readonly Value[],
  b: readonly Value[],
  compare: (a: Value, b: Value) => number,
): Interruptible<readonly Value[]> {
  const merged: Value[] = [];
  let taken = 0;
  for (const value of a) {
    for (let other = b[taken]; other !== undefined && compare(value, other) > 0; other = b[taken]) {
      merged.push(other);
      taken += 1;
      yield;
    }
    merged.push(value);
    // Most lists are almost in order.
    if (taken === 0 && merged.length === a.length) return [...a, ...b];
    yield;
  }
  return [...merged, ...b.slice(taken)];
}

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
