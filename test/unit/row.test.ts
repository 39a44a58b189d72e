import { type KeepBack, select } from '../../nodes/MessagingSend/delivery/select';
import { identityOf, markSeveral, type Row, settle } from '../../nodes/MessagingSend/messages/row';
import { failureWith, rowAt, SENT } from './samples';

test('A message gets its outcome once: a second one is a defect of this package', () => {
  const row = rowAt(0);
  settle(row, SENT);
  for (const outcome of [SENT, { kind: 'uncertain', failure: failureWith() }] as const) {
    expect(() => settle(row, outcome)).toThrow('settled twice: sent, then');
  }
  expect(row.outcome).toBe(SENT);
});

describe('Two messages to one person are the same', () => {
  const identity = (changed: Parameters<typeof rowAt>[1]) => identityOf(rowAt(0, changed));

  test('if they have one text and no key, with any space around it, in any number of parts', () => {
    const one = identity({ text: 'Hello you' });
    for (const text of ['Hello you ', '\n Hello you\t', 'Hello you\u00a0\r\n']) expect(identity({ text })).toBe(one);
    expect(identity({ text: 'Hello you', parts: ['Hello', 'you'] })).toBe(one);
    for (const text of ['Hello  you', 'hello you', '']) expect(identity({ text })).not.toBe(one);
  });

  test('never because a key is like a text', () => {
    expect(identity({ key: 'Hello' })).not.toBe(identity({ text: 'Hello' }));
  });
});

const KEEP_BACK: KeepBack = () => ({ kind: 'skipped', reason: 'opted_out' });

test('A duplicate of a message from an earlier attempt is a duplicate, even if its recipient is kept back now', () => {
  const twice = () => [0, 1].map((index) => rowAt(index, { phone: '447700900123', text: 'A' })) as [Row, Row];
  const [rows, others] = [twice(), twice()];
  markSeveral(rows);
  markSeveral(others);
  settle(rows[1], SENT);
  expect(select(rows, true, KEEP_BACK)).toEqual([rows[0]]);
  expect(rows.map(({ duplicateOf }) => duplicateOf?.item)).toEqual([1, undefined]);
  expect(select(others, true, KEEP_BACK)).toHaveLength(2);
});
