import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ExampleWorld } from './world';

/** The daily look at the balance, started by hand. */
export function testBalanceCheck({ stage, received, runFrom, activate, deactivate }: ExampleWorld): void {
  const ALERT = [{ phone: '447700900100', message: 'Only 99 messaging credits are left. Please top up.' }];

  test('a low balance is told, a good one is not', async () => {
    stage().sandbox.setCredits(100);
    assert.equal((await runFrom('Every Morning')).status, 'success');
    assert.deepEqual(received(), []);
    stage().sandbox.setCredits(99);
    assert.equal((await runFrom('Every Morning')).status, 'success');
    assert.deepEqual(received(), ALERT);
  });

  test('an alert that could not be sent is tried again', async () => {
    stage().sandbox.setCredits(99);
    stage().sandbox.setFaults([{ kind: 'status', status: 400, code: 'BUSY', on: 'send' }]);
    assert.equal((await runFrom('Every Morning')).status, 'success');
    assert.deepEqual(received(), ALERT);
  });

  test('a balance that cannot be read is an error', async () => {
    stage().sandbox.setFaults([{ kind: 'status', status: 500, code: 'SERVER_ERROR', on: 'balance', times: 10 }]);
    const execution = await runFrom('Every Morning');
    assert.equal(execution.status, 'error');
    assert.notEqual(execution.error, '');
    assert.deepEqual(received(), []);
  });

  test('its schedule can be activated', async () => {
    await activate();
    await deactivate();
  });
}
