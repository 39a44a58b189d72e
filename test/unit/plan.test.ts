import { type Plan, planOf } from '../../nodes/MessagingSend/journal/crash/plan';
import { messageAt } from './samples';

const messages = () => [0, 1, 2, 3].map((index) => messageAt(index));

function packed(): Plan {
  const plan = planOf('run', messages());
  plan.pack(2, 1);
  return plan;
}

test('The second try of Retry On Fail finds its messages again, however they are packed', () => {
  const plan = packed();
  const [first, second] = plan.units;
  expect(plan.units).toHaveLength(2);
  expect(plan.unitsOf(messages().reverse())).toEqual([second, second, first, first]);
});

test('A message that the first try did not have is not in the plan', () => {
  const plan = packed();
  const other = { ...messageAt(2), phone: '447700900999' };
  expect(plan.unitsOf([messageAt(0), messageAt(9), other])).toEqual([plan.units[0], undefined, undefined]);
});
