/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type JsonObject } from '../../../tools/n8n/workflow';
import { type ExampleWorld, itemsAt } from '../exampleWorld';
import { answer, Asking } from '../questions';

/** The form, completed in a browser, and the manager's page. */
export function tests({ instance, received, workflow, onForm, whileActive }: ExampleWorld): void {
  whileActive();
  const MANAGER = '447700900123';
  const APPROVED = 'Approved';
  const DECLINED = 'Declined or No Answer';
  const askForRefund = async (): Promise<void> => {
    await onForm('ask-for-a-refund', async (page) => {
      await page.getByLabel('Order').fill('A-1001');
      await page.getByLabel('Amount').fill('£50');
      await page.getByLabel('Reason').fill('It arrived broken.');
      await page.getByRole('button', { name: 'Ask' }).click();
      await page.getByText('Your request was received. The manager will be asked.').waitFor();
    });
  };
  for (const [decision, node, other] of [
    ['approve', APPROVED, DECLINED],
    ['decline', DECLINED, APPROVED],
  ] as const) {
    test(`The manager gets the request as a text message, and "${decision}" leads to ${node}`, async () => {
      await askForRefund();
      const { execution: id, text, link } = await new Asking(instance).asked(workflow(), MANAGER);
      assert.equal(text, 'Refund £50 for order A-1001?\n\nIt arrived broken.');
      await answer(link, { decision, written: 'See order' });
      const execution = await instance().rest.waitForExecution(id);
      assert.equal(execution.status, 'success', execution.error);
      assert.deepEqual(itemsAt(execution, other), []);
      const [item, ...more] = itemsAt(execution, node);
      assert.deepEqual(more, []);
      const { respondedAt, ...data } = item?.data as JsonObject;
      assert.deepEqual(data, { approved: decision === 'approve', comment: 'See order' });
      assert.match(String(respondedAt), /^\d{4}-/);
      assert.equal(received().length, 1);
    });
  }
}
