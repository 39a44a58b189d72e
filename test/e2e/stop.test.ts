import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { type JsonObject } from '../../tools/json';
import { SUPPORTED } from '../../tools/n8n/releases';
import { listOf } from '../support/contacts';
import { callWebhook, webhook } from '../support/n8n/triggerNodes';
import { chain, messagingSend, SENDER } from '../support/n8n/workflow';
import { instanceForTests } from './instanceForTests';
import { listExpression, receivedBy } from './recipients';

const LIST = { resource: 'message', operation: 'sendBulk', source: 'json', messages: listExpression(450) };

for (const release of SUPPORTED) {
  describe(`Stop in n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    beforeEach(() => instance().sandbox.reset());

    /** Starts a run one request at a time, and presses Stop as soon as so many requests have been handled. */
    const stopAfter = async (requests: number, options: JsonObject) => {
      const { rest, sandbox, n8n, credential } = instance();
      const sender = messagingSend({ ...LIST, options: { parallelRequests: 1, ...options } });
      const workflow = await rest.importWorkflow(chain('Stop', [webhook('stop'), sender]), [credential]);
      await rest.activate(workflow);
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

    // The first of these tests: requests of an earlier one would count.
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
}

/** The line that the node writes to n8n's log when a production run of it ends. */
function summaryIn(log: string): string | undefined {
  return /Messaging Send: (.*)/.exec(log)?.[1];
}
