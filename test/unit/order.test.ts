import { sorted } from '../../nodes/MessagingSend/messages/order';
import { seededRandom } from '../../tools/random';
import { complete } from './samples';

const LENGTHS = [0, 1, 511, 512, 513, 1024, 1025, 5000];

interface Value {
  readonly key: number;
  readonly place: number;
}
const byKey = (a: Value, b: Value) => a.key - b.key;
const listOf = (keys: readonly number[]): Value[] => keys.map((key, place) => ({ key, place }));

describe.each(LENGTHS)('A list of %i', (length) => {
  const random = seededRandom(length + 1);
  test.each<[string, number[]]>([
    ['in order', Array.from({ length }, (_, index) => index)],
    ['backwards', Array.from({ length }, (_, index) => -index)],
    ['in turns', Array.from({ length }, (_, index) => (index % 7) * length + index)],
    ['in any order, with equals', Array.from({ length }, () => Math.floor(random() * 50))],
  ])('that is %s is sorted as by Array, equals in their order', (_what, keys) => {
    const list = listOf(keys);
    expect(complete(sorted(list, byKey))).toEqual(list.toSorted(byKey));
  });
});

test('Sorting a long list can be interrupted often', () => {
  const list = listOf(Array.from({ length: 5000 }, (_, index) => -index));
  let steps = 0;
  for (const work = sorted(list, byKey); work.next().done !== true;) steps += 1;
  expect(steps).toBeGreaterThan(1000);
});
