import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type ExampleWorld } from './world';

/** The daily balance check, started by hand. */
export function testBalanceCheck(world: ExampleWorld): void {
  const { instance, mailServer, received, runFrom, activate, deactivate } = world;
  const WARNING = [
    {
      from: 'n8n@example.com',
      to: 'you@example.com',
      subject: 'Messaging credits are low: 99 left',
      text: '99 messaging credits are left, fewer than your threshold of 100. Please top up.',
    },
  ];

  test('A low balance is reported by mail, and a good one is not', async () => {
    instance().sandbox.setCredits(100);
    assert.equal((await runFrom('Every Morning')).status, 'success');
    assert.deepEqual(mailServer().mails(), []);
    instance().sandbox.setCredits(99);
    assert.equal((await runFrom('Every Morning')).status, 'success');
    assert.deepEqual(mailServer().mails(), WARNING);
    assert.deepEqual(received(), []);
  });

  test('A balance that cannot be read ends the execution with an error, and sends no mail', async () => {
    instance().sandbox.setFaults([{ kind: 'status', status: 500, code: 'SERVER_ERROR', on: 'balance', times: 10 }]);
    const execution = await runFrom('Every Morning');
    assert.equal(execution.status, 'error');
    assert.notEqual(execution.error, '');
    assert.deepEqual(mailServer().mails(), []);
  });

  test('The schedule of the balance check can be activated', async () => {
    await activate();
    await deactivate();
  });
}
