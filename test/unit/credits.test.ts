/** How many messages of a batch the credits pay for, and what the rest needs. */
import type { Rejected } from '../../nodes/MessagingSend/api/reply';
import { splitByCredits, withCreditsOfRun } from '../../nodes/MessagingSend/delivery/credits';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import type { Outcome, Receipt } from '../../nodes/MessagingSend/messages/outcome';
import { failureWith, messagesUpTo, ODD_VALUES } from './samples';

const batch = { number: 7, messages: messagesUpTo(10) };
const paid = (required: unknown, available: unknown) => {
  const split = splitByCredits(batch, {
    error: { required_credits: required, available_credits: available },
    failure: failureWith(),
  });
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

const ALL = messagesUpTo(300);
const rejection = (required: number, available: number): Pick<Rejected, 'error' | 'failure'> => ({
  error: { required_credits: required, available_credits: available },
  failure: failureWith({ code: 'INSUFFICIENT_CREDITS', credits: { required, available }, serviceSays: `${required}` }),
});
const receiptOf = (messages: readonly Message[], outcome: Outcome, data: Receipt['data'] = null): Receipt => ({
  batch: 1,
  results: messages.map((message) => ({ message, outcome })),
  data,
});
const unsent = (messages: readonly Message[], { failure }: Pick<Rejected, 'failure'>) =>
  receiptOf(messages, { kind: 'not_sent', failure });
const sent = (messages: readonly Message[], left: number) =>
  receiptOf(messages, { kind: 'sent', messageId: 1, status: 'sent' }, { credits_remaining: left });
/** The texts of the failures, without repetitions. */
const texts = (receipts: readonly Receipt[]) => [
  ...new Set(
    receipts.flatMap(({ results }) =>
      results.flatMap(({ outcome }) => ('failure' in outcome ? outcome.failure.message : [])),
    ),
  ),
];

describe('Of a run whose credits run out', () => {
  const first = ALL.slice(0, 100);
  const rest = ALL.slice(100);

  test.each<[string, Receipt[], string]>([
    ['all messages', [unsent(first, rejection(100, 12)), unsent(rest, rejection(100, 12))], '300 needed, 12 left'],
    ['the rest', [sent(first, 50), unsent(rest, rejection(200, 50))], '200 needed, 50 left'],
    [
      'messages that cost two credits',
      [unsent(first, rejection(200, 12)), unsent(rest, rejection(200, 12))],
      '600 needed, 12 left',
    ],
    ['what is left by the newest answer', [unsent(first, rejection(100, 60)), sent(rest, 20)], '100 needed, 20 left'],
  ])('the failure has the figures of %s', (_what, receipts, figures) => {
    const corrected = withCreditsOfRun(receipts);
    expect(texts(corrected)).toEqual([`Not enough credits (${figures})`]);
    expect(corrected.map(({ results }) => results.map(({ message }) => message))).toEqual(
      receipts.map(({ results }) => results.map(({ message }) => message)),
    );
  });

  test('the rest of a batch, of which the first messages used up the credits, needs what it needs itself', () => {
    const { paid, unpaid, whyUnpaid } = splitByCredits({ number: 1, messages: first }, rejection(100, 30));
    const why = { failure: whyUnpaid };
    const receipts = [sent(paid.messages, 0), unsent(unpaid.messages, why), unsent(rest, why)];
    expect(texts(withCreditsOfRun(receipts))).toEqual(['Not enough credits (270 needed, 0 left)']);
  });

  test('failures of other kinds stay as they are', () => {
    const receipts = [unsent(first, { failure: failureWith() }), sent(rest, 3)];
    expect(withCreditsOfRun(receipts)).toBe(receipts);
  });
});
