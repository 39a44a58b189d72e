import type { Origin } from '../../nodes/MessagingSend/messages/row';
import { reasonsText, secondSendText, summaryText } from '../../nodes/MessagingSend/n8n/output/sentences';
import type { Reason, Summary } from '../../nodes/MessagingSend/n8n/output/summary';
import { failureWith, rowAt, rowsUpTo } from './samples';

const NOTHING: Summary = {
  sent: 0,
  resumed: 0,
  notSent: 0,
  uncertain: 0,
  skipped: new Map(),
  reasons: [],
  isInvalid: false,
  heldBack: 0,
  isTest: false,
  optOuts: null,
  codes: new Map(),
  planned: null,
  numbersWithSeveral: 0,
  emptyFields: new Map(),
  placeholders: [],
  isRemembered: false,
  creditsUsed: 0,
  creditsLeft: null,
  requests: 0,
};

/** A run in which these messages were not sent, or are uncertain, besides its other outcomes. */
function summary(changed: Partial<Summary>): Summary {
  const { reasons = [] } = changed;
  const count = (kind: Reason['kind']) =>
    reasons.filter((reason) => reason.kind === kind).reduce((sum, { origins }) => sum + origins.length, 0);
  return { ...NOTHING, notSent: count('not_sent'), uncertain: count('uncertain'), ...changed };
}

function notSent(message: string, origins: readonly Origin[]): Reason {
  return { kind: 'not_sent', failure: failureWith({ message }), origins };
}

/** Entries of the list of an item. */
function entriesOf(item: number, ...entries: number[]): Origin[] {
  return entries.map((entry) => rowAt(item, { entry }));
}

const fields = (...names: string[]) => new Map(names.map((name, index) => [name, names.length - index]));

test.each<[text: string, Partial<Summary>]>([
  ['1 sent, 1 credit used, 0 left, 1 request.', { sent: 1, creditsUsed: 1, creditsLeft: 0, requests: 1 }],
  [
    "Nothing was sent. Item 0 was not sent: the key is wrong. Item 1 was not sent: 'Base URL' is wrong. Numbering starts at 0.",
    { reasons: [notSent('The key is wrong', [rowAt(0)]), notSent("'Base URL' is wrong", [rowAt(1)])] },
  ],
  [
    "Dry run: 1 message would be sent in 1 request, for 1 credit; 1 can't be sent, 2 skipped because already sent. Nothing was sent. Item 3 can't be sent: it failed. Numbering starts at 0.",
    {
      planned: { messages: 1, requests: 1 },
      reasons: [notSent('It failed', [rowAt(3)])],
      skipped: new Map([['sent_before', 2]]),
    },
  ],
  [
    'Dry run: 0 messages would be sent; 3 sent (3 of them in an earlier attempt). Nothing more was sent.',
    { planned: { messages: 0, requests: 0 }, sent: 3, resumed: 3 },
  ],
])('A run is summed up as: %s', (text, changed) => {
  expect(summaryText(summary(changed))).toBe(text);
});

test.each<[text: string, Partial<Summary>]>([
  ['More than one message would go to 3 numbers.', { planned: { messages: 9, requests: 1 }, numbersWithSeveral: 3 }],
  [
    "Empty fields: 'name' in 2 messages, 'order.id' in 1 message. To skip such messages, add the option 'Empty Fields'.",
    { emptyFields: fields('name', 'order.id') },
  ],
  [
    "Empty fields: 'a' in 7 messages, 'b' in 6 messages, 'c' in 5 messages, 'd' in 4 messages, 'e' in 3 messages and 2 more. To skip such messages, add the option 'Empty Fields'.",
    { emptyFields: fields('a', 'b', 'c', 'd', 'e', 'f', 'g') },
  ],
])('Doubts about messages that can be sent are added: %s', (text, changed) => {
  const run = { sent: 200, requests: 2, ...changed };
  const before = summaryText(summary({ ...run, numbersWithSeveral: 0, emptyFields: new Map() }));
  expect(summaryText(summary(run))).toBe(`${before} ${text}`);
});

test.each<[text: string, Origin[]]>([
  ['Item 3 was', [rowAt(3)]],
  ['Items 0, 1, 2, 3, 4 and 195 more were', rowsUpTo(200)],
  ['Item 1, entries 0, 3 of item 2, entry 5 of item 4 were', [rowAt(1), ...entriesOf(2, 0, 3), ...entriesOf(4, 5)]],
  [
    'Entries 0, 1 of item 2, entries 0, 1, 2 of item 3 and 1 more were',
    [...entriesOf(2, 0, 1), ...entriesOf(3, 0, 1, 2, 3)],
  ],
])('The first five places are named, with how many more: %s', (text, origins) => {
  expect(reasonsText(summary({ reasons: [notSent('It failed', origins)] }))).toBe(
    `${text} not sent: it failed. Numbering starts at 0.`,
  );
});

test.each([
  [8, '3 more (reason 5; reason 6; reason 7)'],
  [20, '15 more (reason 5; reason 6; reason 7; reason 8; reason 9; …)'],
])('Of %i reasons, the first five are given with their items, and the next by name: %s', (count, others) => {
  const reasons = rowsUpTo(count).map((message) => notSent(`Reason ${message.item}`, [message]));
  expect(reasonsText(summary({ reasons }))).toContain(
    `Item 4 was not sent: reason 4. For other reasons: ${others}. Numbering starts at 0.`,
  );
});

test.each<[what: string, Partial<Summary>, warning: string]>([
  ['a message was sent', { sent: 1, notSent: 5 }, "Don't run this step again: it would send the 1 sent message again."],
  [
    'all may have been sent',
    { uncertain: 2 },
    "Don't run this step again: it would send the 2 uncertain messages again.",
  ],
  ['only a tester got messages', { sent: 3, isTest: true }, ''],
  ['no message may have been sent', { notSent: 3, skipped: new Map([['sent_before', 2]]) }, ''],
  ['a later run skips what was sent', { sent: 5, uncertain: 2, isRemembered: true }, ''],
])('If %s, the warning about a second run is %j', (_what, changed, warning) => {
  expect(secondSendText(summary(changed))).toBe(warning);
});
