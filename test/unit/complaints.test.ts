/** Which messages the error of a rejection names, and what it says about each. */
import { readComplaints } from '../../nodes/MessagingSend/api/complaints';
import type { JsonObject } from '../../nodes/MessagingSend/api/objects';
import { offendersIn as rowsIn } from '../../nodes/MessagingSend/delivery/search';
import { ODD_VALUES, rejectWith, rowsUpTo } from './samples';

/** What an error with these details says about each of five messages, by the index of the message. */
function offendersIn(details: unknown, error: JsonObject = {}): Record<number, string[]> {
  const whole = { code: 'VALIDATION_ERROR', message: 'Invalid', details, ...error };
  const offenders = rowsIn({ batch: rowsUpTo(5), reply: rejectWith({}, whole) });
  const textsAbout = (item: number) => readComplaints(whole).flatMap(({ index, text }) => (index === item ? text : []));
  return Object.fromEntries(
    Array.from(offenders.keys(), ({ item }) => [item, [...new Set(textsAbout(item))].filter((said) => said !== '')]),
  );
}

const WRONG = { 3: ['phone: is wrong'] };
const ONLY = { 3: ['is wrong'] };
const POINTER = '#/messages/3/phone';
const BOTH = 'messages.1.phone and messages.3.message';
const EMPTY = { phone: '', message: '' };

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
  ['the request, which the reply has without its values', { messages: Array(5).fill(EMPTY) }],
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

  const PARTS = ['messages[', 'messages.3.', 'messages[   ', '9', "']["];
  test.each(PARTS)('handles 10 MB of %j', (part) => {
    const text = part.repeat(10_000_000 / part.length);
    for (const details of [text, [{ field: text, message: text }], { [text]: [text] }])
      expect(() => readComplaints({ details })).not.toThrow();
  });
});
