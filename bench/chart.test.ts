import { readProjectFile } from '../tools/project';
import { chart, type Results } from './chart';

test('The chart shows the figures of the last benchmark', () => {
  const results = JSON.parse(readProjectFile('bench/results/latest.json')) as Results;
  expect(readProjectFile('docs/speed.svg')).toBe(chart(results));
});

test('A chart needs all of its figures', () => {
  expect(() => chart({})).toThrow('throughput has no figure of Send Bulk for 10,000 items');
});
