/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { SUPPORTED } from '../../tools/n8n/releases';
import { chain, messagingSend, messagingSendTrigger } from '../../tools/n8n/workflow';
import { instanceForTests } from './instanceForTests';
import { receivedBy } from './recipients';

/** n8n takes no interval under a minute, but any number of times within a minute. */
const EVERY_SECOND = Array.from({ length: 60 }, (_, second) => ({
  mode: 'custom',
  cronExpression: `${second} * * * * *`,
}));
const WITHOUT_LIMIT = { requestsPerMinute: 1_000_000 };
const LOW_BALANCE = { pollTimes: { item: EVERY_SECOND }, event: 'lowBalance', threshold: 100, options: WITHOUT_LIMIT };

for (const release of SUPPORTED) {
  describe(`Messaging Send Trigger in n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    beforeEach(() => instance().sandbox.reset());

    const balances = () =>
      instance()
        .sandbox.requests()
        .filter(({ path }) => path.endsWith('/user/balance')).length;
    /** Waits until n8n has made at least one complete poll. */
    const nextPoll = async () => {
      const before = balances();
      // The first one may have started before, and the second is complete when the third starts.
      await instance().waitFor('three polls', 30, () => balances() >= before + 3 || undefined);
    };
    const alerts = () => receivedBy(instance().sandbox).map(({ message }) => message);
    const alerted = async (count: number) => {
      await instance().waitFor(`alert ${count}`, 30, () => alerts().length >= count || undefined);
      await nextPoll();
      assert.equal(alerts().length, count);
    };
    test('An active workflow starts once each time the balance drops below the threshold, even after a new activation or a failed poll, and after a restart if the low balance is a new one', async () => {
      const { sandbox } = instance();
      sandbox.setCredits(150);
      const text = '={{ $json.credits }} of {{ $json.threshold }} credits left, {{ $json.previous_credits }} before';
      const fields = { resource: 'message', operation: 'send', phone: '447700900123', message: text };
      const alert = messagingSend({ ...fields, options: WITHOUT_LIMIT });
      const nodes = [messagingSendTrigger(LOW_BALANCE), alert];
      const workflow = await instance().rest.importWorkflow(chain('Falls', nodes), [instance().credential]);
      await instance().rest.activate(workflow);
      await nextPoll();
      assert.deepEqual(alerts(), []);

      sandbox.setCredits(42);
      await alerted(1);
      assert.deepEqual(alerts(), ['42 of 100 credits left, 150 before']);

      // The alert has used a credit.
      sandbox.setCredits(42);
      await instance().restart();
      await nextPoll();
      assert.equal(alerts().length, 1);

      sandbox.setCredits(30);
      await instance().restart();
      await alerted(2);
      assert.equal(alerts()[1], '30 of 100 credits left, 42 before');

      await instance().rest.deactivate(workflow);
      await instance().rest.activate(workflow);
      await nextPoll();
      assert.equal(alerts().length, 2);

      sandbox.setFaults([{ kind: 'status', status: 401, times: 1 }]);
      const { rest } = instance();
      const failed = await instance().waitFor('a failed execution', 30, async () => {
        const executions = await rest.executionsOf(workflow);
        return executions.find(({ status }) => status === 'error')?.id;
      });
      assert.match((await rest.waitForExecution(failed)).error, /API key is not valid/);

      sandbox.setCredits(200);
      await nextPoll();
      sandbox.setCredits(99);
      await alerted(3);
      assert.equal(alerts()[2], '99 of 100 credits left, 200 before');
      await rest.deactivate(workflow);
    });
  });
}
