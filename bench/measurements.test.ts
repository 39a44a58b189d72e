import { atLeast, atMost, inTurn, median, ratio, type Series } from './measurements';

function series(...rounds: number[]): Series {
  return { case: 'a case', contender: 'a contender', unit: 'ms', rounds };
}

test('The median is the value in the middle, or the mean of the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 6])).toBe(5.5);
});

test('The ratio of two series is the median of the ratios of their rounds', () => {
  // The third round is slow for both.
  expect(ratio(series(10, 12, 100), series(5, 6, 50))).toBe(2);
});

test('A goal is met by its own figure, but not by one beyond it', () => {
  expect(
    [atMost('a', 1.05, 1.05), atMost('a', 1.06, 1.05), atLeast('b', 30, 30), atLeast('b', 29, 30)].map(
      ({ met }) => met,
    ),
  ).toEqual([true, false, true, false]);
});

test('Contenders take turns, and their first round does not count', async () => {
  const order: string[] = [];
  const contender = (name: string) => ({ name, run: async () => await Promise.resolve(order.push(name)) });
  const measured = await inTurn({ case: 'a case', unit: 'ms' }, [contender('A'), contender('B')], 2, () => undefined);
  expect(order).toEqual(['A', 'B', 'A', 'B', 'A', 'B']);
  expect(measured.map(({ contender: name, rounds }) => [name, rounds])).toEqual([
    ['A', [3, 5]],
    ['B', [4, 6]],
  ]);
});
