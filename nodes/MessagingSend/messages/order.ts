import type { Origin } from './message';

export function byOrigin(a: Origin, b: Origin): number {
  return a.item - b.item || (a.entry ?? 0) - (b.entry ?? 0);
}

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
