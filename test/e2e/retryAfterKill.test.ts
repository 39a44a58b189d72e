/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';

import { SUPPORTED } from '../../tools/n8n/releases';
import {
  callWebhook,
  chain,
  type JsonObject,
  messagingSend,
  SENDER,
  webhook,
  type WorkflowNode,
} from '../../tools/n8n/workflow';
import { listOf } from '../support/contacts';
import { bulkList, CONTINUE, Crashes, finished, indexes, listExpression, MESSAGES, reported } from './crashes';
import { instanceForTests } from './instanceForTests';
import { receivedBy } from './recipients';

/** n8n is killed in the third request, and in the fifth, which is the second of the Retry. */
const REPEATEDLY = bulkList('repeatedly', { messages: 550, settings: CONTINUE });

for (const release of SUPPORTED) {
  describe(`In n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    const crashes = new Crashes(instance);

    describe('an execution that ends without a kill', () => {
      beforeEach(() => instance().sandbox.reset());

      const activate = async (name: string, sender: WorkflowNode): Promise<JsonObject> => {
        const { rest, credential } = instance();
        const workflow = await rest.importWorkflow(chain(name, [webhook(name, 'with the last output'), sender]), [
          credential,
        ]);
        await rest.activate(workflow);
        return workflow;
      };
      const list = (messages: number) => ({
        resource: 'message',
        operation: 'sendBulk',
        source: 'json',
        messages: listExpression(messages),
        options: { parallelRequests: 1 },
      });

      test('After Stop no request starts, and n8n stores no outcome', async () => {
        const { rest, sandbox, n8n } = instance();
        sandbox.setFaults([{ kind: 'silence', handled: true, on: 'bulk', after: 1 }]);
        const workflow = await activate('stopped', messagingSend(list(450)));
        const loggedBefore = n8n.log().length;
        // It is answered only when the run has ended.
        const call = callWebhook(n8n.url, 'stopped', {});
        await instance().waitFor('two requests', 30, () => sandbox.messages().length === 200 || undefined);
        const [running] = await rest.executionsOf(workflow);
        assert.equal(running?.status, 'running');
        await rest.stop(running.id);
        await call;
        // The line that the node writes to n8n's log when a production run of it ends.
        const summary = await instance().waitFor(
          'the node to end',
          30,
          () => /Messaging Send: (.*)/.exec(n8n.log().slice(loggedBefore))?.[1],
        );
        assert.match(summary, /^100 sent, 250 not sent, 100 uncertain \(may have been sent\), /);
        assert.equal(sandbox.requests().length, 2);
        const execution = await rest.waitForExecution(running.id);
        assert.equal(execution.status, 'canceled');
        // The README warns about it.
        assert.deepEqual(execution.outputOf(SENDER), []);
      });

      test('n8n repeats no request after a 401, and follows no redirect', async () => {
        const { sandbox, n8n } = instance();
        const location = `${sandbox.url}/v1/messages/send-bulk`;
        sandbox.setFaults([
          { kind: 'status', status: 401, times: 1 },
          { kind: 'redirect', location, times: 1 },
        ]);
        await activate('once', messagingSend(list(1)));
        await callWebhook(n8n.url, 'once', {});
        await callWebhook(n8n.url, 'once', {});
        const statuses = sandbox.requests().map(({ status }) => status);
        assert.deepEqual(statuses, [401, 307]);
      });

      test('Retry On Fail and Retry send what was not sent, and report and count every message once', async () => {
        const { rest, sandbox, n8n } = instance();
        sandbox.setFaults([{ kind: 'status', status: 403, on: 'bulk', after: 1, times: 2 }]);
        const again = { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 };
        const workflow = await activate('again', messagingSend(list(250), again));
        const { status } = await callWebhook(n8n.url, 'again', {});
        const [failed] = await rest.executionsOf(workflow);
        assert.deepEqual([status, failed?.status, failed?.mode], [500, 'error', 'webhook']);
        const { customData } = await rest.waitForExecution(failed?.id ?? '');
        assert.deepEqual(customData, { messages_sent: '100', messages_not_sent: '150' });
        const statuses = () => sandbox.requests().flatMap((each) => (each.messages === 0 ? [] : [each.status]));
        assert.deepEqual(statuses(), [201, 403, 403]);

        const retried = await rest.retry(failed?.id ?? '');
        assert.equal(retried.status, 'success');
        assert.deepEqual(retried.customData, { messages_sent: '250', messages_not_sent: '0' });
        assert.deepEqual(statuses(), [201, 403, 403, 201, 201]);
        assert.deepEqual(receivedBy(sandbox), listOf(250));
        const outcomes = retried.outputOf(SENDER).map(({ json: { phone, status } }) => ({ phone, status }));
        const expected = listOf(250).map(({ phone }) => ({ phone, status: 'sent' }));
        assert.deepEqual(outcomes, expected);
      });
    });

    describe('an execution that n8n was killed in, while the third of five requests was in flight', () => {
      before(async () => {
        instance().sandbox.reset();
        await crashes.kill({ started: [REPEATEDLY], losesEventLog: true });
        await crashes.kill({
          started: [finished('finished'), bulkList('second-output', { settings: { onError: 'continueErrorOutput' } })],
          retried: [{ ...REPEATEDLY, answered: 1, arrived: 500 }],
        });
      });

      test("Retry after two kills, of which the first lost n8n's event log, sends the rest, and nothing twice", async () => {
        // With 550 messages, up to eight neighbors are noted together: 399 and 501 with some that were in flight.
        assert.deepEqual(reported(await crashes.retry('repeatedly')), [
          ['before', 200],
          ['uncertain', 100],
          ['before', 99],
          ['uncertain', 103],
          ['sent', 48],
        ]);
        const left = indexes(550).filter((index) => index !== 500 && index !== 501);
        assert.deepEqual(crashes.received('repeatedly'), left);
      });

      test('Retry sends nothing when n8n was killed after the node had sent everything', async () => {
        const retried = await crashes.retry('finished');
        assert.equal(retried.status, 'success');
        assert.deepEqual(reported(retried), [['before', MESSAGES]]);
        assert.deepEqual(crashes.received('finished'), indexes());
      });

      test('The second sends nothing of an execution that ended with an error, either, and can be retried', async () => {
        const id = await crashes.failAfterTwo(bulkList('refused'));
        // Each answer is late, so that the second Retry starts before the first has ended.
        instance().sandbox.setFaults([{ kind: 'delay', ms: 2000, text: '[refused]', probability: 1 }]);
        const running = crashes.retry('refused', id);
        const isSending = () => crashes.received('refused').length > 200 || undefined;
        await instance().waitFor('the first Retry to send', 30, isSending);
        const second = await crashes.retry('refused', id);
        const first = await running;
        assert.deepEqual([first.status, second.status], ['success', 'error']);
        assert.match(second.error, /another retry/i);
        assert.deepEqual(crashes.received('refused'), indexes());
        assert.equal(await crashes.canBeRetried('refused', second.id), true);
      });

      test('With the second output the first Retry succeeds, and n8n offers no further one', async () => {
        const killed = await crashes.newestId('second-output');
        const retried = await crashes.retry('second-output', killed);
        assert.equal(retried.status, 'success');
        const lengths = [0, 1].map((output) => retried.outputOf(SENDER, output).length);
        assert.deepEqual(lengths, [350, 100]);
        assert.deepEqual(crashes.received('second-output'), indexes());
        assert.equal(await crashes.canBeRetried('second-output', killed), false);
        assert.equal(await crashes.canBeRetried('second-output', retried.id), false);
        await assert.rejects(crashes.retry('second-output', retried.id), /succeeded, so it cannot be retried/);
      });
    });
  });
}
