import { withEach } from '../../nodes/MessagingSend/messages/interruptible';

test('Each value is handled once and in order, with an interruption after every few', () => {
  const handled: number[] = [];
  const handledBefore: number[] = [];
  const work = withEach(Array(100).keys(), (value) => handled.push(value));
  while (work.next().done !== true) handledBefore.push(handled.length);
  expect(handled).toEqual([...Array(100).keys()]);
  const between = handledBefore.map((count, index) => count - (handledBefore[index - 1] ?? 0));
  expect(between.length).toBeGreaterThan(5);
  expect(Math.max(...between)).toBeLessThanOrEqual(10);
});
