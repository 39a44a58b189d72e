/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Execution } from '../../../tools/n8n/execution';
import { type ExampleWorld, itemsAt } from '../exampleWorld';

/** The reminder, started by hand. */
export function tests({ instance, received, sending, runFrom }: ExampleWorld): void {
  /** The texts for the two people with an appointment tomorrow. */
  const expected = (execution: Execution) => {
    const [first] = itemsAt(execution, 'Split Out Appointments');
    const tomorrow = new Date(String(first?.starts_at).slice(0, 10));
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

  test('When one person cannot get a text, the others do, and the execution stops and names that person', async () => {
    instance().sandbox.setFaults([{ kind: 'status', status: 422, on: 'bulk', fields: ['messages.0.phone'] }]);
    const execution = await runFrom('Every Day at 10', sending());
    assert.equal(execution.status, 'error');
    assert.match(
      execution.error,
      /^Reminders not sent or uncertain: 1\. Ada Example \(The service rejected this message\)$/,
    );
    assert.deepEqual(received(), expected(execution).slice(1));
  });
}
