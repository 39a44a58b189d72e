import { phonesOfSeveral, select } from '../../nodes/MessagingSend/delivery/selection';
import type { Message } from '../../nodes/MessagingSend/messages/message';
import type { Outcome } from '../../nodes/MessagingSend/messages/outcome';
import { messageAt } from './samples';

const SENT: Outcome = { kind: 'sent', messageId: 7, status: 'sent' };
const RULES = { isOnce: true, keepBack: null };

/** Messages to one phone. */
const messages = (...changes: Array<Partial<Message>>) =>
  changes.map((changed, index) => messageAt(index, { phone: '447700900123', ...changed }));

const duplicatesOf = (...changes: Array<Partial<Message>>) =>
  select(messages(...changes), [], phonesOfSeveral(messages(...changes)), RULES).duplicates.map(
    ({ message, original }) => [message.item, original.item],
  );

test('A long text is compared as a whole, even if only a part of it is sent', () => {
  const text = 'A long text';
  expect(duplicatesOf({ text }, { text, parts: ['A'] }, { text, parts: ['A', 'long text'] })).toEqual([
    [1, 0],
    [2, 0],
  ]);
  expect(duplicatesOf({ text: 'A B', parts: ['A', 'B'] }, { text: 'C B', parts: ['C', 'B'] })).toEqual([]);
});

test('A text with the key of an earlier one is a duplicate in any number of parts', () => {
  const key = 'A1';
  expect(duplicatesOf({ key, text: 'AB', parts: ['A', 'B'] }, { key, text: 'A' })).toEqual([[1, 0]]);
});

test('A duplicate of a message from an earlier attempt is a duplicate, even if its recipient is kept back now', () => {
  const [first, second] = messages({ text: 'A' }, { text: 'A' }) as [Message, Message];
  const keepBack = () => ({ kind: 'skipped', reason: 'opted_out' }) as const;
  const known = [{ batch: 1, results: [{ message: first, outcome: SENT }], data: null }];
  expect(select([second], known, phonesOfSeveral([first, second]), { isOnce: true, keepBack }).duplicates).toEqual([
    { message: second, original: first },
  ]);
  expect(
    select([first, second], [], phonesOfSeveral([first, second]), { isOnce: true, keepBack }).keptBack,
  ).toHaveLength(2);
});
