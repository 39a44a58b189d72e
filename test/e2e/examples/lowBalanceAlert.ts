/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type ExampleWorld } from '../exampleWorld';

/** The trigger with its warning. */
export function tests({ instance, mailServer, received, workflow }: ExampleWorld): void {
  const warning = (credits: number) => [
    {
      from: 'n8n@example.com',
      to: 'you@example.com',
      subject: `Messaging credits are low: ${credits} left`,
      text: `${credits} messaging credits are left, and your threshold is 100. Please top up.`,
    },
  ];

  test('An active workflow warns by mail when no credits are left', async () => {
    instance().sandbox.setCredits(0);
    await instance().rest.activate(workflow());
    await instance().waitFor('the mail', 60, () => (mailServer().mails().length > 0 ? true : undefined));
    assert.deepEqual(mailServer().mails(), warning(0));
    assert.deepEqual(received(), []);
    await instance().rest.deactivate(workflow());
  });
}
