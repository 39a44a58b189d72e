import type { JsonObject } from '../../nodes/MessagingSend/api/objects';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { DeliveryRecord } from '../../nodes/MessagingSend/journal/deliveryRecord';
import { Journal } from '../../nodes/MessagingSend/journal/journal';
import { markSeveral, type Outcome, type Row } from '../../nodes/MessagingSend/messages/row';
import { phoneAt } from '../support/contacts';
import { intentOf, noPause, rowAt, SENT } from './samples';

const row = (item: number, text: string): Row => rowAt(item, { phone: '447700900123', text });

/** Messages to one phone, as the rows of a list. */
const list = (...texts: string[]): Row[] => texts.map((text, index) => row(index, text));

/** How a re-run with this record knows these messages; null for those that it sends. */
async function recall(record: DeliveryRecord, rows: readonly Row[]): Promise<Array<Outcome['kind'] | null>> {
  markSeveral(rows);
  await new Journal(record).recall(intentOf(rows), noPause);
  return rows.map(({ outcome }) => outcome?.kind ?? null);
}

/** A record as it is read in a re-run. */
const reread = (context: JsonObject) => new DeliveryRecord(JSON.parse(JSON.stringify(context)) as JsonObject, 0);

const UNCERTAIN: Outcome = { kind: 'uncertain', failure: failure('outcomeUnknown') };

/** The record of a run that got these messages, the first few of which ended like this. */
function recordOf(rows: readonly Row[], count = rows.length, outcome = SENT): DeliveryRecord {
  const context: JsonObject = {};
  markSeveral(rows);
  new DeliveryRecord(context, 0).note(rows.slice(0, count), outcome);
  return reread(context);
}

test('A text that is changed and changed back is not sent again', async () => {
  const record = recordOf(list('A', 'B'), 1);
  // Nobody knows whether B is a changed text, or the one that was sent.
  expect(await recall(record, list('New', 'B'))).toEqual(['uncertain', 'uncertain']);
  record.note([row(1, 'B')], SENT);
  expect(await recall(record, list('A', 'Newer'))).not.toContain(null);
  expect(await recall(record, list('A', 'B'))).not.toContain(null);
});

test('A message that was sent is recognized by its phone and text at any place', async () => {
  expect(await recall(recordOf([rowAt(3)]), [rowAt(3, { item: 0, entry: 3 })])).toEqual(['sent']);
});

describe('Of several messages to one phone,', () => {
  test('the others are uncertain if one that was sent is removed', async () => {
    // A and B were sent; now B is in A's place, and C in B's.
    expect(await recall(recordOf(list('A', 'B', 'C'), 2), list('B', 'C'))).toEqual(['sent', 'uncertain']);
    expect(await recall(recordOf(list('A', 'B'), 1), list('B'))).toEqual(['uncertain']);
  });

  test('the one that was sent is uncertain if its number can no longer be read', async () => {
    const broken = { ...row(0, 'A'), person: '', defect: failure('phoneEmpty') };
    expect(await recall(recordOf(list('A', 'B'), 1), [broken, row(1, 'B')])).toEqual(['uncertain', 'uncertain']);
  });

  test('one whose number was never readable is not uncertain if all that was sent is still there', async () => {
    const broken = { ...row(1, 'B'), person: '', defect: failure('phoneEmpty') };
    expect(await recall(recordOf(list('A')), [row(0, 'A'), broken])).toEqual(['sent', null]);
  });
});

test('A message that was noted with two texts has its last outcome, and an identical one does not get it', async () => {
  const context: JsonObject = {};
  const record = new DeliveryRecord(context, 0);
  record.note(list('At 10:00'), UNCERTAIN);
  record.note(list('At 10:01'), SENT);
  const rows = [row(0, 'At 10:02'), rowAt(1, { phone: phoneAt(1), text: 'At 10:02' })];
  expect(await recall(reread(context), rows)).toEqual(['sent', null]);
  expect(rows[0]?.outcome).toEqual(SENT);
  // Its phone got two messages, and nobody knows which of them it is.
  expect(await recall(reread(context), list('At 10:02', 'At 10:02'))).toEqual(['uncertain', 'uncertain']);
});

test('A run that ends before it has read its messages forgets none of what was sent before', async () => {
  const context: JsonObject = {};
  new DeliveryRecord(context, 0).note([rowAt(0)], SENT);
  await new Journal(new DeliveryRecord(context, 0)).finish([], () => failure('stopped'));
  expect(await recall(reread(context), [rowAt(0)])).toEqual(['sent']);
});

test('A message stays uncertain for its own reason, which concerns no other request, however often n8n reads the record', async () => {
  const context: JsonObject = {};
  const why = { ...failure('creditsTooLow', { figures: '' }), scope: 'run' } as const;
  new DeliveryRecord(context, 0).note([rowAt(0)], { kind: 'uncertain', failure: why });
  expect(JSON.stringify(context)).toBe(JSON.stringify(context));
  const rows = [rowAt(0)];
  await recall(reread(context), rows);
  const told = { message: why.message, scope: 'request', outcome: 'uncertain' };
  expect(rows[0]?.outcome).toMatchObject({ kind: 'uncertain', failure: told });
});
