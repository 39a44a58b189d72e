/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { SUPPORTED } from '../../tools/n8n/releases';
import { chain, messagingSend, messagingSendTrigger } from '../../tools/n8n/workflow';
import { receivedBy } from './arrivals';
import { instanceForTests } from './instanceForTests';

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
        .filter(({ endpoint }) => endpoint === 'balance').length;
    /** Waits until n8n has made at least one complete poll. */
    const nextPoll = async () => {
      const before = balances();
      // The first one may have started before, and the second is complete when the third starts.
      await instance().waitFor('three polls', 30, () => balances() >= before + 3 || undefined);
    };
    const alerts = () => receivedBy(instance().sandbox).map(({ message }) => message);
    const alerted = async (...texts: string[]) => {
      await instance().waitFor(`alert ${texts.length}`, 30, () => alerts().length >= texts.length || undefined);
      await nextPoll();
      assert.deepEqual(alerts(), texts);
    };

    test('An active workflow starts once for a low balance, also after a restart and a new activation, and again after a restart if the low balance is a new one; a check that fails is a failed execution, and the next one follows', async () => {
      const { rest, sandbox, credential } = instance();
      sandbox.setCredits(150);
      const text = '={{ $json.credits }} of {{ $json.threshold }} credits left, {{ $json.previous_credits }} before';
      const fields = { resource: 'message', operation: 'send', phone: '447700900123', message: text };
      const alert = messagingSend({ ...fields, options: WITHOUT_LIMIT });
      const nodes = [messagingSendTrigger(LOW_BALANCE), alert];
      const workflow = await rest.publish(chain('Falls', nodes), [credential]);
      await nextPoll();
      assert.deepEqual(alerts(), []);

      sandbox.setCredits(42);
      await alerted('42 of 100 credits left, 150 before');

      // The alert has used a credit.
      sandbox.setCredits(42);
      await instance().restart();
      await nextPoll();
      assert.equal(alerts().length, 1);

      sandbox.setCredits(30);
      await instance().restart();
      await alerted('42 of 100 credits left, 150 before', '30 of 100 credits left, 42 before');

      await instance().rest.deactivate(workflow);
      await instance().rest.activate(workflow);
      await nextPoll();
      assert.equal(alerts().length, 2);

      sandbox.setFaults([{ kind: 'status', status: 401, times: 1 }]);
      const failed = await instance().waitFor('a failed execution', 30, async () => {
        const executions = await instance().rest.executionsOf(workflow);
        return executions.find(({ status }) => status === 'error')?.id;
      });
      assert.match((await instance().rest.waitForExecution(failed)).error, /API key is not valid/);
      await nextPoll();
      await instance().rest.deactivate(workflow);
    });
  });
}
