import { type KeepBack, select, settleDuplicates } from '../../nodes/MessagingSend/delivery/select';
import { markSeveral, type Outcome, type Row, settle } from '../../nodes/MessagingSend/messages/row';
import { failureWith, rowAt, SENT } from './samples';

const KEEP_BACK: KeepBack = () => ({ kind: 'skipped', reason: 'opted_out' });

/** Messages to one person. */
function rowsWith(...changes: Array<Partial<Row>>): Row[] {
  const rows = changes.map((changed, index) => rowAt(index, { phone: '447700900123', ...changed }));
  markSeveral(rows);
  return rows;
}

/** Each duplicate with its original, by item. */
function duplicatesIn(rows: readonly Row[]): Array<[number, number]> {
  return rows.flatMap(({ item, duplicateOf }): Array<[number, number]> => {
    return duplicateOf === null ? [] : [[item, duplicateOf.item]];
  });
}

test('A duplicate of a message from an earlier attempt is a duplicate, even if its recipient is kept back now', () => {
  const rows = rowsWith({ text: 'A' }, { text: 'A' });
  for (const row of rows.slice(1)) settle(row, SENT);
  expect([select(rows, true, KEEP_BACK), duplicatesIn(rows)]).toEqual([[rows[0]], [[0, 1]]]);
  expect(select(rowsWith({ text: 'A' }, { text: 'A' }), true, KEEP_BACK)).toHaveLength(2);
});

test.each<[string, Outcome, Outcome]>([
  ['was sent', SENT, { kind: 'skipped', reason: 'duplicate' }],
  ['would be sent', { kind: 'planned' }, { kind: 'skipped', reason: 'duplicate' }],
  ['was sent before', { kind: 'skipped', reason: 'sent_before' }, { kind: 'skipped', reason: 'duplicate' }],
  ...(
    [
      { kind: 'not_sent', failure: failureWith() },
      { kind: 'uncertain', failure: failureWith() },
      { kind: 'skipped', reason: 'may_have_been_sent' },
      { kind: 'skipped', reason: 'outside_window', sendAt: 1_000_000 },
    ] as const
  ).map((outcome): [string, Outcome, Outcome] => [`is ${outcome.kind}`, outcome, outcome]),
])('A duplicate of a message that %s ends as it should: %j, %j', (_what, outcome, expected) => {
  const [original, duplicate] = rowsWith({ text: 'A' }, { text: 'A' }) as [Row, Row];
  select([original, duplicate], true, null);
  settleDuplicates([original, duplicate]);
  expect(duplicate.outcome).toBeNull();
  settle(original, outcome);
  settleDuplicates([original, duplicate]);
  expect(duplicate.outcome).toEqual(expected);
});
