import { NodeApiError } from 'n8n-workflow';

import type { Delivered } from '../../nodes/MessagingSend/delivery/deliver';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { type Message, type Unsendable, unsendable } from '../../nodes/MessagingSend/messages/message';
import type { Outcome, Receipt } from '../../nodes/MessagingSend/messages/outcome';
import { runError } from '../../nodes/MessagingSend/n8n/output/errors';
import { summarize } from '../../nodes/MessagingSend/n8n/output/summary';
import { readDeliveryOptions } from '../../nodes/MessagingSend/resources/message/deliveryOptions';
import { givenOptions } from '../support/givenOptions';
import { nodeOfType } from '../support/node';
import { failureWith, messageAt, messagesUpTo, NOTHING_DELIVERED } from './samples';

const NODE = nodeOfType('messagingSend');
const TOOL = nodeOfType('n8n-nodes-messaging-send.messagingSendTool');
const OPTIONS = readDeliveryOptions(givenOptions({ duplicateMessages: 'send' }));
const CHECK_FIRST =
  'The message may have been sent: check with the recipient or in the service before you send it again.';

const BREAK = '<br><br>';
const RETRY_FOR_REST =
  "To send only the rest, open the tab Executions, and choose 'Retry with currently saved workflow' on the newest one.";

function errorOf(delivered: Partial<Delivered>, node = NODE, options: Parameters<typeof summarize>[3] = OPTIONS) {
  const all = { ...NOTHING_DELIVERED, ...delivered };
  return runError(node, summarize(all, all.receipts.length, 1, options));
}

const ORIGINAL = messageAt(0);
const SENT: Outcome = { kind: 'sent', messageId: 1, status: 'sent' };
const UNCERTAIN: Outcome = { kind: 'uncertain', failure: failureWith({ httpStatus: null }) };
function notSent(changed: Partial<Failure> = {}): Outcome {
  return { kind: 'not_sent', failure: failureWith(changed) };
}

function receipt(outcome: Outcome, ...messages: Message[]): Receipt {
  return { batch: 1, results: messages.map((message) => ({ message, outcome })), data: null };
}

/** The outcomes of a list, by entry. */
function list(...outcomes: Outcome[]): Receipt[] {
  return outcomes.map((outcome, entry) => receipt(outcome, messageAt(0, { entry })));
}

function wrongDraft(item: number, entry: number | null = null): Unsendable {
  return unsendable(
    { item, entry, phone: '0' },
    failureWith({ code: 'INVALID_PHONE', message: `Number of ${item} is wrong`, advice: 'Correct it.' }),
  );
}

test('A run with everything sent has no error', () => {
  expect(errorOf({ receipts: [receipt(SENT, ...messagesUpTo(3))] })).toBeNull();
});

test("The error of a run is its first failure, with what was sent, what wasn't and why, and how to send the rest", () => {
  const receipts = [
    receipt(SENT, messageAt(0), messageAt(1)),
    receipt(notSent({ code: 'NOT_STARTED', message: 'Another request stopped the run' }), messageAt(5)),
    receipt(notSent({ code: 'HTTP_400', message: 'The first', httpStatus: 400 }), messageAt(2), messageAt(3)),
    receipt(UNCERTAIN, messageAt(4)),
  ];
  const error = errorOf({ receipts });
  expect(error).toBeInstanceOf(NodeApiError);
  expect(error).toMatchObject({
    message: 'The first',
    httpCode: '400',
    description: [
      'Items 2, 3 were not sent: the first. Item 4 may have been sent: it failed. Item 5 was not sent: another request stopped the run. Numbering starts at 0.',
      '2 sent, 3 not sent, 1 uncertain (may have been sent), 4 requests.',
      `Do something. Don't run this step again: it would send the 2 sent and 1 uncertain messages again. ${RETRY_FOR_REST}`,
    ].join(BREAK),
    context: { itemIndex: 2 },
  });
});

