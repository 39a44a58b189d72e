import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { type Fault } from '../../sandbox/server';
import { asObjects, isObject, type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { SUPPORTED } from '../../tools/n8n/releases';
import { listOf } from '../support/contacts';
import { callWebhook, webhook } from '../support/n8n/triggerNodes';
import { chain, messagingSend, SENDER, START, start } from '../support/n8n/workflow';
import { instanceForTests } from './instanceForTests';
import { listExpression, receivedBy } from './recipients';

const MESSAGES = 250;
const LIST = { resource: 'message', operation: 'sendBulk', source: 'json', messages: listExpression(MESSAGES) };

/** The second request is refused, and nothing of it is sent. */
const REFUSE_THE_SECOND: Fault = { kind: 'status', status: 403, on: 'bulk', after: 1 };

/** The service does not take the first message, but only in the first request. */
const REFUSE_THE_FIRST_MESSAGE: Fault = { kind: 'status', status: 422, on: 'bulk', fields: ['messages.0.phone'] };

for (const release of SUPPORTED) {
  describe(`Runs in n8n ${release} that are repeated`, () => {
    const instance = instanceForTests({ release });
    beforeEach(() => instance().sandbox.reset());

    const run = async (parameters: JsonObject, settings: JsonObject): Promise<Execution> => {
      const { rest, credential } = instance();
      const workflow = await rest.importWorkflow(chain('Again', [start(), messagingSend(parameters, settings)]), [
        credential,
      ]);
      return await rest.run(workflow, START);
    };
    const activate = async (name: string, parameters: JsonObject): Promise<JsonObject> => {
      const { rest, credential } = instance();
      const workflow = await rest.importWorkflow(chain(name, [webhook(name), messagingSend(parameters)]), [credential]);
      await rest.activate(workflow);
      return workflow;
    };
    const retry = (id: string): Promise<Execution> => instance().rest.retry(id);
    const received = () => receivedBy(instance().sandbox);

    describe('by Retry On Fail', () => {
      const twice = { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 };
      const cases: Array<[onError: string, fault: Fault]> = [
        ['stopWorkflow', REFUSE_THE_SECOND],
        // With Continue, n8n runs the node again only if the first item failed.
        ['continueRegularOutput', REFUSE_THE_FIRST_MESSAGE],
        ['continueErrorOutput', REFUSE_THE_FIRST_MESSAGE],
      ];
      for (const [onError, fault] of cases) {
        test(`Retry On Fail with On Error ${onError} sends each message once, and reports each as sent`, async () => {
          instance().sandbox.setFaults([fault]);
          const execution = await run(LIST, { ...twice, onError });
          assert.equal(execution.status, 'success');
          assert.deepEqual(received(), listOf(MESSAGES));
          const [sent = [], notSent = []] = execution.runsOf(SENDER).at(-1)?.outputs ?? [];
          assert.deepEqual(
            sent.map(({ json }) => [json.phone, json.status]),
            listOf(MESSAGES).map(({ phone }) => [phone, 'sent']),
          );
          assert.deepEqual(notSent, []);
        });
      }

      for (const onError of ['continueRegularOutput', 'continueErrorOutput']) {
        test(`Retry On Fail with On Error ${onError} sends nothing again for an item that can't be sent`, async () => {
          const messages = LIST.messages
            .replace('={{ ', `={{ [{ phone: '07700 900124', message: 'Hello' }].concat(`)
            .replace(' }}', ') }}');
          const execution = await run({ ...LIST, messages }, { ...twice, maxTries: 3, onError });
          assert.equal(execution.status, 'success');
          assert.deepEqual(received(), listOf(MESSAGES));
          assert.equal(instance().sandbox.requests().length, 3);
          const items = execution.runsOf(SENDER).at(-1)?.outputs.flat() ?? [];
          const failed = items.filter(({ json }) => json.error !== undefined);
          assert.deepEqual(
            failed.map(({ json }) => isObject(json.details) && json.details.code),
            ['INVALID_PHONE'],
          );
          assert.equal(items.length, MESSAGES + 1);
        });
      }
    });

    describe('by Retry in the list of executions', () => {
      const callAndFail = async (name: string, parameters: JsonObject = LIST): Promise<string> => {
        const { id } = await failing(name, parameters);
        return id;
      };
      const failing = async (name: string, parameters: JsonObject): Promise<{ id: string; workflow: JsonObject }> => {
        const workflow = await activate(name, parameters);
        const { status } = await callWebhook(instance().n8n.url, name, {});
        const [failed] = await instance().rest.executionsOf(workflow);
        assert.deepEqual([status, failed?.status, failed?.mode], [500, 'error', 'webhook']);
        return { id: failed?.id ?? '', workflow };
      };
      /** Retries with other parameters of the sending node, as saved since. */
      const retryWith = async ({ id, workflow }: { id: string; workflow: JsonObject }, parameters: JsonObject) => {
        const nodes = asObjects(workflow.nodes, 'nodes');
        const changed = nodes.map((node) => (node.name === SENDER ? { ...node, parameters } : node));
        await instance().rest.saveNodes(workflow, changed);
        return await instance().rest.retry(id, undefined, true);
      };
      const phonesReceived = () => received().map(({ phone }) => phone);

      test('Retry sends no text again that contains the execution and the time', async () => {
        instance().sandbox.setFaults([REFUSE_THE_SECOND]);
        const text = "'Hello ' + index + ' ' + $execution.id + ' ' + $execution.resumeUrl + ' ' + $now";
        const messages = LIST.messages.replace("'Hello ' + index", text);
        const retried = await retry(await callAndFail('changing', { ...LIST, messages }));
        assert.equal(retried.status, 'success');
        assert.deepEqual(
          phonesReceived(),
          listOf(MESSAGES).map(({ phone }) => phone),
        );
      });

      test('Retry with the saved workflow sends no row again after one was removed from the list', async () => {
        instance().sandbox.setFaults([REFUSE_THE_SECOND]);
        const failed = await failing('removed', LIST);
        const messages = LIST.messages.replace(' }}', '.slice(1) }}');
        const retried = await retryWith(failed, { ...LIST, messages });
        assert.equal(retried.status, 'success');
        assert.deepEqual(received(), listOf(MESSAGES));
      });

      test('Retry with the saved workflow sends everything if the node was Get Balance when it failed', async () => {
        instance().sandbox.setFaults([{ kind: 'status', status: 503, on: 'balance' }]);
        const failed = await failing('balance', { resource: 'balance', operation: 'get' });
        const retried = await retryWith(failed, LIST);
        assert.equal(retried.status, 'success');
        assert.deepEqual(received(), listOf(MESSAGES));
      });

      test('Retry sends what was not sent, however many attempts it takes', async () => {
        const { sandbox } = instance();
        sandbox.setFaults([REFUSE_THE_SECOND]);
        const id = await callAndFail('refused');
        assert.ok(received().length >= 100 && received().length < MESSAGES);

        sandbox.setFaults([{ kind: 'status', status: 403, on: 'bulk' }]);
        const second = await retry(id);
        assert.equal(second.status, 'error');
        const third = await retry(second.id);

        assert.equal(third.status, 'success');
        assert.deepEqual(received(), listOf(MESSAGES));
        const [sent = []] = third.runsOf(SENDER).at(-1)?.outputs ?? [];
        assert.deepEqual(
          sent.map(({ json }) => json.phone),
          listOf(MESSAGES).map(({ phone }) => phone),
        );
      });

      test('Retry does not send what may have been sent, and reports it', async () => {
        instance().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk', after: 1 }]);
        const id = await callAndFail('uncertain');
        const retried = await retry(id);
        assert.deepEqual(
          [retried.status, retried.error],
          ['error', 'The connection to the service was lost before its response arrived'],
        );
        assert.deepEqual(received(), listOf(MESSAGES));
        assert.equal(instance().sandbox.requests().length, 3);
      });

      test('Retry in an outage risks no message, and sends the rest when it is over', async () => {
        const { sandbox } = instance();
        const endpoints = () => sandbox.requests().map(({ endpoint }) => endpoint);
        const options = { longestWait: 0 };
        sandbox.setFaults([{ kind: 'status', status: 503, times: 99 }]);
        const { id } = await run({ ...LIST, options }, {});
        const during = await retry(id);
        assert.deepEqual(endpoints(), ['bulk', 'balance']);

        sandbox.setFaults([]);
        const after = await retry(during.id);

        assert.deepEqual(received(), listOf(MESSAGES).slice(100));
        assert.deepEqual(endpoints(), ['bulk', 'balance', 'balance', 'bulk', 'bulk']);
        assert.equal(after.status, 'error', 'The first 100 stay uncertain');
      });
    });
  });
}
