/** How many messages of a batch the credits pay for. */
import { splitByCredits } from '../../nodes/MessagingSend/delivery/credits';
import { messagesUpTo, ODD_VALUES } from './samples';

const batch = { number: 7, messages: messagesUpTo(10) };
const paid = (required: unknown, available: unknown) => {
  const split = splitByCredits(batch, { required_credits: required, available_credits: available });
  expect([...split.paid.messages, ...split.unpaid.messages]).toEqual(batch.messages);
  expect([split.paid.number, split.unpaid.number]).toEqual([7, 7]);
  return split.paid.messages.length;
};

test.each([
  ['a credit for each message', 10, 4, 4],
  ['two credits for each message', 20, 7, 3],
  ['less than one message costs', 20, 1, 0],
  ['no credits', 10, 0, 0],
  ['a negative balance', 10, -5, 0],
  ['more than it requires: the error is wrong, and a smaller batch is tried', 10, 50, 9],
  ['a price of nothing', 0, 5, 0],
])('With %s, the first messages are sent', (_what, required, available, expected) => {
  expect(paid(required, available)).toBe(expected);
});

test.each(ODD_VALUES.filter(([, value]) => typeof value !== 'number'))(
  'Nothing is sent if the error gives %s for credits',
  (_name, value) => {
    expect([paid(value, 5), paid(10, value)]).toEqual([0, 0]);
  },
);
