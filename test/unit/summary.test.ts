import { secondSendText, type Summary, summaryText } from '../../nodes/MessagingSend/n8n/output/summary';

const NOTHING: Summary = {
  sent: 0,
  resumed: 0,
  failed: 0,
  uncertain: 0,
  uncertainDuplicates: 0,
  skipped: 0,
  sentBefore: 0,
  planned: null,
  isRemembered: false,
  creditsUsed: 0,
  creditsLeft: null,
  requests: 0,
  waited: 0,
};

function summary(changed: Partial<Summary>): Summary {
  return { ...NOTHING, ...changed };
}

test.each<[string, Partial<Summary>]>([
  [
    '245 sent, 5 not sent, 245 credits used, 755 left, 3 requests.',
    { sent: 245, failed: 5, creditsUsed: 245, creditsLeft: 755, requests: 3 },
  ],
  ['1 sent, 1 credit used, 0 left, 1 request.', { sent: 1, creditsUsed: 1, creditsLeft: 0, requests: 1 }],
  ['6 sent (2 of them in an earlier attempt), 2 requests.', { sent: 6, resumed: 2, requests: 2 }],
  ['0 sent, 2 uncertain (may have been sent), 1 request.', { uncertain: 2, requests: 1 }],
  ['2 sent, 1 skipped as a duplicate, 1 request.', { sent: 2, skipped: 1, requests: 1 }],
  ['2 sent, 3 skipped as duplicates, 1 request.', { sent: 2, skipped: 3, requests: 1 }],
  ['0 sent, 1 skipped because it was sent before, 0 requests.', { sentBefore: 1 }],
  ['0 sent, 4 skipped because they were sent before, 0 requests.', { sentBefore: 4 }],
  ['2 sent, 2 requests, 6 min spent waiting for the rate limit.', { sent: 2, requests: 2, waited: 359_000 }],
  ['2 sent, 2 requests, 3 s spent waiting for the rate limit.', { sent: 2, requests: 2, waited: 3000 }],
])('A run is summed up as: %s', (text, changed) => {
  expect(summaryText(summary(changed))).toBe(text);
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
    "Dry run: 243 messages would be sent in 3 requests, for 243 credits; 7 can't be sent. Nothing was sent.",
    { planned: { messages: 243, requests: 3 }, failed: 7 },
  ],
  [
    "Dry run: 0 messages would be sent; 7 can't be sent. Nothing was sent.",
    { planned: { messages: 0, requests: 0 }, failed: 7 },
  ],
  [
    'Dry run: 2 messages would be sent in 1 request, for 2 credits; 1 skipped as a duplicate, 3 skipped because they were sent before. Nothing was sent.',
    { planned: { messages: 2, requests: 1 }, skipped: 1, sentBefore: 3 },
  ],
  [
    'Dry run: 2 messages would be sent in 1 request, for 2 credits; 1 uncertain (may have been sent), 3 already sent in an earlier attempt. Nothing more was sent.',
    { planned: { messages: 2, requests: 1 }, uncertain: 1, resumed: 3, sent: 3 },
  ],
])('A dry run is summed up as: %s', (text, changed) => {
  expect(summaryText(summary(changed))).toBe(text);
});

test.each<[string, Partial<Summary>]>([
  ['Running this step again sends the 245 messages again.', { sent: 245, failed: 5 }],
  ['Running this step again sends that message again.', { sent: 1 }],
  ['Running this step again sends the 5 messages again, and the uncertain message.', { sent: 5, uncertain: 1 }],
  ['Running this step again sends that message again, and the 2 uncertain messages.', { sent: 1, uncertain: 2 }],
  ['Running this step again sends the uncertain message again.', { uncertain: 1 }],
  ['Running this step again sends the 2 uncertain messages again.', { uncertain: 2, failed: 3 }],
  ['', { failed: 3, skipped: 2, sentBefore: 1 }],
  ['', { sent: 5, uncertain: 2, isRemembered: true }],
])('What would be sent a second time is named as: "%s"', (text, changed) => {
  expect(secondSendText(summary(changed))).toBe(text);
});