test.each<[what: string, Partial<Delivered>, description: string]>([
  ['one message', { receipts: [receipt(notSent(), messageAt(0))] }, `Nothing was sent.${BREAK}Do something.`],
  [
    'all messages for a reason of the whole run',
    { receipts: [receipt(notSent({ scope: 'run' }), ...messagesUpTo(250))] },
    `Nothing was sent.${BREAK}Do something.`,
  ],
  [
    'what an earlier attempt has not sent',
    { unsendable: [wrongDraft(4), wrongDraft(6, 2)], receipts: [receipt(SENT, messageAt(0))], recalled: 1 },
    [
      'Item 4 was not sent: number of 4 is wrong. Entry 2 of item 6 was not sent: number of 6 is wrong. Numbering starts at 0.',
      '1 sent (1 of them in an earlier attempt), 2 not sent, 1 request.',
      `Correct it. Don't run this step again: it would send the 1 sent message again. ${RETRY_FOR_REST}`,
    ].join(BREAK),
  ],
  [
    'a message and its duplicate',
    { receipts: [receipt(notSent(), ORIGINAL)], duplicates: [{ message: messageAt(7), original: ORIGINAL }] },
    `Items 0, 7 were not sent: it failed. Numbering starts at 0.${BREAK}Nothing was sent.${BREAK}Do something.`,
  ],
])('The error of a run that did not send %s says what to do', (_what, delivered, description) => {
  expect(errorOf(delivered)?.description).toBe(description);
});

test('Where all messages were sent or are uncertain, the error says that Retry would send nothing', () => {
  const receipts = [receipt(SENT, ...messagesUpTo(150)), receipt(UNCERTAIN, messageAt(150), messageAt(151))];
  const again = "Don't run this step again: it would send the 150 sent and 2 uncertain messages again.";
  const retry = 'Retry would send nothing: it never sends an uncertain message again.';
  const { description } = errorOf({ receipts }) ?? {};
  expect(description?.endsWith(`${BREAK}${CHECK_FIRST} Do something. ${again} ${retry}`)).toBe(true);
});

test('With Send Once, Also in Later Runs, an error warns of no second message', () => {
  const receipts = [receipt(SENT, messageAt(0)), receipt(notSent(), messageAt(1))];
  const error = errorOf({ receipts }, NODE, { ...OPTIONS, duplicateMessages: 'sendOnceEver' });
  expect(error?.description).toBe(`1 sent, 1 not sent, 2 requests.${BREAK}Do something.`);
});

test('An error keeps its own text if n8n has one for a word in it', () => {
  const message = 'Refused: EPERM ECONNREFUSED';
  expect(errorOf({ receipts: [receipt(notSent({ message, httpStatus: null }), messageAt(0))] })).toMatchObject({
    message,
    httpCode: null,
  });
});

test.each<[what: string, Partial<Delivered>, message: string]>([
  ['one message', { receipts: [receipt(notSent(), messageAt(0))] }, 'It failed. Do something. Nothing was sent.'],
  [
    'a message that may have been sent',
    { receipts: [receipt(UNCERTAIN, messageAt(0))] },
    `It failed. ${CHECK_FIRST} Do something. 0 sent, 1 uncertain (may have been sent), 1 request. Do not call this tool again until it is clear whether the message was sent.`,
  ],
  [
    'some entries of a list',
    { receipts: list(SENT, notSent(), UNCERTAIN, SENT, ...Array.from({ length: 8 }, () => notSent())) },
    'It failed. Do something. 2 sent, 9 not sent, 1 uncertain (may have been sent), 12 requests. Entries 1, 4, 5, 6, 7, 8, 9, 10, 11 were not sent: it failed. Entry 2 may have been sent: it failed. Numbering starts at 0. Call this tool again with only the entries named as not sent.',
  ],
  [
    'a list with invalid entries',
    { unsendable: [wrongDraft(0, 1), wrongDraft(0, 3)], heldUp: 2 },
    'Number of 0 is wrong. Correct it. Nothing was sent. Entries 1, 3 were not sent: number of 0 is wrong. Numbering starts at 0.',
  ],
])('A model sees only the message of an error, so the message says everything: %s', (_what, delivered, message) => {
  const error = errorOf(delivered, TOOL);
  expect(error?.message).toBe(message);
  expect(error?.description ?? null).toBeNull();
});
