/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Page } from 'playwright-core';

import { openWorkflow } from '../../../tools/n8n/editor';
import { type ExampleWorld } from '../exampleWorld';
import { answer, Asking } from '../questions';

/** The agent, in the editor's chat, with a stand-in for its model, and the person who approves its messages. */
export function tests({ instance, received, workflow, inEditor, model }: ExampleWorld): void {
  const SEND_TOOL = 'Send_a_message';
  const REVIEWER = '447700900123';
  const call = (phone: string) => ({
    tool: SEND_TOOL,
    input: { toolParameters: { Phone: phone, Message: 'Ready.' }, hitlParameters: {} },
  });
  const question = async () => await new Asking(instance).asked(workflow(), REVIEWER);

  test('Only what the reviewer approves is sent, and the agent gets the balance, the comment of a decline and the reason of a failure', async () => {
    const { sandbox } = instance();
    await inEditor('agent', async (page) => {
      await openWorkflow(page, instance().editorUrl(workflow()));
      const balance = { tool: 'Get_the_balance', input: {} };
      model().script({ calls: [balance] }, { calls: [call('+44 7700 900456')] }, { text: 'I have sent it.' });
      await writeInChat(page, 'Tell +44 7700 900456 that the order is ready');
      const asked = await question();
      assert.equal(asked.text, 'Send this to +44 7700 900456?\n\nReady.');
      assert.equal(received().length, 1);
      await answer(asked.link, { decision: 'approve' });
      await page.getByText('I have sent it.').first().waitFor();
      const tools = model().offered();
      assert.deepEqual(tools.map(({ name }) => name).sort(), ['Get_the_balance', SEND_TOOL]);
      assert.match(model().heard(), /the order is ready/);
      assert.match(model().heard(), /A person approves each message/);
      assert.match(model().results()[0] ?? '', /"credits":1000000/);
      assert.deepEqual(received()[1], { phone: '447700900456', message: 'Ready.' });

      sandbox.reset();
      model().script({ calls: [call('+44 7700 900456')] }, { text: 'It was declined.' });
      await writeInChat(page, 'Tell +44 7700 900456 once more');
      await answer((await question()).link, { decision: 'decline', written: 'Not today' });
      await page.getByText('It was declined.').first().waitFor();
      assert.match(model().results().at(-1) ?? '', /feedback: \\"Not today\\"/);
      assert.equal(received().length, 1);

      sandbox.reset();
      model().script({ calls: [call('07700 900456')] }, { text: 'It failed.' });
      await writeInChat(page, 'Tell 07700 900456 that the order is ready');
      await answer((await question()).link, { decision: 'approve' });
      await page.getByText('It failed.').first().waitFor();
      assert.match(model().results().at(-1) ?? '', /country code is missing[^]*not_sent/);
      assert.equal(received().length, 1);
    });
  });
}

async function writeInChat(page: Page, text: string): Promise<void> {
  const input = page.getByPlaceholder(/^Type (a )?message/);
  if ((await input.count()) === 0) await page.getByTestId('workflow-chat-button').click();
  await input.fill(text);
  await input.press('Enter');
}
