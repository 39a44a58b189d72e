import type { Cause, Summary } from '../../nodes/MessagingSend/n8n/output/summary';
import { secondSendText, summaryText } from '../../nodes/MessagingSend/n8n/output/summaryText';

const NONE: Cause = { messages: 0, mainReason: '', withMainReason: 0 };

const NOTHING: Summary = {
  sent: 0,
  resumed: 0,
  notSent: NONE,
  uncertain: NONE,
  uncertainDuplicates: 0,
  skipped: new Map(),
  isTest: false,
  planned: null,
  numbers: null,
  emptyFields: new Map(),
  isRemembered: false,
  creditsUsed: 0,
  creditsLeft: null,
  requests: 0,
  waited: 0,
};

function summary(changed: Partial<Summary>): Summary {
  return { ...NOTHING, ...changed };
}

function cause(messages: number, mainReason = 'The key is wrong', withMainReason = messages): Cause {
  return { messages, mainReason, withMainReason };
}

const TIMEOUT = 'The service did not answer in time';

test.each<[string, Partial<Summary>]>([
  ['1 sent, 1 credit used, 0 left, 1 request.', { sent: 1, creditsUsed: 1, creditsLeft: 0, requests: 1 }],
  ['6 sent (2 of them in an earlier attempt), 2 requests.', { sent: 6, resumed: 2, requests: 2 }],
  ['2 sent, 1 skipped as a duplicate, 1 request.', { sent: 2, skipped: new Map([['duplicate', 1]]), requests: 1 }],
  ['2 sent, 3 skipped as duplicates, 1 request.', { sent: 2, skipped: new Map([['duplicate', 3]]), requests: 1 }],
  ['0 sent, 1 skipped because it was sent before, 0 requests.', { skipped: new Map([['sent_before', 1]]) }],
  ['0 sent, 4 skipped because they were sent before, 0 requests.', { skipped: new Map([['sent_before', 4]]) }],
  [
    "2 sent, 3 skipped because 'name' is empty, 1 request.",
    { sent: 2, skipped: new Map([['empty_field', 3]]), emptyFields: new Map([['name', 3]]), requests: 1 },
  ],
  [
    "2 sent, 9 skipped because 'a', 'b', 'c' and others are empty, 1 request.",
    {
      sent: 2,
      skipped: new Map([['empty_field', 9]]),
      emptyFields: new Map(['a', 'b', 'c', 'd'].map((name) => [name, 3])),
      requests: 1,
    },
  ],
  [
    "Test run: 3 sent, 7 skipped because of 'Test Run', 1 request.",
    { isTest: true, sent: 3, skipped: new Map([['test_run', 7]]), requests: 1 },
  ],
  [
    "2 sent, 4 skipped because of 'Send Window', 1 request.",
    { sent: 2, skipped: new Map([['outside_window', 4]]), requests: 1 },
  ],
  [
    "2 sent, 1 skipped because of 'Never Send To', 1 request.",
    { sent: 2, skipped: new Map([['opted_out', 1]]), requests: 1 },
  ],
  ['2 sent, 2 requests, 6 min spent waiting for the rate limit.', { sent: 2, requests: 2, waited: 359_000 }],
  ['2 sent, 2 requests, 3 s spent waiting for the rate limit.', { sent: 2, requests: 2, waited: 3000 }],
])('A run is summed up as: %s', (text, changed) => {
  expect(summaryText(summary(changed))).toBe(text);
});

test.each<[string, Partial<Summary>]>([
  [
    '245 sent, 5 not sent, 245 credits used, 755 left, 3 requests. Not sent: 3 × the key is wrong; 2 for other reasons (see each item).',
    { sent: 245, notSent: cause(5, 'The key is wrong', 3), creditsUsed: 245, creditsLeft: 755, requests: 3 },
  ],
  ['1 sent, 2 not sent, 1 request. Not sent: the key is wrong.', { sent: 1, notSent: cause(2), requests: 1 }],
  [
    'Nothing was sent: not enough credits (200 needed, 12 left). 200 not sent, 2 requests.',
    { notSent: cause(200, 'Not enough credits (200 needed, 12 left)'), requests: 2 },
  ],
  [
    "Nothing was sent: 9 × 'Base URL' is wrong; 1 for other reasons (see each item). 10 not sent, 0 requests.",
    { notSent: cause(10, "'Base URL' is wrong", 9) },
  ],
  [
    '0 sent, 2 uncertain (may have been sent), 1 request. Uncertain: the service did not answer in time.',
    { uncertain: cause(2, TIMEOUT), requests: 1 },
  ],
  [
    '0 sent, 1 not sent, 2 uncertain (may have been sent), 1 request. Not sent: the key is wrong. Uncertain: the service did not answer in time.',
    { notSent: cause(1), uncertain: cause(2, TIMEOUT), requests: 1 },
  ],
  [
    '0 sent, 1 not sent, 1 skipped as a duplicate, 0 requests. Not sent: the key is wrong.',
    { notSent: cause(1), skipped: new Map([['duplicate', 1]]) },
  ],
])('The most frequent cause is named: %s', (text, changed) => {
  expect(summaryText(summary(changed))).toBe(text);
});

