/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Page, type Request } from 'playwright-core';

import { openWorkflow, runByButton } from '../../../tools/n8n/editor';
import { type ExampleWorld, itemsAt, PEOPLE, saleMessage } from '../exampleWorld';

/** The campaign that waits for credits, run from the editor. */
export function tests({ instance, received, sending, inEditor }: ExampleWorld): void {
  const CAMPAIGN = PEOPLE.map((name, index) => saleMessage(name, `44770090020${index + 1}`));

  test('With too few credits nothing is sent until they are topped up, and then all of it once', async () => {
    const { sandbox } = instance();
    sandbox.setCredits(5);
    await inEditor('campaign', async (page) => {
      await openWorkflow(page, instance().editorUrl(sending()));
      const isForm = (request: Request) => request.url().includes('/form-waiting/');
      const [asked] = await Promise.all([page.context().waitForEvent('request', isForm), runByButton(page)]);
      /** n8n never answers a form that is asked for before the execution is stored, as the editor's own window may do. */
      const openForm = async (balanceReads: number): Promise<Page> => {
        await instance().waitFor('the workflow to wait', 60, async () => {
          const [latest] = await instance().rest.executionsOf(sending());
          return latest?.status === 'waiting' && sandbox.requests().length === balanceReads ? true : undefined;
        });
        const form = await page.context().newPage();
        await form.goto(asked.url());
        return form;
      };
      for (const [index, more] of [7, 8].entries()) {
        const form = await openForm(index + 1);
        await form.getByText(`Not enough credits (8 needed, ${5 + 2 * index} left)`).waitFor();
        assert.deepEqual(received(), []);
        sandbox.setCredits(more);
        await form.getByRole('button', { name: 'Submit' }).click();
        if (more < 8) await form.getByText('The credits are checked again.').waitFor();
      }
      const [latest] = await instance().rest.executionsOf(sending());
      const execution = await instance().rest.waitForExecution(latest?.id ?? '');
      assert.equal(execution.status, 'success');
      assert.equal(itemsAt(execution, 'Sent').length, 8);
    });
    assert.deepEqual(received(), CAMPAIGN);
  });
}
