import { type Plan, planOf } from '../../nodes/MessagingSend/journal/crash/plan';
import { complete, messageAt } from './samples';

const messages = () => [0, 1, 2, 3].map((index) => messageAt(index));

function packed(): Plan {
  const plan = complete(planOf('run', [messages()]));
  plan.pack(2, 1);
  return plan;
}

test('The second try of Retry On Fail finds its messages again, however they are packed', () => {
  const plan = packed();
  const again = messages();
  complete(plan.findAgain([again]));
  expect(plan.units).toHaveLength(2);
  expect(plan.unitsOf(again.slice(1, 3))).toEqual(plan.units);
});

test('A message that the first try did not have is not in the plan', () => {
  const plan = packed();
  const again = [messageAt(0), messageAt(9)];
  complete(plan.findAgain([again]));
  expect(plan.unitsOf(again)).toEqual([plan.units[0], undefined]);
});
