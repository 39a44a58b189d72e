import { findOffenders } from '../../nodes/MessagingSend/delivery/offenders';
import { phoneAt } from '../support/contacts';
import { messageAt, messagesUpTo, ODD_VALUES } from './samples';

/** The items of the messages that a 422 with these details is about, in the order of the complaints. */
function offendersIn(details: unknown, count = 5): number[] {
  return [...findOffenders(messagesUpTo(count), { code: 'VALIDATION_ERROR', message: 'Invalid', details }).keys()].map(
    ({ item }) => item,
  );
}

describe('Refused messages', () => {
  test.each<[string, unknown]>([
    ['dotted keys', { 'messages.1.phone': ['x'], 'messages.3.message': ['x'] }],
    ['bracketed keys', { 'messages[1].phone': 'x', 'messages[3].message': 'x' }],
    ['{ field, message }', ['messages.1.phone', 'messages[3]'].map((field) => ({ field, message: 'x' }))],
    ['{ index, field }', [1, 3].map((index) => ({ index, field: 'phone' }))],
    ['{ index }', [{ index: 1, message: 'x' }, { index: 3 }]],
    ['nested lists with nulls', { messages: [null, { phone: ['x'] }, null, { message: ['x'] }, null] }],
    ['a list with nulls alone', [null, { phone: ['x'] }, null, { message: ['x'] }]],
    ['objects keyed by index', { messages: { 1: 'x', 3: { phone: 'x' } } }],
    ['JSON pointers', [{ pointer: '/messages/1/phone' }, { pointer: '/messages/3/phone' }]],
    ['loc of pydantic', [[1, 'phone'], [3]].map((place) => ({ loc: ['body', 'messages', ...place], msg: 'x' }))],
    ['texts', ['messages[1].phone is wrong', 'messages[3].phone is wrong']],
    ['objects keyed by number', { [phoneAt(1)]: ['x'], [phoneAt(3)]: ['x'] }],
    ['texts that name the number', [`${phoneAt(1)} is wrong`, `Not a number: +${phoneAt(3)}.`]],
  ])('are found by %s', (_structure, details) => expect(offendersIn(details)).toEqual([1, 3]));

  test('are found with all complaints about them', () => {
    const messages = messagesUpTo(2);
    const details = { 'messages.1.phone': ['a', 'b'], 'messages.1.message': 'c' };
    const complaint = (field: string, text: string) => ({ path: ['messages', 1, field], text });
    const complaints = [complaint('phone', 'a'), complaint('phone', 'b'), complaint('message', 'c')];
    expect([...findOffenders(messages, { details })]).toEqual([[messages[1], complaints]]);
  });

  test('are all messages to the phone number that is named', () => {
    const messages = [messageAt(0), messageAt(1), messageAt(2, { phone: phoneAt(0) })];
    expect(
      [...findOffenders(messages, { details: [`${phoneAt(0)} is wrong`] }).keys()].map(({ item }) => item),
    ).toEqual([0, 2]);
  });
});

describe('No message is refused', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a general text', 'Something is wrong'],
    ['a field without an index', { phone: ['is wrong'] }],
    ['an index beyond the batch', { 'messages.99.phone': 'x' }],
    ['a negative index', [{ index: -1, field: 'phone' }]],
    ['a broken index', [{ index: 1.5, field: 'phone' }]],
    ['another number', [`${phoneAt(77)} is wrong`]],
    ['a part of a number', [`Numbers with ${phoneAt(1).slice(2)} are not served`]],
    ['a number inside a longer one', [`Request 99${phoneAt(1)}99 failed`]],
    ['general complaints in a list', [{ message: 'Too many' }, { message: 'Too often' }]],
  ])('by details of %s', (_structure, details) => expect(offendersIn(details)).toEqual([]));

  test.each(ODD_VALUES)('by details that are %s', (_name, value) => {
    expect(offendersIn(value)).toEqual([]);
    expect(() => offendersIn([{ index: value, loc: value, field: value }])).not.toThrow();
  });

  test('by mistake in 100,000 entries', () => {
    expect(offendersIn(Array.from({ length: 100_000 }, () => ({ field: 'messages.2.phone', message: 'x' })))).toEqual([
      2,
    ]);
    expect(offendersIn(`${phoneAt(2)} `.repeat(500_000))).toEqual([2]);
  });
});
