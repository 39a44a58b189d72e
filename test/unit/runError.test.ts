import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Delivered } from '../../nodes/MessagingSend/delivery/deliver';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { type Message, type Unsendable, unsendable } from '../../nodes/MessagingSend/messages/message';
import type { Outcome, Receipt } from '../../nodes/MessagingSend/messages/outcome';
import { runError } from '../../nodes/MessagingSend/n8n/output/runError';
import { nodeOfType } from '../support/node';
import { failureWith, messageAt, messagesUpTo, NOTHING_DELIVERED } from './samples';

const NODE = nodeOfType('messagingSend');
const SENT: Outcome = { kind: 'sent', messageId: 1, status: 'sent' };

function stopError(delivered: Partial<Delivered>, isRemembered?: boolean) {
  return runError(NODE, { ...NOTHING_DELIVERED, ...delivered }, isRemembered);
}

function receipt(messages: readonly Message[], outcome: Outcome): Receipt {
  return { batch: 1, results: messages.map((message) => ({ message, outcome })), data: null };
}

function notSent(changed: Partial<Failure> = {}): Outcome {
  return { kind: 'not_sent', failure: failureWith(changed) };
}

function wrongDraft(item: number, entry: number | null = null): Unsendable {
  return unsendable(
    { item, entry, phone: '0' },
    failureWith({ code: 'INVALID_PHONE', message: `Number of ${item} is wrong`, advice: 'Correct it.' }),
  );
}

test('A run without failures has no error', () => {
  expect(stopError({ unsendable: [], receipts: [receipt(messagesUpTo(3), SENT)] })).toBeNull();
  expect(stopError({ unsendable: [], receipts: [] })).toBeNull();
});

describe('An invalid draft', () => {
  test('is named in the error, which reports that nothing was sent', () => {
    const error = stopError({ unsendable: [wrongDraft(4)], receipts: [] });
    expect(error).toBeInstanceOf(NodeOperationError);
    expect(error).toMatchObject({
      message: 'Number of 4 is wrong',
      description: 'Correct it. Nothing was sent.',
      context: { itemIndex: 4 },
    });
  });

  test('is named in the error with the others', () => {
    const error = stopError({ unsendable: [wrongDraft(4), wrongDraft(6, 2)], receipts: [] });
    expect(error?.description).toBe(
      'Correct it. Nothing was sent. Item 4 was not sent: number of 4 is wrong. Entry 2 of item 6 was not sent: number of 6 is wrong. The first item is item 0.',
    );
  });
});

describe('The error of a run', () => {
  test('is the failure of the first failed message, as an error of an API', () => {
    const receipts = [
      receipt([messageAt(0), messageAt(1)], SENT),
      receipt([messageAt(2)], notSent({ code: 'HTTP_400', message: 'The first', httpStatus: 400 })),
      receipt([messageAt(3)], notSent({ code: 'HTTP_500', message: 'The second', httpStatus: 500 })),
    ];
    const error = stopError({ unsendable: [], receipts });
    expect(error).toBeInstanceOf(NodeApiError);
    expect(error).toMatchObject({
      message: 'The first',
      httpCode: '400',
      description:
        "Do something. 2 of 4 messages were sent. Don't run this step again: it would send those 2 messages again. To send the rest, open the tab Executions and use Retry on the newest one. Item 2 was not sent: the first. Item 3 was not sent: the second. The first item is item 0.",
      context: { itemIndex: 2 },
    });
  });

  test.each([
    ['names the one message that a new execution would send again', 1, false, / it would send that message again\. /],
    ['names how many messages a new execution would send again', 2, false, / send those 2 messages again\. /],
    ['names none with Send Once, Also in Later Runs', 2, true, /^Do something\. 2 of 3 messages were sent\.$/],
  ])('%s', (_title, sent, isRemembered, text) => {
    const receipts = [receipt(messagesUpTo(sent), SENT), receipt([messageAt(9)], notSent())];
    expect(stopError({ unsendable: [], receipts }, isRemembered)?.description).toMatch(text);
  });

  test('reports that nothing was sent of one message', () => {
    const error = stopError({ unsendable: [], receipts: [receipt([messageAt(0)], notSent())] });
    expect(error?.description).toBe('Do something. 0 of 1 message was sent.');
  });

  test('can be the failure of an uncertain message', () => {
    const receipts = [receipt([messageAt(0)], { kind: 'uncertain', failure: failureWith({ httpStatus: null }) })];
    expect(stopError({ unsendable: [], receipts })).toMatchObject({ message: 'It failed', httpCode: null });
  });

  test('names every item with its reason', () => {
    const receipts = [
      receipt([messageAt(1), messageAt(2, { entry: 5 })], notSent()),
      receipt([messageAt(3)], notSent({ message: "'Otherwise'" })),
      receipt([messageAt(4), messageAt(5)], { kind: 'uncertain', failure: failureWith() }),
    ];
    expect(stopError({ unsendable: [], receipts })?.description).toContain(
      " Item 1, and entry 5 of item 2 were not sent: it failed. Item 3 was not sent: 'Otherwise'. Items 4 and 5 may have been sent: it failed.",
    );
  });

  test('names a duplicate with the reason of its original', () => {
    const [original, message] = [messageAt(0), messageAt(7)];
    const delivered = {
      unsendable: [],
      receipts: [receipt([original], notSent())],
      duplicates: [{ message, original }],
    };
    expect(stopError(delivered)?.description).toContain('Items 0 and 7 were not sent: it failed.');
  });

  test.each([
    ['1 place', messagesUpTo(250), 'Items 0 to 249 were'],
    [
      '11 places',
      messagesUpTo(22).filter(({ item }) => item % 2 === 0),
      'Items 0, 2, 4, 6, 8, 10, 12, 14, 16 and 18, and 1 more were',
    ],
    [
      '12 entries',
      [
        ...messagesUpTo(1),
        ...messagesUpTo(23)
          .filter(({ item }) => item % 2 === 0)
          .map(({ item }) => messageAt(3, { entry: item })),
      ],
      'Item 0, and entries 0, 2, 4, 6, 8, 10, 12, 14 and 16 of item 3, and 3 more were',
    ],
  ])('names at most 10 places, here of %s', (_what, messages, text) => {
    const error = stopError({ unsendable: [], receipts: [receipt(messages, notSent())] });
    expect(error?.description).toContain(` ${text} not sent: it failed.`);
  });

  test('names at most 10 reasons', () => {
    const receipts = messagesUpTo(13).map((message) =>
      receipt([message], notSent({ message: `Reason ${message.item}` })),
    );
    const description = stopError({ unsendable: [], receipts })?.description ?? '';
    expect(description).toMatch(
      /Item 9 was not sent: reason 9\. 3 more messages have other reasons\. The first item is item 0\.$/,
    );
  });

  test('keeps its own text if n8n has one for a word in it', () => {
    const receipts = [receipt([messageAt(0)], notSent({ message: 'Refused: EPERM ECONNREFUSED', httpStatus: null }))];
    expect(stopError({ unsendable: [], receipts })?.message).toBe('Refused: EPERM ECONNREFUSED');
  });

  test('contains no phone number and no text of a message', () => {
    const receipts = [receipt(messagesUpTo(3), notSent())];
    const error = stopError({ unsendable: [], receipts });
    expect(JSON.stringify([error, error?.message, error?.description])).not.toMatch(/4477009|Text \d/);
  });
});
