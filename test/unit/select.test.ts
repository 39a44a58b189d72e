import { type KeepBack, select } from '../../nodes/MessagingSend/delivery/select';
import { markSeveral, type Row, settle } from '../../nodes/MessagingSend/messages/row';
import { rowAt, SENT } from './samples';

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
