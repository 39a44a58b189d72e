import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Delivered } from '../../nodes/MessagingSend/delivery/deliver';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { type Message, type Unsendable, unsendable } from '../../nodes/MessagingSend/messages/message';
import type { Outcome, Receipt } from '../../nodes/MessagingSend/messages/outcome';
import { runError } from '../../nodes/MessagingSend/n8n/output/runError';
import { nodeOfType } from '../support/node';
import { complete, failureWith, messageAt, messagesUpTo } from './samples';

const NODE = nodeOfType('messagingSend');
const SENT: Outcome = { kind: 'sent', messageId: 1, status: 'sent' };

function stopError(delivered: Pick<Delivered, 'unsendable' | 'receipts'>, isRemembered?: boolean) {
  return complete(runError(NODE, { duplicates: [], planned: [], recalled: 0, ...delivered }, isRemembered));
}

function receipt(messages: readonly Message[], outcome: Outcome): Receipt {
  return { batch: 1, results: messages.map((message) => ({ message, outcome })), data: null };
}

function notSent(changed: Partial<Failure> = {}): Outcome {
  return { kind: 'not_sent', failure: failureWith(changed) };
}

function wrongDraft(item: number, entry: number | null = null): Unsendable {
  return unsendable(
    { item, entry, part: null, phone: '0' },
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
    expect(error?.description).toBe('Correct it. Nothing was sent. Affected items (counted from 0): 4, 6 (entry 2).');
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
        'Do something. 2 of 4 messages were sent. To send the rest, use Retry on the newest execution in the executions list. A new execution would send those 2 messages again.',
      context: { itemIndex: 2 },
    });
  });

  test.each([
    ['names the one message that a new execution would send again', 1, false, 'that message again.'],
    ['names how many messages a new execution would send again', 2, false, 'those 2 messages again.'],
    ['names none with Send Once, Also in Later Runs', 2, true, '2 of 3 messages were sent.'],
  ])('%s', (_title, sent, isRemembered, end) => {
    const receipts = [receipt(messagesUpTo(sent), SENT), receipt([messageAt(9)], notSent())];
    expect(stopError({ unsendable: [], receipts }, isRemembered)?.description?.endsWith(end)).toBe(true);
  });

  test('reports that nothing was sent of one message', () => {
    const error = stopError({ unsendable: [], receipts: [receipt([messageAt(0)], notSent())] });
    expect(error?.description).toBe('Do something. 0 of 1 message was sent.');
  });

  test('can be the failure of an uncertain message', () => {
    const receipts = [receipt([messageAt(0)], { kind: 'uncertain', failure: failureWith({ httpStatus: null }) })];
    expect(stopError({ unsendable: [], receipts })).toMatchObject({ message: 'It failed', httpCode: null });
  });

  test('names the items with the same failure, and no others', () => {
    const receipts = [
      receipt([messageAt(1), messageAt(2, { entry: 5 })], notSent()),
      receipt([messageAt(3)], notSent({ message: 'Otherwise' })),
    ];
    const affected = 'Affected items (counted from 0): 1, 2 (entry 5).';
    expect(stopError({ unsendable: [], receipts })?.description).toContain(affected);
  });

  test('names at most 10 items', () => {
    const ten = stopError({ unsendable: [], receipts: [receipt(messagesUpTo(10), notSent())] });
    expect(ten?.description).toMatch(/Affected items \(counted from 0\): 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\.$/);
    const more = stopError({ unsendable: [], receipts: [receipt(messagesUpTo(250), notSent())] });
    expect(more?.description).toMatch(/: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 240 more\.$/);
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
