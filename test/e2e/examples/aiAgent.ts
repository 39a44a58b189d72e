import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Page } from 'playwright-core';

import { openWorkflow } from '../../../tools/n8n/editor';
import { answer, linkIn } from '../questions';
import { writeInChat } from '../editorParts';
import { type ExampleWorld } from './world';

/** The agent, in the editor's chat, with a stand-in for its model, and the person who approves its messages. */
export function testAgentExample({ instance, received, workflow, inEditor, model }: ExampleWorld): void {
  const SEND_TOOL = 'Send_a_message';
  const REVIEWER = '447700900123';
  const inChat = async (name: string, talk: (page: Page) => Promise<void>) => {
    await inEditor(`agent ${name}`, async (page) => {
      await openWorkflow(page, instance().editorUrl(workflow()));
      await talk(page);
    });
  };

  /** A call of the tool behind human review. */
  const call = (phone: string) => ({
    tool: SEND_TOOL,
    input: { toolParameters: { Phone: phone, Message: 'Ready.' }, hitlParameters: {} },
  });
  const question = async (): Promise<string> => {
    const [, asked] = await instance().waitFor('the question', 60, () => {
      const { phone, message } = received()[0] ?? {};
      return phone === REVIEWER ? [phone, message] : undefined;
    });
    const [newest] = await instance().rest.executionsOf(workflow());
    await instance().rest.waitUntilWaiting(newest?.id ?? '');
    return asked ?? '';
  };

  test('The reviewer gets the number and the text, and only after approval the agent sends', async () => {
    model().script({ calls: [call('+44 7700 900456')] }, { text: 'I have sent it.' });
    await inChat('sends', async (page) => {
      await writeInChat(page, 'Tell +44 7700 900456 that the order is ready');
      const asked = await question();
      assert.match(asked, /^Send this to \+44 7700 900456\?\n\nReady\.\nhttp:\S+$/);
      assert.equal(received().length, 1);
      await answer(linkIn(asked), { decision: 'approve' });
      await page.getByText('I have sent it.').first().waitFor();
    });
    assert.deepEqual(
      model()
        .offered()
        .map(({ name }) => name)
        .sort(),
      ['Get_the_balance', SEND_TOOL],
    );
    assert.match(model().heard(), /the order is ready/);
    assert.match(model().heard(), /A person approves each message/);
    assert.deepEqual(received()[1], { phone: '447700900456', message: 'Ready.' });
  });

  test('After a decline nothing is sent, and the agent gets the comment', async () => {
    model().script({ calls: [call('+44 7700 900456')] }, { text: 'It was declined.' });
    await inChat('declined', async (page) => {
      await writeInChat(page, 'Tell +44 7700 900456 that the order is ready');
      await answer(linkIn(await question()), { decision: 'decline', comment: 'Not today' });
      await page.getByText('It was declined.').first().waitFor();
    });
    assert.match(model().results()[0] ?? '', /feedback: \\"Not today\\"/);
    assert.equal(received().length, 1);
  });

  test('The model gets to know of an error after the approval, and of the balance without one', async () => {
    model().script(
      { calls: [{ tool: 'Get_the_balance', input: {} }] },
      { calls: [call('07700 900456')] },
      { text: 'It failed.' },
    );
    await inChat('fails', async (page) => {
      await writeInChat(page, 'Tell 07700 900456 that the order is ready');
      await answer(linkIn(await question()), { decision: 'approve' });
      await page.getByText('It failed.').first().waitFor();
    });
    assert.match(model().results()[0] ?? '', /"credits":1000000/);
    assert.match(model().results()[1] ?? '', /country code is missing[^]*not_sent/);
    assert.equal(received().length, 1);
  });
}
