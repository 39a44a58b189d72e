import { stringify } from 'flatted';

import type { JsonRecord } from '../../nodes/MessagingSend/api/records';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { divide, type Intent, type Recalled } from '../../nodes/MessagingSend/journal/recall';
import { DeliveryRecord } from '../../nodes/MessagingSend/journal/record/deliveryRecord';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import type { Outcome } from '../../nodes/MessagingSend/messages/outcome';
import { phoneAt } from '../support/contacts';
import { intentOf, messageAt } from './samples';

function message(item: number, text: string): Message {
  return { item, entry: null, phone: '447700900123', text };
}

function recall(
  record: DeliveryRecord,
  messages: readonly Message[],
  changed: Partial<Intent> = {},
): Pick<Recalled, 'receipts' | 'pending' | 'again'> {
  const intent = { ...intentOf(messages), ...changed };
  return divide(intent, record.recall(intent).recorded, null);
}

/** A record as it is read in a re-run. */
const reread = (context: JsonRecord) => new DeliveryRecord(JSON.parse(JSON.stringify(context)) as JsonRecord, 0);

function noteAs(record: DeliveryRecord, outcome: Outcome, ...messages: Message[]): void {
  record.note({ batch: 1, results: messages.map((each) => ({ message: each, outcome })), data: {} });
}

const SENT: Outcome = { kind: 'sent', messageId: 7, status: 'sent' };
const UNCERTAIN: Outcome = { kind: 'uncertain', failure: failure('outcomeUnknown') };

/** The record of a run that got these messages and sent the first few. */
function recordOf(messages: readonly Message[], sent = messages.length): DeliveryRecord {
  const context: JsonRecord = {};
  const record = new DeliveryRecord(context, 0);
  recall(record, messages);
  noteAs(record, SENT, ...messages.slice(0, sent));
  return reread(context);
}

const outcomesIn = (receipts: Recalled['receipts']) =>
  receipts.flatMap(({ results }) => results.map(({ outcome }) => outcome.kind));
const pendingOf = (record: DeliveryRecord, messages: readonly Message[]) => recall(record, messages).pending;

/** Messages to one phone, as the rows of a list. */
const rows = (...texts: string[]): Message[] => texts.map((text, index) => message(index, text));

test('A text that is changed and changed back is not sent again', () => {
  const record = recordOf([message(0, 'A'), message(1, 'B')], 1);
  // Nobody knows whether B is a changed text, or the one that was sent.
  expect(outcomesIn(recall(record, [message(0, 'New'), message(1, 'B')]).receipts)).toEqual(['uncertain', 'uncertain']);
  noteAs(record, SENT, message(1, 'B'));
  expect(pendingOf(record, [message(0, 'A'), message(1, 'Newer')])).toEqual([]);
  expect(pendingOf(record, rows('A', 'B'))).toEqual([]);
});

test('A message that was sent is recognized by its place and phone if its text contains the time', () => {
  const at = (time: string) => [0, 1, 2].map((index) => messageAt(index, { text: `Hello at ${time}` }));
  expect(pendingOf(recordOf(at('10:00'), 2), at('10:01'))).toEqual(at('10:01').slice(2));
});

test('A message that was sent is recognized by its phone and text at any place', () => {
  const record = recordOf([messageAt(3)]);
  expect(pendingOf(record, [messageAt(3, { item: 0, entry: 3 })])).toEqual([]);
});

describe('Of several messages to one phone,', () => {
  test('the others are uncertain if one that was sent is removed', () => {
    // A and B were sent; now B is in A's place, and C in B's.
    expect(outcomesIn(recall(recordOf(rows('A', 'B', 'C'), 2), rows('B', 'C')).receipts)).toEqual([
      'sent',
      'uncertain',
    ]);
    expect(outcomesIn(recall(recordOf(rows('A', 'B'), 1), rows('B')).receipts)).toEqual(['uncertain']);
  });

  test('nobody knows which were sent if all texts contain the time', () => {
    const { pending, receipts } = recall(recordOf(rows('A 1', 'B 1', 'C 1'), 2), rows('A 2', 'B 2', 'C 2'));
    expect(pending).toEqual([]);
    expect(outcomesIn(receipts)).toEqual(['uncertain', 'uncertain', 'uncertain']);
  });
});

test('A message that was sent again has its new outcome, and an identical one does not get the old outcome', () => {
  const context: JsonRecord = {};
  const record = new DeliveryRecord(context, 0);
  noteAs(record, UNCERTAIN, message(0, 'At 10:00'));
  const again = { sendUncertainAgain: true };
  const second = new DeliveryRecord(context, 0);
  const resent = message(0, 'At 10:01');
  expect(recall(second, [resent], again).again.size).toBe(1);
  noteAs(second, SENT, resent);
  const list = [message(0, 'At 10:02'), messageAt(1, { phone: phoneAt(1), text: 'At 10:02' })];
  const { receipts, pending } = recall(reread(context), list);
  expect(receipts.flatMap(({ results }) => results)).toEqual([{ message: list[0], outcome: SENT }]);
  expect(pending).toEqual([list[1]]);
  // Its phone got two messages, and nobody knows which of them it is.
  expect(outcomesIn(recall(reread(context), rows('At 10:02', 'At 10:02')).receipts)).toEqual([
    'uncertain',
    'uncertain',
  ]);
});

test.each<[string, string[] | undefined]>([
  ['whole', undefined],
  ['truncated', ['First']],
  ['in three parts', ['First', 'text', 'A']],
])('A text that was sent in two parts and comes again %s is not sent again', (_how, parts) => {
  const record = recordOf([{ ...message(0, 'First text A'), parts: ['First text', 'A'] }]);
  const again = { ...message(1, 'First text A'), ...(parts && { parts }) };
  expect(outcomesIn(recall(record, [again]).receipts)).toEqual(['sent']);
});

test('Another run in a loop sends its messages', () => {
  const context: JsonRecord = {};
  noteAs(new DeliveryRecord(context, 0), SENT, message(0, 'A'));
  expect(recall(new DeliveryRecord(context, 1), [message(0, 'A')]).pending).toHaveLength(1);
});

test.each([
  '{"b":1,"s":[["0","fingerprint",7]]}',
  '[1,[["0","abcdefghijkl",7]],[],{},null]',
  '[1,{},[],{},null]',
  { b: 1 },
])('A receipt from another version of this node makes messages without an outcome uncertain: %j', (line) => {
  const { pending, receipts } = recall(new DeliveryRecord({ deliveries: { 0: [line] } }, 0), [message(0, 'A')]);
  expect([pending, outcomesIn(receipts)]).toEqual([[], ['uncertain']]);
});

test('n8n stores less than 1 MB for a Retry of 10,000 messages that were sent one by one, without phone numbers or texts', () => {
  const context: JsonRecord = {};
  const record = new DeliveryRecord(context, 0);
  const messages = Array.from({ length: 10_000 }, (_, index) => messageAt(index));
  recall(record, messages);
  for (const [index, each] of messages.entries()) {
    const data = { credits_used: 1, credits_remaining: 100_000 - index, sent_at: '2026-01-31T09:30:00.000Z' };
    const outcome: Outcome = { kind: 'sent', messageId: 1001 + index, status: 'sent' };
    record.note({
      batch: index + 1,
      results: [{ message: each, outcome }],
      data: { ...data, message_id: 1001 + index },
    });
  }
  const text = stringify(context);
  expect(text.length).toBeGreaterThan(100_000);
  expect(text.length).toBeLessThan(1_000_000);
  expect(text).not.toMatch(/4477009\d{5}|Text/);
});
