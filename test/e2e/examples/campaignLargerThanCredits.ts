import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openWorkflow, runByButton } from '../../../demo/editor';
import type { Execution } from '../../../demo/execution';
import { asObject } from '../../../demo/json';
import { DEADLINE, type ExampleWorld, itemsAt } from './world';

/** The campaign that waits for credits, run from the editor. */
export function testCampaign({ stage, received, runFrom, workflow, inEditor }: ExampleWorld): void {
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
    const [latest] = await stage().rest.executionsOf(workflow());
    return await stage().rest.waitForExecution(latest?.id ?? '', DEADLINE);
  };

  test('with enough credits it goes out at once', async () => {
    stage().sandbox.setCredits(8);
    const execution = await runFrom('Start');
    assert.equal(execution.status, 'success');
    assert.deepEqual(received(), CAMPAIGN);
    assert.equal(itemsAt(execution, 'Sent').length, 8);
  });

  test('with too few, nothing goes out until they are topped up; then all of it, once', async () => {
    const { sandbox } = stage();
    sandbox.setCredits(5);
    await inEditor('campaign', async (page) => {
      await openWorkflow(page, stage().editorOf(workflow()));
      const [form] = await Promise.all([page.waitForEvent('popup'), runByButton(page)]);
      await form.getByText('Not enough credits for the run: 8 needed, 5 available').waitFor();
      assert.deepEqual(received(), []);

      sandbox.setCredits(7);
      await form.getByRole('button', { name: 'Submit' }).click();
      await form.getByText('The credits are checked again.').waitFor();
      // The balance has been read twice by then.
      await stage().waitFor('the workflow to wait again', DEADLINE.seconds, async () => {
        const [latest] = await stage().rest.executionsOf(workflow());
        return latest?.status === 'waiting' && sandbox.requests().length === 2 ? true : undefined;
      });
      await form.reload();
      await form.getByText('Not enough credits for the run: 8 needed, 7 available').waitFor();
      assert.deepEqual(received(), []);

      sandbox.setCredits(8);
      await form.getByRole('button', { name: 'Submit' }).click();
      const execution = await ended();
      assert.equal(execution.status, 'success');
      assert.equal(itemsAt(execution, 'Sent').length, 8);
    });
    assert.deepEqual(received(), CAMPAIGN);
  });

  test('what fails for another reason waits for nothing', async () => {
    stage().sandbox.setFaults([
      {
        kind: 'status',
        status: 422,
        code: 'VALIDATION_ERROR',
        on: 'bulk',
        details: [{ field: 'messages.1.phone', message: 'No such number' }],
      },
    ]);
    const execution = await runFrom('Start');
    assert.equal(execution.status, 'success');
    const [failed, ...more] = itemsAt(execution, 'Failed for Another Reason');
    assert.deepEqual([failed?.name, asObject(failed?.details, 'details').outcome], ['Ben Made-Up', 'not_sent']);
    assert.deepEqual(more, []);
    assert.deepEqual(received(), CAMPAIGN.toSpliced(1, 1));
  });
}
