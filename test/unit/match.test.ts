/** Which messages an answer is about: the entries of its list, and the messages that the error of a rejection names. */
import fc from 'fast-check';

import { readComplaints } from '../../nodes/MessagingSend/api/complaints';
import type { JsonObject } from '../../nodes/MessagingSend/api/objects';
import { rejected } from '../../nodes/MessagingSend/api/reply';
import { matchEntries, SEND, SEND_BULK } from '../../nodes/MessagingSend/delivery/operation';
import { offendersIn as rowsIn } from '../../nodes/MessagingSend/delivery/search';
import { markSeveral } from '../../nodes/MessagingSend/messages/row';
import { phoneAt } from '../support/contacts';
import { failureWith, ODD_VALUES, rowAt, rowsUpTo, upTo } from './samples';

/** For messages to these phones: the message_id of each that was sent, else the kind of its outcome. */
function outcomesOf(phones: readonly number[], entries: unknown): unknown[] {
  const messages = phones.map((phone, item) => rowAt(item, { phone: phoneAt(phone) }));
  markSeveral(messages);
  return matchEntries(messages, { messages: entries }).map((outcome) =>
    outcome.kind === 'sent' ? outcome.messageId : outcome.kind,
  );
}

const entry = (index: number, changed: JsonObject = {}): JsonObject => ({
  message_id: 1000 + index,
  phone: phoneAt(index),
  status: 'sent',
  ...changed,
});

