import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { DeliveryRecord, type Recall } from '../../nodes/MessagingSend/journal/deliveryRecord';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import { complete } from './samples';

const RECALL: Recall = { sendUncertainAgain: false, anyOrigin: false, isSingle: false };

function message(item: number, text: string): Message {
  return { item, entry: null, part: null, phone: '447700900123', text };
}

/** A record in which these messages were sent one after the other, read anew as after a re-run. */
function recordOf(...sent: Message[]): DeliveryRecord {
  const context: JsonRecord = {};
  sent.forEach((each, index) => {
    const results = [{ message: each, outcome: { kind: 'sent', messageId: index, status: 'sent' } as const }];
    new DeliveryRecord(context, 0).note({ batch: 1, results, data: {} });
  });
  return new DeliveryRecord(JSON.parse(JSON.stringify(context)) as JsonRecord, 0);
}

test('a text that was changed and changed back is not sent again', () => {
  const record = recordOf(message(0, 'A'), message(0, 'B'));
  expect(complete(record.recall([message(0, 'A')], RECALL)).pending).toEqual([]);
});

test('the same text of another item is new, unless it is to go out once', () => {
  const record = recordOf(message(0, 'A'));
  expect(complete(record.recall([message(1, 'A')], RECALL)).pending).toHaveLength(1);
  expect(complete(record.recall([message(1, 'A')], { ...RECALL, anyOrigin: true })).pending).toEqual([]);
});

test('a part of a split text is never taken for the same part of another text', () => {
  const record = recordOf({ ...message(0, 'A'), part: 1 });
  const other = [{ ...message(1, 'A'), part: 1 }, message(2, 'A')];
  expect(complete(record.recall(other, { ...RECALL, anyOrigin: true })).pending).toEqual(other);
});

test('another run of a loop is new', () => {
  const context: JsonRecord = {};
  new DeliveryRecord(context, 0).note({
    batch: 1,
    results: [{ message: message(0, 'A'), outcome: { kind: 'sent', messageId: 1, status: 'sent' } }],
    data: {},
  });
  expect(complete(new DeliveryRecord(context, 1).recall([message(0, 'A')], RECALL)).pending).toHaveLength(1);
});
