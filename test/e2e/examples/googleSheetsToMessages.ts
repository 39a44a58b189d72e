/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type JsonObject, type StoredWorkflow, type WorkflowNode } from '../../../tools/n8n/workflow';
import { assertNow, type ExampleWorld, itemsAt, sendingWith } from '../exampleWorld';

/** The list in Google Sheets, with pinned rows in place of a Google account. */
export function tests({ received, own, succeedFrom }: ExampleWorld): void {
  const OUTCOMES = 'Write Outcomes';
  const rowOf = (row: number, name: string, phone: unknown, updatedAt = '') => ({
    ...{ row_number: row, name, phone, appointment: '3 May at 9:30' },
    ...{ status: 'to send', reason: '', message_id: '', updated_at: updatedAt },
  });
  const messageTo = (name: string, phone: string) => ({
    phone,
    message: `Hello ${name}, a reminder of your appointment on 3 May at 9:30. Please call us if you can't come.`,
  });

  /** A copy with these rows that puts out what it would write, with 'Dry Run' as it is imported or switched off. */
  const withRows = async (rows: JsonObject[], change = sendingWith()) =>
    await own((node) => (node.name === OUTCOMES ? asEditFields(node) : change(node)), {
      pinData: { 'All Rows': rows.map((json) => ({ json })) },
    });
  /** Runs a copy; returns what it would write into the sheet. */
  const run = async (copy: StoredWorkflow): Promise<JsonObject[]> =>
    itemsAt(await succeedFrom('Start', copy), OUTCOMES);

  test('Each row gets its outcome: the ID of its message, or the reason', async () => {
    const rows = [
      rowOf(2, 'Ada Example', '+44 7700 900311'),
      rowOf(3, 'Ben Made-Up', 447700900312),
      rowOf(4, 'Dan Fiction', '07700 900314'),
    ];
    const written = await run(await withRows(rows));
    written.sort((one, other) => Number(one.row_number) - Number(other.row_number));
    assert.deepEqual(received(), [messageTo('Ada Example', '447700900311'), messageTo('Ben Made-Up', '447700900312')]);
    for (const { updated_at: time } of written) assertNow(time);
    assert.deepEqual(
      written.map(({ row_number: row, status }) => [row, status]),
      [
        ['2', 'sent'],
        ['3', 'sent'],
        ['4', 'not sent'],
      ],
    );
    assert.match(String(written[0]?.message_id), /^\d+$/);
    assert.match(String(written[2]?.reason), /country code is missing/);
  });

  test('Rows that are held back, left out or unreadable are shown before anything is sent', async () => {
    const rows = [
      rowOf(2, 'Ada E.', '00447700900311'),
      rowOf(3, 'Ada Example', '+44 7700 900311'),
      { ...rowOf(4, 'Ada Example', '+44 7700 900311'), appointment: '4 May at 9:30' },
      { ...rowOf(5, 'Ben Made-Up', '+44 7700 900311', '2026-05-01T09:30:00.000Z'), status: 'Send anyway' },
      rowOf(6, 'Cleo Sample', '4.47701E+11'),
      rowOf(7, 'Dan Fiction', '4.47701E+11'),
      rowOf(8, 'Eve Invented', '+44 7700 900312'),
      { ...rowOf(9, 'Eve Invented', 447700900312), appointment: '', status: 'opted out' },
      { ...rowOf(10, 'Finn Pretend', '+44 7700 900313'), status: 'draft' },
    ];
    const execution = await succeedFrom('Start', await withRows(rows, (node) => node));
    assert.deepEqual(received(), []);
    const written = itemsAt(execution, OUTCOMES);
    assert.deepEqual(
      written.map(({ row_number: row, status, reason }) => [row, status, String(reason).split('. ', 1)[0]]).sort(),
      [
        ['3', 'not sent', 'Row 2 (Ada E.) has the same number and appointment'],
        ...['6', '7'].map((row) => [
          ...[row, 'not sent'],
          'The phone number is in scientific notation (such as 4.47E+11), so the spreadsheet has lost digits',
        ]),
        ['8', 'not sent', "A row with this number has the status 'opted out'"],
      ],
    );
    const counts = { left_out: 2, 'opted out': 1, draft: 1 };
    assert.deepEqual(itemsAt(execution, 'Count by Status'), [counts]);
    const sending = await withRows(rows);
    await run(sending);
    await run(sending);
    assert.equal(received().length, 3);
  });
}

/** The node that writes into the sheet, as one that puts out what it would write. */
function asEditFields(node: WorkflowNode): WorkflowNode {
  const { value: values } = node.parameters.columns as { value: JsonObject };
  const assignments = Object.entries(values).map(([name, value]) => ({ id: name, name, value, type: 'string' }));
  return {
    ...node,
    type: 'n8n-nodes-base.set',
    typeVersion: 3.4,
    credentials: {},
    parameters: { assignments: { assignments }, options: { ignoreConversionErrors: true } },
  };
}
