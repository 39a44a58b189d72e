import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Page, type Request } from 'playwright-core';

import { openWorkflow, runByButton } from '../../../tools/n8n/editor';
import { type Execution } from '../../../tools/n8n/execution';
import { type ExampleWorld, itemsAt } from './world';

/** The campaign that waits for credits, run from the editor. */
export function testCampaign({ instance, received, sending, inEditor }: ExampleWorld): void {
  const PEOPLE = [
    'Ada Example',
    'Ben Made-Up',
    'Cleo Sample',
    'Dan Fiction',
    'Eve Invented',
    'Finn Pretend',
    'Gail Imagined',
    'Hugo Dreamt',
  ];
  const CAMPAIGN = PEOPLE.map((name, index) => ({
    phone: `44770090020${index + 1}`,
    message: `Hello ${name}, our summer sale begins on Saturday at 9.`,
  }));
  const ended = async (): Promise<Execution> => {
    const [latest] = await instance().rest.executionsOf(sending());
    return await instance().rest.waitForExecution(latest?.id ?? '');
  };

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
      const form = await openForm(1);
      await form.getByText('Not enough credits (8 needed, 5 left)').waitFor();
      assert.deepEqual(received(), []);

      sandbox.setCredits(7);
      await form.getByRole('button', { name: 'Submit' }).click();
      await form.getByText('The credits are checked again.').waitFor();
      const nextForm = await openForm(2);
      await nextForm.getByText('Not enough credits (8 needed, 7 left)').waitFor();
      assert.deepEqual(received(), []);

      sandbox.setCredits(8);
      await nextForm.getByRole('button', { name: 'Submit' }).click();
      const execution = await ended();
      assert.equal(execution.status, 'success');
      assert.equal(itemsAt(execution, 'Sent').length, 8);
    });
    assert.deepEqual(received(), CAMPAIGN);
  });
}
