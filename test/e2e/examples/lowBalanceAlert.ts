import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type ExampleWorld } from './world';

/** The trigger with its alert. */
export function testLowBalance({ instance, received, runFrom, activate, deactivate }: ExampleWorld): void {
  const alert = (credits: number) => [
    { phone: '447700900100', message: `Messaging credits left: ${credits} (alert below 100). Please top up.` },
  ];

  test('A test run reports the current balance', async () => {
    assert.equal((await runFrom('Credits Are Low')).status, 'success');
    assert.deepEqual(received(), alert(1_000_000));
  });

  test('An active workflow sends an alert about a low balance', async () => {
    instance().sandbox.setCredits(99);
    await activate();
    await instance().waitFor('the alert', 60, () => (received().length > 0 ? true : undefined));
    assert.deepEqual(received(), alert(99));
    await deactivate();
  });
}
