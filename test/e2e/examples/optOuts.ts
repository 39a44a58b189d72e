import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dataTable } from './dataTable';
import { type ExampleWorld, itemsAt } from './world';

/** The list without the numbers that are never written to. */
export function testOptOuts({ instance, received, succeedFrom }: ExampleWorld): void {
  const table = dataTable(instance, 'Opt-outs', ['phone']);
  const phones = () => received().map(({ phone }) => phone);

  test('The first run creates the table, and with an empty table everybody gets a message', async () => {
    await succeedFrom('Start');
    assert.deepEqual(phones(), ['447700900501', '447700900502', '447700900503']);
  });

  test('A number in the table gets no message, in whatever format it was written', async () => {
    await table.insert({ phone: '07700 900502' }, { phone: '00447700900503' }, { phone: '' });
    const execution = await succeedFrom('Start');
    assert.deepEqual(phones(), ['447700900501']);
    assert.deepEqual(
      itemsAt(execution, 'Send Messages').map(({ phone, reason }) => [phone, reason]),
      [
        ['447700900501', undefined],
        ['447700900502', 'opted_out'],
        ['447700900503', 'opted_out'],
      ],
    );
  });
}
