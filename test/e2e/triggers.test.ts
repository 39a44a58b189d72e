import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { SUPPORTED } from '../../tools/n8n/releases';
import { listOf, phoneAt } from '../support/contacts';
import { callWebhook, formTrigger, submitForm, webhook } from '../support/n8n/triggerNodes';
import { chain, messagingSend, type WorkflowNode } from '../support/n8n/workflow';
import { instanceForTests } from './instanceForTests';
import { receivedBy } from './recipients';

for (const release of SUPPORTED) {
  describe(`Triggers in n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    beforeEach(() => instance().sandbox.reset());

    const activate = async (name: string, trigger: WorkflowNode, sender: WorkflowNode) => {
      const { rest, credential } = instance();
      const workflow = await rest.importWorkflow(chain(name, [trigger, sender]), [credential]);
      await rest.activate(workflow);
      return workflow;
    };

    test('A submitted form sends a message', async () => {
      const { rest, sandbox, n8n } = instance();
      const phone = '={{ $json["Your number"] }}';
      const message = '={{ $json["Your text"] }}';
      const send = messagingSend({ resource: 'message', operation: 'send', phone, message });
      const workflow = await activate('Form', formTrigger('write', ['Your number', 'Your text']), send);

      const page = await fetch(`${n8n.url}/form/write`);
      assert.match(await page.text(), /Your number[^]*Your text/);
      const answer = await submitForm(n8n.url, 'write', ['+44 (0)7700 900123', 'Grüße, "you" & <all> 🌍']);
      assert.equal(answer.status, 200);

      const ended = await instance().waitFor('the execution', 60, async () => {
        const [execution] = await rest.executionsOf(workflow);
        return execution?.status === 'success' || execution?.status === 'error' ? execution : undefined;
      });
      assert.deepEqual([ended.status, ended.mode], ['success', 'webhook']);
      assert.deepEqual(receivedBy(sandbox), [{ phone: '447700900123', message: 'Grüße, "you" & <all> 🌍' }]);
    });

    test('A webhook call sends a message, and is answered with its id', async () => {
      const { sandbox, n8n } = instance();
      const phone = '={{ $json.body.phone }}';
      const message = '=Order {{ $json.body.order }} is on its way.';
      await activate(
        'Webhook',
        webhook('order'),
        messagingSend({ resource: 'message', operation: 'send', phone, message }),
      );

      const { status, items } = await callWebhook(n8n.url, 'order', { phone: phoneAt(1), order: 17 });

      assert.deepEqual(receivedBy(sandbox), [{ phone: phoneAt(1), message: 'Order 17 is on its way.' }]);
      assert.equal(status, 200);
      assert.deepEqual(
        items.map((item) => [item.message_id, item.phone, item.status]),
        [[1001, phoneAt(1), 'sent']],
      );
    });

    test('A list of 250 messages from a webhook is sent in 3 requests', async () => {
      const { sandbox, n8n } = instance();
      const messages = '={{ $json.body.messages }}';
      const send = messagingSend({ resource: 'message', operation: 'sendBulk', source: 'json', messages });
      await activate('Webhook with a list', webhook('campaign'), send);
      const list = listOf(250);

      const { status, items } = await callWebhook(n8n.url, 'campaign', { messages: list });

      assert.deepEqual(receivedBy(sandbox), list);
      // The last two are in flight at the same time.
      assert.deepEqual(
        sandbox
          .requests()
          .map((request) => request.messages)
          .sort(),
        [100, 100, 50],
      );
      assert.equal(status, 200);
      assert.deepEqual(
        items.map((item) => item.phone),
        list.map(({ phone }) => phone),
      );
      assert.equal(
        items.every((item) => item.status === 'sent'),
        true,
      );
    });
  });
}
