import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type ExampleWorld } from './world';

/** The daily balance check, started by hand. */
export function testBalanceCheck({ instance, mailServer, received, succeedFrom }: ExampleWorld): void {
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
    await succeedFrom('Every Morning');
    assert.deepEqual(mailServer().mails(), []);
    instance().sandbox.setCredits(99);
    await succeedFrom('Every Morning');
    assert.deepEqual(mailServer().mails(), WARNING);
    assert.deepEqual(received(), []);
  });
}
