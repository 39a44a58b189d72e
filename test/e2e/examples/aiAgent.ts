import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Page } from 'playwright-core';

import { openWorkflow } from '../../../tools/n8n/editor';
import { sayInChat } from '../editorParts';
import { type ExampleWorld } from './world';

/** The agent, in the editor's chat, with a stand-in for its model. */
export function testAgentExample({ instance, received, workflow, inEditor, model }: ExampleWorld): void {
  const SEND_TOOL = 'Send_a_message';
  const inChat = async (name: string, talk: (page: Page) => Promise<void>) => {
    await inEditor(`agent ${name}`, async (page) => {
      await openWorkflow(page, instance().editorUrl(workflow()));
      await talk(page);
    });
  };

  test('After a yes, the agent sends what its model calls for, and confirms it', async () => {
    model().script(
      { text: 'Shall I?' },
      { calls: [{ tool: SEND_TOOL, input: { Phone: '+44 7700 900123', Message: 'Ready.' } }] },
      { text: 'I have sent it.' },
    );
    await inChat('sends', async (page) => {
      await sayInChat(page, 'Tell +44 7700 900123 that the order is ready', 'Shall I?');
      assert.deepEqual(received(), []);
      await sayInChat(page, 'Yes', 'I have sent it.');
    });
    assert.deepEqual(
      model()
        .offered()
        .map(({ name }) => name)
        .sort(),
      ['Get_the_balance', SEND_TOOL],
    );
    // It remembers what was said before.
    assert.match(model().heard(), /the order is ready[^]*Shall I\?[^]*Yes/);
    assert.match(model().heard(), /wait for a yes/);
    assert.deepEqual(received(), [{ phone: '447700900123', message: 'Ready.' }]);
  });

  test('The model gets to know of an error, and of the balance', async () => {
    model().script(
      {
        calls: [
          { tool: SEND_TOOL, input: { Phone: '07700 900123', Message: 'Ready.' } },
          { tool: 'Get_the_balance', input: {} },
        ],
      },
      { text: 'It failed.' },
    );
    await inChat(
      'fails',
      async (page) => await sayInChat(page, 'Tell 07700 900123 that the order is ready', 'It failed.'),
    );
    assert.match(model().results()[0] ?? '', /country code is missing[^]*not_sent/);
    assert.match(model().results()[1] ?? '', /"credits":1000000/);
    assert.deepEqual(received(), []);
  });
}
