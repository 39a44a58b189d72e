import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { type Fault } from '../../sandbox/server';
import { type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { SUPPORTED } from '../../tools/n8n/releases';
import { listOf } from '../support/contacts';
import { callWebhook, webhook } from '../support/n8n/triggerNodes';
import { chain, messagingSend, SENDER, START, start, type WorkflowNode } from '../support/n8n/workflow';
import { instanceForTests } from './instanceForTests';
import { listExpression, receivedBy } from './recipients';

const MESSAGES = 250;
const LIST = { resource: 'message', operation: 'sendBulk', source: 'json', messages: listExpression(MESSAGES) };

/** The second request is refused, and nothing of it is sent. */
const REFUSE_THE_SECOND: Fault = { kind: 'status', status: 403, on: 'bulk', after: 1 };

/** The service does not take the first message, but only in the first request. */
const REFUSE_THE_FIRST_MESSAGE: Fault = { kind: 'status', status: 422, on: 'bulk', fields: ['messages.0.phone'] };

for (const release of SUPPORTED) {
  describe(`In n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    beforeEach(() => instance().sandbox.reset());

    const activate = async (name: string, sender: WorkflowNode): Promise<JsonObject> => {
      const { rest, credential } = instance();
      const workflow = await rest.importWorkflow(chain(name, [webhook(name), sender]), [credential]);
      await rest.activate(workflow);
      return workflow;
    };
    const retry = (id: string): Promise<Execution> => instance().rest.retry(id);
    const received = () => receivedBy(instance().sandbox);

    // First, because its first test counts the requests of a minute.
    describe('Stop', () => {
      /** Starts a run one request at a time, and presses Stop as soon as so many requests have been handled. */
      const stopAfter = async (requests: number, options: JsonObject) => {
        const { rest, sandbox, n8n } = instance();
        const sender = messagingSend({
          ...LIST,
          messages: listExpression(450),
          options: { parallelRequests: 1, ...options },
        });
        const workflow = await activate('stop', sender);
        const loggedBefore = n8n.log().length;
        // It is answered only when the run has ended.
        const call = callWebhook(n8n.url, 'stop', {});
        await instance().waitFor(
          'the middle of the run',
          30,
          () => sandbox.messages().length === requests * 100 || undefined,
        );
        const [running] = await rest.executionsOf(workflow);
        assert.equal(running?.status, 'running');
        const pressed = performance.now();
        await rest.stop(running.id);
        await call;
        const summary = await instance().waitFor('the node to end', 30, () => summaryIn(n8n.log().slice(loggedBefore)));
        const seconds = (performance.now() - pressed) / 1000;
        await rest.deactivate(workflow);
        return { summary, seconds, execution: await rest.waitForExecution(running.id) };
      };

      test('Stop ends a wait for the rate limit immediately', async () => {
        const { summary, seconds, execution } = await stopAfter(2, { requestsPerMinute: 2 });
        assert.match(summary, /^200 sent, 250 not sent, .* 2 requests/);
        assert.ok(seconds < 30, `it ended after ${seconds} s; the wait itself lasts a minute`);
        assert.equal(execution.status, 'canceled');
        assert.deepEqual(receivedBy(instance().sandbox), listOf(200));
      });

      test('After Stop no request starts, and messages in flight are uncertain', async () => {
        const { sandbox } = instance();
        sandbox.setFaults([{ kind: 'silence', handled: true, on: 'bulk', after: 1 }]);
        const { summary, execution } = await stopAfter(2, {});
        assert.match(summary, /^100 sent, 250 not sent, 100 uncertain \(may have been sent\), /);
        assert.equal(execution.status, 'canceled');
        assert.deepEqual(receivedBy(sandbox), listOf(200));
        assert.equal(sandbox.requests().length, 2);
        // n8n discards it, which is why the README warns about Stop.
        assert.deepEqual(execution.outputOf(SENDER), []);
      });
    });

    describe('Retry On Fail', () => {
      const twice = { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 };
      const cases: Array<[onError: string, fault: Fault]> = [
        ['stopWorkflow', REFUSE_THE_SECOND],
        // With Continue, n8n runs the node again only if the first item failed.
        ['continueErrorOutput', REFUSE_THE_FIRST_MESSAGE],
      ];
      for (const [onError, fault] of cases) {
        test(`Retry On Fail with On Error ${onError} sends each message once, and reports each as sent`, async () => {
          const { rest, sandbox, credential } = instance();
          sandbox.setFaults([fault]);
          const nodes = [start(), messagingSend(LIST, { ...twice, onError })];
          const execution = await rest.run(await rest.importWorkflow(chain('Again', nodes), [credential]), START);
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
    });

    describe('Retry in the list of executions', () => {
      const callAndFail = async (name: string): Promise<string> => {
        const workflow = await activate(name, messagingSend(LIST));
        const { status } = await callWebhook(instance().n8n.url, name, {});
        const [failed] = await instance().rest.executionsOf(workflow);
        assert.deepEqual([status, failed?.status, failed?.mode], [500, 'error', 'webhook']);
        return failed?.id ?? '';
      };

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
    });
  });
}

/** The line that the node writes to n8n's log when a production run of it ends. */
function summaryIn(log: string): string | undefined {
  return /Messaging Send: (.*)/.exec(log)?.[1];
}