const REAL = { sent: 200, requests: 2 };
const PLANNED = { planned: { messages: 200, requests: 2 } };

test.each<[string, Partial<Summary>]>([
  ['All messages went to 1 number.', { ...REAL, numbers: { all: 1, withSeveral: 1 } }],
  ['All messages would go to 1 number.', { ...PLANNED, numbers: { all: 1, withSeveral: 1 } }],
  ['More than one message went to 1 number.', { ...REAL, numbers: { all: 199, withSeveral: 1 } }],
  ['More than one message would go to 3 numbers.', { ...PLANNED, numbers: { all: 99, withSeveral: 3 } }],
  ["12 messages have nothing for 'name'.", { ...REAL, emptyFields: new Map([['name', 12]]) }],
  [
    "12 messages have nothing for 'name'. 1 message has nothing for 'order.id'.",
    {
      ...PLANNED,
      emptyFields: new Map([
        ['order.id', 1],
        ['name', 12],
      ]),
    },
  ],
  [
    "9 messages have nothing for 'a'. 8 messages have nothing for 'b'. 7 messages have nothing for 'c'. 2 other fields are empty as well.",
    { ...REAL, emptyFields: new Map(['a', 'b', 'c', 'd', 'e'].map((name, index) => [name, 9 - index])) },
  ],
])('Behind the numbers of messages: %s', (text, changed) => {
  const before = changed.planned ? 'for 200 credits. Nothing was sent. ' : '2 requests. ';
  expect(summaryText(summary(changed))).toMatch(new RegExp(`${before}${text.replaceAll('.', '\\.')}$`));
});

test.each<[string, Partial<Summary> & Pick<Summary, 'planned'>]>([
  [
    'Dry run: 250 messages would be sent in 3 requests, for 250 credits. Nothing was sent.',
    { planned: { messages: 250, requests: 3 } },
  ],
  [
    'Dry run: 1 message would be sent in 1 request, for 1 credit. Nothing was sent.',
    { planned: { messages: 1, requests: 1 } },
  ],
  [
    "Dry run: 243 messages would be sent in 3 requests, for 243 credits; 7 can't be sent. Nothing was sent. Can't be sent: the key is wrong.",
    { planned: { messages: 243, requests: 3 }, notSent: cause(7) },
  ],
  [
    "Dry run: 0 messages would be sent; 7 can't be sent. Nothing was sent. Can't be sent: the key is wrong.",
    { planned: { messages: 0, requests: 0 }, notSent: cause(7) },
  ],
  [
    'Dry run: 2 messages would be sent in 1 request, for 2 credits; 1 skipped as a duplicate, 3 skipped because they were sent before. Nothing was sent.',
    {
      planned: { messages: 2, requests: 1 },
      skipped: new Map([
        ['duplicate', 1],
        ['sent_before', 3],
      ]),
    },
  ],
  [
    'Dry run: 2 messages would be sent in 1 request, for 2 credits; 1 uncertain (may have been sent), 3 already sent in an earlier attempt. Nothing more was sent. Uncertain: the key is wrong.',
    { planned: { messages: 2, requests: 1 }, uncertain: cause(1), resumed: 3, sent: 3 },
  ],
])('A dry run is summed up as: %s', (text, changed) => {
  expect(summaryText(summary(changed))).toBe(text);
});

test.each<[string, Partial<Summary>]>([
  ['Running this step again sends the 245 messages again.', { sent: 245, notSent: cause(5) }],
  ['Running this step again sends that message again.', { sent: 1 }],
  ['Running this step again sends the 5 messages again, and the uncertain message.', { sent: 5, uncertain: cause(1) }],
  ['Running this step again sends that message again, and the 2 uncertain messages.', { sent: 1, uncertain: cause(2) }],
  ['Running this step again sends the uncertain message again.', { uncertain: cause(1) }],
  ['Running this step again sends the 2 uncertain messages again.', { uncertain: cause(2), notSent: cause(3) }],
  [
    '',
    {
      notSent: cause(3),
      skipped: new Map([
        ['duplicate', 2],
        ['sent_before', 1],
        ['opted_out', 4],
      ]),
    },
  ],
  ['', { sent: 5, uncertain: cause(2), isRemembered: true }],
])('What would be sent a second time is named as: "%s"', (text, changed) => {
  expect(secondSendText(summary(changed))).toBe(text);
});
