import { separateDuplicates } from '../../nodes/MessagingSend/delivery/duplicates';
import type { Message } from '../../nodes/MessagingSend/messages/message';

function parts(item: number, ...texts: string[]): Message[] {
  return texts.map((text, part) => ({
    item,
    entry: null,
    part: texts.length === 1 ? null : part,
    phone: '447700900123',
    text,
  }));
}

test('A message with the phone number and text of an earlier one is a duplicate', () => {
  const messages = [...parts(0, 'A'), ...parts(1, 'B'), ...parts(2, 'A')];
  const { unique, duplicates } = separateDuplicates(messages);
  expect(unique.map(({ item }) => item)).toEqual([0, 1]);
  expect(duplicates.map(({ message, original }) => [message.item, original.item])).toEqual([[2, 0]]);
});

test('A split text is compared as a whole, so that parts in common are no duplicates', () => {
  const messages = [...parts(0, 'A', 'A'), ...parts(1, 'B', 'A')];
  expect(separateDuplicates(messages)).toEqual({ unique: messages, duplicates: [] });
});

test('A split text that is repeated is a duplicate with all its parts', () => {
  const { unique, duplicates } = separateDuplicates([...parts(0, 'A', 'B'), ...parts(1, 'A', 'B')]);
  expect(unique).toHaveLength(2);
  expect(duplicates.map(({ message, original }) => [message.item, message.part, original.part])).toEqual([
    [1, 0, 0],
    [1, 1, 1],
  ]);
});

test('A text with the key of an earlier one is a duplicate in whatever number of parts', () => {
  const keyed = (messages: Message[]) => messages.map((message) => ({ ...message, key: 'A1' }));
  const messages = [...keyed(parts(0, 'A', 'B')), ...keyed(parts(1, 'A')), ...keyed(parts(2, 'A', 'B', 'C'))];
  const { unique, duplicates } = separateDuplicates(messages);
  expect(unique.map(({ item }) => item)).toEqual([0, 0]);
  expect(duplicates.map(({ message, original }) => [message.item, original.item, original.part])).toEqual([
    [1, 0, 0],
    [2, 0, 0],
    [2, 0, 1],
    [2, 0, 0],
  ]);
});
