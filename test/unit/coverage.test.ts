import { Coverage } from '../../nodes/MessagingSend/journal/crash/coverage';
import { chunksOf } from '../../nodes/MessagingSend/journal/crash/plan';
import { messageAt } from './samples';

const messages = () => [0, 1, 2, 3].map((index) => messageAt(index));

function covered(): Coverage {
  return new Coverage(chunksOf([messages()], 2, 'plan', 1));
}

test('The second try of Retry On Fail finds its messages again, however they are packed', () => {
  const coverage = covered();
  const again = messages();
  coverage.coverAgain([again]);
  const batch = { number: 1, messages: again.slice(1, 3) };
  expect(coverage.covers(batch)).toBe(true);
  expect(coverage.unitsOf(batch)).toEqual(coverage.units);
});

test('A request with a message that the first try did not have is not covered, whatever else it carries', () => {
  const coverage = covered();
  const [first = messageAt(0)] = messages();
  const added = messageAt(9);
  coverage.coverAgain([[first, added]]);
  expect(coverage.covers({ number: 1, messages: [first] })).toBe(true);
  expect(coverage.covers({ number: 1, messages: [first, added] })).toBe(false);
});