describe('An answer with a list of entries', () => {
  const otherId = { message_id: 9, status: 'failed' };
  const [oneId, noId] = [{ message_id: 7 }, { message_id: undefined }];
  const UNCERTAIN = ['uncertain', 'uncertain'];
  test.each<[string, phones: number[], entries: JsonObject[], expected: unknown[]]>([
    ['has a copy in the place of an entry', [0, 1, 2], [entry(0), entry(1), entry(1)], [1000, 1001, 'uncertain']],
    ['has an unknown phone number', [0, 1], [entry(0), entry(500)], [1000, 'uncertain']],
    ['has no phones', [0, 1], [entry(0, { phone: undefined }), entry(1, { phone: null })], [1000, 1001]],
    ['repeats an ID as a text', [0, 0], [entry(0), entry(0, { message_id: '1000' })], UNCERTAIN],
    ['has one entry for two messages to a number', [0, 0], [entry(0)], UNCERTAIN],
    ['doubles the entry of two messages to a number', [0, 0], [entry(0), entry(0)], UNCERTAIN],
    [
      'says of one ID that it was not sent and that it was',
      [0],
      [entry(0, { status: 'failed' }), entry(0)],
      ['uncertain'],
    ],
    ['has two outcomes for a number', [0, 0, 2], [entry(2), entry(0), entry(0, otherId)], [...UNCERTAIN, 1002]],
    ['has one ID for all', [0, 1], [entry(0, oneId), entry(1, oneId)], [7, 7]],
    ['has no IDs, for two messages to a number', [0, 0], [entry(0, noId), entry(0, noId)], [null, null]],
    ...[Number(phoneAt(0)), `+${phoneAt(0)}`, `00${phoneAt(0)}`, '+44 7700 900000'].map(
      (phone): [string, number[], JsonObject[], unknown[]] => [
        `has the phone as ${phone}, out of order`,
        [0, 1],
        [entry(1), entry(0, { phone })],
        [1000, 1001],
      ],
    ),
  ])('that %s is matched to its messages by phone and order, if at all', (_what, phones, entries, expected) => {
    expect(outcomesOf(phones, entries)).toEqual(expected);
  });

  test.each(ODD_VALUES)('that is %s leaves all messages uncertain', (_name, value) => {
    expect(outcomesOf([0, 1], value)).toEqual(['uncertain', 'uncertain']);
    expect(outcomesOf([0, 1], [value, value, value])).toEqual(['uncertain', 'uncertain']);
  });

  test('is matched to its messages however it is shuffled, cut and doubled', () => {
    const twenty = upTo(20);
    fc.assert(
      fc.property(fc.shuffledSubarray([...twenty, ...twenty]), (listed) => {
        const expected = twenty.map((index) => (listed.includes(index) ? 1000 + index : 'uncertain'));
        const entries = listed.map((index) => entry(index));
        expect(outcomesOf(twenty, entries)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

test.each<[string, JsonObject, unknown[]]>([
  ['says that one was sent', { messages_sent: 1 }, ['uncertain', 'not_sent', 'uncertain']],
  ['says that one was paid', { credits_used: 1 }, ['uncertain', 'not_sent', 'uncertain']],
  ['says that none was paid', { messages_sent: 2, credits_used: 0 }, ['uncertain', 'not_sent', 'uncertain']],
  ['agrees with them', { messages_sent: 2, credits_used: 2 }, ['sent', 'not_sent', 'sent']],
  ['says that more were sent', { messages_sent: 3, credits_used: 9 }, ['sent', 'not_sent', 'sent']],
  ['has no figures', { messages_sent: '1', credits_used: null }, ['sent', 'not_sent', 'sent']],
])('Of three entries, two of which say "sent", in an answer that %s', (_what, figures, kinds) => {
  const messages = upTo(3).map((index) => entry(index, index === 1 ? { message_id: null, status: 'failed' } : {}));
  expect(matchEntries(rowsUpTo(3), { ...figures, messages }).map(({ kind }) => kind)).toEqual(kinds);
});

test('A single message that used no credit is uncertain, even if its status is "sent"', () => {
  const outcomes = [0, 1].flatMap((used) => SEND.outcomes(rowsUpTo(1), entry(0, { credits_used: used })));
  expect(outcomes).toMatchObject([{ kind: 'uncertain', failure: { code: 'NOT_CONFIRMED' } }, { kind: 'sent' }]);
});

test('The ID of a split message has those of its parts, and is missing if they have none', () => {
  const parts = ['one', 'two', 'three'];
  const idOf = (...ids: unknown[]) => {
    const messages = ids.map((id) => entry(0, { message_id: id }));
    return SEND_BULK.outcomes([rowAt(0, { parts })], { messages })[0];
  };
  expect(idOf(7, 'a8', 9)).toEqual({ kind: 'sent', messageId: '7, a8, 9', status: 'sent' });
  expect(idOf(7, null, undefined)).toMatchObject({ kind: 'sent', messageId: '7' });
  expect(idOf(null, null, undefined)).toMatchObject({ kind: 'sent', messageId: null });
});

/** What an error with these details says about each of five messages, by the index of the message. */
function offendersIn(details: unknown, error: JsonObject = {}): Record<number, string[]> {
  const whole = { code: 'VALIDATION_ERROR', message: 'Invalid', details, ...error };
  const offenders = rowsIn({ batch: rowsUpTo(5), reply: rejected(failureWith(), { error: whole }) });
  const textsAbout = (item: number) => readComplaints(whole).flatMap(({ index, text }) => (index === item ? text : []));
  return Object.fromEntries(
    Array.from(offenders.keys(), ({ item }) => [item, [...new Set(textsAbout(item))].filter((said) => said !== '')]),
  );
}

const WRONG = { 3: ['phone: is wrong'] };
const ONLY = { 3: ['is wrong'] };
const POINTER = '#/messages/3/phone';
const BOTH = 'messages.1.phone and messages.3.message';

test.each<[string, unknown, Record<number, string[]>, JsonObject?]>([
  ['dotted keys with lists of texts', { 'messages.3.phone': ['is wrong'] }, WRONG],
  ['bracketed keys', { 'messages[3].phone': 'is wrong' }, WRONG],
  ['bracketed keys with quotes', { "$['messages'][3]['phone']": 'is wrong' }, ONLY],
  ['nested lists with nulls', { messages: [null, null, null, { phone: ['is wrong'] }] }, WRONG],
  ['nested objects', { messages: { 3: { phone: { error: 'is wrong' } } } }, ONLY],
  ['a path beside the text', [{ field: 'messages[3].phone', message: 'is wrong' }], ONLY],
  ['a JSON pointer beside the text', [{ source: { pointer: POINTER }, at: POINTER, message: 'is wrong' }], ONLY],
  ['a list of path parts', [{ path: ['body', 'messages', 3, 'phone'], message: 'is wrong' }], ONLY],
  ['a sentence', 'messages[3].phone is wrong', { 3: ['messages[3].phone is wrong'] }],
  ['a sentence about two messages', undefined, { 1: [BOTH], 3: [BOTH] }, { message: BOTH }],
  [
    'keys and texts',
    { 'messages.1.phone': ['a', 'b'], 'messages.1.message': 'c' },
    { 0: ['reason: d', 'level: 2'], 1: ['phone: a', 'phone: b', 'c'] },
    { errors: [{ place: 'messages.0', reason: 'd', level: 2 }] },
  ],
])('A message is named by %s', (...[, details, expected, error]) => {
  expect(offendersIn(details, error)).toEqual(expected);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['general complaints about the list', { messages: ['Too many', 'Too often'] }],
  ['a message beyond the batch', { 'messages.99.phone': 'x', 'messages.-1.phone': 'x', 'messages.1234567.phone': 'x' }],
  ['another list', { 'templates.3.phone': 'x', mymessages: [null, { phone: 'x' }] }],
  ['the index alone', [{ index: 3, field: 'phone' }, null, { phone: ['is wrong'] }]],
  ['the request, which the reply has without its values', { messages: Array(5).fill({ phone: '', message: '' }) }],
])('No message is named by %s', (_what, details) => {
  expect(offendersIn(details)).toEqual({});
});

describe('Reading an error', () => {
  test.each(ODD_VALUES)('never throws for %s', (_name, value) => {
    for (const details of [value, [value, { field: value, path: ['messages', value] }], { messages: [value] }])
      expect(() => offendersIn(details)).not.toThrow();
  });

  test('stops below 8 levels, however deep it is', () => {
    let deep: unknown = { 'messages.3.phone': 'is wrong' };
    expect(offendersIn([[[deep]]])).toEqual(WRONG);
    for (let level = 0; level < 100_000; level++) deep = { a: deep };
    expect(offendersIn(deep)).toEqual({});
  });

  test('stops after 1,000 of 100,000 texts', () => {
    const field = { field: 'messages.2', message: 'x' };
    for (const entry of ['messages.2 is wrong', field, { 'messages.2': ['x', 'y'] }, ['x']])
      expect(readComplaints({ details: Array.from({ length: 100_000 }, () => entry) })).toHaveLength(1_000);
    const fields = Array.from({ length: 100_000 }, (_, index) => [`f${index}`, `messages.${index}`]);
    expect(readComplaints(Object.fromEntries(fields) as JsonObject)).toHaveLength(1_000);
  });

  test.each(['messages[', 'messages.3.', 'messages[   ', '9', "']["])('handles 10 MB of %j', (part) => {
    const text = part.repeat(10_000_000 / part.length);
    for (const details of [text, [{ field: text, message: text }], { [text]: [text] }])
      expect(() => readComplaints({ details })).not.toThrow();
  });
});
