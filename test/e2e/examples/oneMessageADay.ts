/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { type WorkflowNode } from '../../../tools/n8n/workflow';
import { type ExampleWorld, itemsAt, sendingWith } from '../exampleWorld';

/** Several messages to the same people, on one day and on the next. */
export function tests({ instance, received, own: importOwn, succeedFrom, table }: ExampleWorld): void {
  beforeEach(() => table.clear());
  /** Where a day begins before it does anywhere else. */
  const timezone = 'Pacific/Kiritimati';
  const today = () => new Date().toLocaleDateString('en-CA', { timeZone: timezone });
  const ADA = { phone: '447700900801', message: 'Hello Ada Example, your parcel arrives today.' };
  const BEN = { phone: '447700900802', message: 'Hello Ben Made-Up, your parcel arrives today.' };
  const INVOICE = { ...ADA, message: 'Hello Ada Example, your invoice is ready.' };
  const held = async () => (await table.rows()).map(({ day, phone, text }) => ({ day, phone, message: text }));

  test('As it is imported, it shows what would be held back, and sends and keeps nothing', async () => {
    const shown = itemsAt(await succeedFrom('Start'), 'Send Messages');
    assert.equal(shown.map(({ reason }) => reason).join(), 'would_be_sent,would_be_sent,duplicate');
    assert.deepEqual([received(), await held()], [[], []]);
  });

  test('A second message to a number in any format is held back until the day has ended where the workflow is', async () => {
    const own = await importOwn(sendingWith(), { settings: { executionOrder: 'v1', timezone } });
    const execution = await succeedFrom('Start', own);
    assert.deepEqual(received(), [ADA, BEN]);
    assert.deepEqual(await held(), [{ day: today(), ...INVOICE }]);
    const [dan, ...more] = itemsAt(execution, 'Not Sent');
    assert.deepEqual([dan?.name, more], ['Dan Fiction', []]);

    await succeedFrom('Start', own);
    assert.deepEqual(received(), [ADA, BEN]);
    assert.equal((await held()).length, 3);

    const tomorrow = JSON.stringify(own.nodes).replaceAll('$today', '$today.plus({ days: 1 })');
    await succeedFrom('Start', await instance().rest.saveNodes(own, JSON.parse(tomorrow) as WorkflowNode[]));
    assert.equal(received().length, 4);
  });
}
