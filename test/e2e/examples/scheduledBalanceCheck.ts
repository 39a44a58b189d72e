import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type ExampleWorld } from './world';

/** The daily balance check, started by hand. */
export function testBalanceCheck({ instance, received, runFrom, activate, deactivate }: ExampleWorld): void {
  const ALERT = [{ phone: '447700900100', message: 'Only 99 messaging credits are left. Please top up.' }];

  test('A low balance is reported, a good one is not', async () => {
    instance().sandbox.setCredits(100);
    assert.equal((await runFrom('Every Morning')).status, 'success');
    assert.deepEqual(received(), []);
    instance().sandbox.setCredits(99);
    assert.equal((await runFrom('Every Morning')).status, 'success');
    assert.deepEqual(received(), ALERT);
  });

  test('An alert that could not be sent is sent again', async () => {
    instance().sandbox.setCredits(99);
    instance().sandbox.setFaults([{ kind: 'status', status: 400, code: 'BUSY', on: 'send' }]);
    assert.equal((await runFrom('Every Morning')).status, 'success');
    assert.deepEqual(received(), ALERT);
  });

  test('A balance that cannot be read is an error', async () => {
    instance().sandbox.setFaults([{ kind: 'status', status: 500, code: 'SERVER_ERROR', on: 'balance', times: 10 }]);
    const execution = await runFrom('Every Morning');
    assert.equal(execution.status, 'error');
    assert.notEqual(execution.error, '');
    assert.deepEqual(received(), []);
  });

  test('The schedule of the balance check can be activated', async () => {
    await activate();
    await deactivate();
  });
}
