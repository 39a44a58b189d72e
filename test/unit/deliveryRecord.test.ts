import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { DeliveryRecord, type Recall } from '../../nodes/MessagingSend/journal/deliveryRecord';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import { complete } from './samples';

const RECALL: Recall = { sendUncertainAgain: false, anyOrigin: false, isSingle: false };

function message(item: number, text: string): Message {
  return { item, entry: null, part: null, phone: '447700900123', text };
}

/** A record of these messages, sent one after the other, as it is read in a re-run. */
function recordOf(...sent: Message[]): DeliveryRecord {
  const context: JsonRecord = {};
  sent.forEach((each, index) => {
    const results = [{ message: each, outcome: { kind: 'sent', messageId: index, status: 'sent' } as const }];
    new DeliveryRecord(context, 0).note({ batch: 1, results, data: {} });
  });
  return new DeliveryRecord(JSON.parse(JSON.stringify(context)) as JsonRecord, 0);
}

test('A text that is changed and changed back is not sent again', () => {
  const record = recordOf(message(0, 'A'), message(0, 'B'));
  expect(complete(record.recall([message(0, 'A')], RECALL)).pending).toEqual([]);
});

test('The same text of another item is sent, unless every text must be sent only once', () => {
  const record = recordOf(message(0, 'A'));
  expect(complete(record.recall([message(1, 'A')], RECALL)).pending).toHaveLength(1);
  expect(complete(record.recall([message(1, 'A')], { ...RECALL, anyOrigin: true })).pending).toEqual([]);
});

test('A part of a split text is never confused with the same part of another text', () => {
  const record = recordOf({ ...message(0, 'A'), part: 1 });
  const other = [{ ...message(1, 'A'), part: 1 }, message(2, 'A')];
  expect(complete(record.recall(other, { ...RECALL, anyOrigin: true })).pending).toEqual(other);
});

test('Another run in a loop sends its messages', () => {
  const context: JsonRecord = {};
  new DeliveryRecord(context, 0).note({
    batch: 1,
    results: [{ message: message(0, 'A'), outcome: { kind: 'sent', messageId: 1, status: 'sent' } }],
    data: {},
  });
  expect(complete(new DeliveryRecord(context, 1).recall([message(0, 'A')], RECALL)).pending).toHaveLength(1);
});

test('A receipt in a form of another version of this node makes messages without an outcome uncertain', () => {
  const context: JsonRecord = { deliveries: { 0: ['{"b":1,"s":[["0","fingerprint",7]]}'] } };
  const { pending, receipts } = complete(new DeliveryRecord(context, 0).recall([message(0, 'A')], RECALL));
  expect(pending).toEqual([]);
  expect(receipts.flatMap(({ results }) => results.map(({ outcome }) => outcome))).toMatchObject([
    { kind: 'uncertain', failure: { code: 'UNCERTAIN' } },
  ]);
});
