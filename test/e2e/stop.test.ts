import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, test } from 'node:test';

import type { JsonObject } from '../../demo/json';
import { SUPPORTED } from '../../demo/releases';
import { listExpression, listOf, plain } from './recipients';
import { stageForTests, stopped } from './stage';
import { callWebhook, webhook } from './triggerNodes';
import { chain, messagingSend, SENDER } from './workflow';

const DEADLINE = { seconds: 60, signal: stopped.signal };
const LIST = { resource: 'message', operation: 'sendBulk', source: 'json', messages: listExpression(450) };

for (const release of SUPPORTED) {
  describe(`n8n ${release}`, () => {
    const stage = stageForTests({ release });
    beforeEach(() => stage().sandbox.reset());

    /** Starts a run one request at a time, and presses Stop as soon as so many requests have been handled. */
    const stopAfter = async (requests: number, options: JsonObject) => {
      const { rest, sandbox, n8n, credential } = stage();
      const sender = messagingSend({ ...LIST, options: { parallelRequests: 1, ...options } });
      const workflow = await rest.importWorkflow(chain('Stop', [webhook('stop'), sender]), [credential]);
      await rest.activate(workflow, DEADLINE);
      const loggedBefore = readLog().length;
      // It is answered only when the run has ended.
      const call = callWebhook(n8n.url, 'stop', {});
      await stage().waitFor(
        'the middle of the run',
        30,
        async () => sandbox.messages().length === requests * 100 || undefined,
      );
      const [running] = await rest.executionsOf(workflow);
      assert.equal(running?.status, 'running');
      const pressed = performance.now();
      await rest.stop(running.id);
      await call;
      const summary = await stage().waitFor('the node to end', 30, async () =>
        summaryIn(readLog().slice(loggedBefore)),
      );
      const seconds = (performance.now() - pressed) / 1000;
      await rest.deactivate(workflow, DEADLINE);
      return { summary, seconds, execution: await rest.waitForExecution(running.id, DEADLINE) };
    };
    const readLog = () => readFileSync(path.join(stage().folder, 'n8n.log'), 'utf8');

    // The first of these tests: requests of an earlier one would count.
    test('Stop ends a wait for the limit at once', async () => {
      const { summary, seconds, execution } = await stopAfter(2, { requestsPerMinute: 2 });
      assert.match(summary, /^200 sent, 250 not sent, .* 2 requests/);
      assert.ok(seconds < 30, `it ended after ${seconds} s; the wait itself lasts a minute`);
      assert.equal(execution.status, 'canceled');
      assert.deepEqual(plain(stage().sandbox.messages()), listOf(200));
    });

    test('after Stop no request starts, and what was on its way is uncertain', async () => {
      const { sandbox } = stage();
      sandbox.setFaults([{ kind: 'delay', ms: 3000, on: 'bulk', after: 1 }]);
      const { summary, execution } = await stopAfter(2, {});
      assert.match(summary, /^100 sent, 250 not sent, 100 uncertain, /);
      assert.equal(execution.status, 'canceled');
      assert.deepEqual(plain(sandbox.messages()), listOf(200));
      assert.equal(sandbox.requests().length, 2);
      // This is n8n's doing, and the reason for what the README says about Stop.
      assert.deepEqual(
        execution.runsOf(SENDER).flatMap(({ outputs }) => outputs.flat()),
        [],
      );
    });
  });
}

/** The line that the node writes to n8n's log when a production run of it ends. */
function summaryIn(log: string): string | undefined {
  return /Messaging Send: (.*)/.exec(log)?.[1];
}
