import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Execution } from '../../../demo/execution';
import { asString } from '../../../demo/json';
import { type ExampleWorld, itemsAt } from './world';

/** The reminder, started by hand. */
export function testReminder({ stage, received, runFrom, activate, deactivate }: ExampleWorld): void {
  /** The texts that the two people with an appointment tomorrow have to get. */
  const expected = (execution: Execution) => {
    const [first] = itemsAt(execution, 'One Item Each');
    const tomorrow = new Date(asString(first?.starts_at, 'starts_at').slice(0, 10));
    const part = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(tomorrow);
    const date = `${part({ weekday: 'long' })} ${part({ day: 'numeric' })} ${part({ month: 'long' })}`;
    const text = (name: string, time: string) =>
      `Hello ${name}, a reminder of your appointment with Dr Sample on ${date} at ${time}. Please call us if you can't come.`;
    return [
      { phone: '447700900101', message: text('Ada Example', '09:30') },
      { phone: '447700900102', message: text('Ben Made-Up', '14:00') },
    ];
  };

  test('those with an appointment tomorrow get a text of their own, the others none', async () => {
    const execution = await runFrom('Every Day at 10');
    assert.equal(execution.status, 'success');
    assert.deepEqual(received(), expected(execution));
  });

  test('if somebody gets none, the others do, and the error names who', async () => {
    stage().sandbox.setFaults([
      {
        kind: 'status',
        status: 422,
        code: 'VALIDATION_ERROR',
        on: 'bulk',
        details: [{ field: 'messages.0.phone', message: 'No such number' }],
      },
    ]);
    const execution = await runFrom('Every Day at 10');
    assert.equal(execution.status, 'error');
    assert.match(
      execution.error,
      /^1 without a reminder: Ada Example \(The service does not accept the phone number of this message\)$/,
    );
    assert.deepEqual(received(), expected(execution).slice(1));
  });

  test('its schedule can be activated', async () => {
    await activate();
    await deactivate();
  });
}
