import { atLeast, atMost, inTurn, median, ratio, type Series } from '../../bench/measurements';

function series(...rounds: number[]): Series {
  return { case: 'a case', contender: 'a contender', unit: 'ms', rounds };
}

test('the median is the middle, or the mean of the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 6])).toBe(5.5);
});

test('ratios are taken round by round', () => {
  // The third round was slow for both.
  expect(ratio(series(10, 12, 100), series(5, 6, 50))).toBe(2);
});

test('a goal is met up to its figure, and not beyond', () => {
  expect(
    [atMost('a', 1.05, 1.05), atMost('a', 1.06, 1.05), atLeast('b', 30, 30), atLeast('b', 29, 30)].map(
      ({ met }) => met,
    ),
  ).toEqual([true, false, true, false]);
});

test('contenders take turns, and the first round does not count', async () => {
  const order: string[] = [];
  const contender = (name: string) => ({ name, run: async () => await Promise.resolve(order.push(name)) });
  const measured = await inTurn({ case: 'a case', unit: 'ms' }, [contender('A'), contender('B')], 2, () => {});
  expect(order).toEqual(['A', 'B', 'A', 'B', 'A', 'B']);
  expect(measured.map(({ contender: name, rounds }) => [name, rounds])).toEqual([
    ['A', [3, 5]],
    ['B', [4, 6]],
  ]);
});
