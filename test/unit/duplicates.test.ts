import { separateDuplicates } from '../../nodes/MessagingSend/delivery/duplicates';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import { messageAt } from './samples';

/** Messages to one phone. */
const messages = (...changes: Array<Partial<Message>>) =>
  changes.map((changed, index) => messageAt(index, { phone: '447700900123', ...changed }));

const duplicatesOf = (...changes: Array<Partial<Message>>) =>
  separateDuplicates(messages(...changes)).duplicates.map(({ message, original }) => [message.item, original.item]);

test('A message with the phone number and text of an earlier one is a duplicate', () => {
  const { unique, duplicates } = separateDuplicates(messages({ text: 'A' }, { text: 'B' }, { text: 'A' }));
  expect(unique.map(({ item }) => item)).toEqual([0, 1]);
  expect(duplicates.map(({ message, original }) => [message.item, original.item])).toEqual([[2, 0]]);
});

test('A long text is compared as a whole, whatever is sent of it', () => {
  const text = 'A long text';
  expect(duplicatesOf({ text }, { text, parts: ['A'] }, { text, parts: ['A', 'long text'] })).toEqual([
    [1, 0],
    [2, 0],
  ]);
  expect(duplicatesOf({ text: 'A B', parts: ['A', 'B'] }, { text: 'C B', parts: ['C', 'B'] })).toEqual([]);
});

test('A text with the key of an earlier one is a duplicate in whatever number of parts', () => {
  const key = 'A1';
  expect(duplicatesOf({ key, text: 'AB', parts: ['A', 'B'] }, { key, text: 'A' })).toEqual([[1, 0]]);
});
