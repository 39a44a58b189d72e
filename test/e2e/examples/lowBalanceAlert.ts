import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ExampleWorld } from './world';

/** The trigger with its alert. */
export function testLowBalance({ stage, received, runFrom, activate, deactivate }: ExampleWorld): void {
  const alert = (credits: number) => [
    { phone: '447700900100', message: `Messaging credits left: ${credits} (alert below 100). Please top up.` },
  ];

  test('a test tells the present balance', async () => {
    assert.equal((await runFrom('Credits Are Low')).status, 'success');
    assert.deepEqual(received(), alert(1_000_000));
  });

  test('an active one tells a low balance', async () => {
    stage().sandbox.setCredits(99);
    await activate();
    await stage().waitFor('the alert', 60, async () => (received().length > 0 ? true : undefined));
    assert.deepEqual(received(), alert(99));
    await deactivate();
  });
}
