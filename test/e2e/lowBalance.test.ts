import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import { type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { SUPPORTED } from '../../tools/n8n/releases';
import { chain, messagingSend, messagingSendTrigger, TRIGGER } from '../support/n8n/workflow';
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

    const store = async (name: string, credential = instance().credential) => {
      const text = '={{ $json.credits }} of {{ $json.threshold }} credits left, {{ $json.previous_credits }} before';
      const alert = messagingSend({
        resource: 'message',
        operation: 'send',
        phone: '447700900123',
        message: text,
        options: WITHOUT_LIMIT,
      });
      return await instance().rest.importWorkflow(chain(name, [messagingSendTrigger(LOW_BALANCE), alert]), [
        credential,
      ]);
    };
    const activate = async (name: string) => {
      const workflow = await store(name);
      await instance().rest.activate(workflow);
      return workflow;
    };
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
    const alerts = () =>
      instance()
        .sandbox.messages()
        .map(({ message }) => message);
    const alerted = async (count: number) => {
      await instance().waitFor(`alert ${count}`, 30, () => alerts().length >= count || undefined);
      await nextPoll();
      assert.equal(alerts().length, count);
    };
    const ended = async (workflow: JsonObject, status: string): Promise<Execution> => {
      const { rest } = instance();
      const id = await instance().waitFor(`an execution to end as ${status}`, 30, async () => {
        const executions = await rest.executionsOf(workflow);
        return executions.find((execution) => execution.status === status)?.id;
      });
      return await rest.waitForExecution(id);
    };

    test('An active workflow starts once each time the balance drops below the threshold, also after a restart or a new activation', async () => {
      instance().sandbox.setCredits(150);
      const workflow = await activate('Falls');
      await nextPoll();
      assert.deepEqual(alerts(), []);

      instance().sandbox.setCredits(42);
      await alerted(1);
      assert.deepEqual(alerts(), ['42 of 100 credits left, 150 before']);

      await instance().restart();
      await nextPoll();
      assert.equal(alerts().length, 1);

      await instance().rest.deactivate(workflow);
      await instance().rest.activate(workflow);
      await nextPoll();
      assert.equal(alerts().length, 1);

      instance().sandbox.setCredits(200);
      await nextPoll();
      instance().sandbox.setCredits(99);
      await alerted(2);
      assert.equal(alerts()[1], '99 of 100 credits left, 200 before');
      await instance().rest.deactivate(workflow);
    });

    test('A poll that fails is a failed execution, and polling continues', async () => {
      instance().sandbox.setCredits(150);
      const workflow = await activate('Failing service');
      instance().sandbox.setFaults([{ kind: 'status', status: 500, times: 1 }]);
      const failed = await ended(workflow, 'error');
      assert.match(failed.error, /The service did not finish/);

      instance().sandbox.setCredits(10);
      await alerted(1);
      await instance().rest.deactivate(workflow);
    });

    test('n8n does not activate a workflow with a wrong key, and reports the key', async () => {
      const { rest, sandbox, n8n } = instance();
      const account = { url: sandbox.url, apiKey: 'made-up-wrong-key', name: 'Wrong key' };
      const wrong = await instance().storeAccount(account);
      const workflow = await store('Wrong key', wrong);
      await assert.rejects(async () => await rest.activate(workflow), /The API key is not valid/);
      assert.equal(n8n.endOfLog().includes(account.apiKey), false);
      assert.deepEqual(alerts(), []);
    });

    test('A test run returns the balance, low or not', async () => {
      const { rest, sandbox } = instance();
      sandbox.setCredits(5000);
      const workflow = await store('Test run');
      const execution = await rest.run(workflow, TRIGGER);
      const [item] = execution.outputOf(TRIGGER);
      const { checked_at: checkedAt, ...json } = item?.json ?? {};
      assert.deepEqual(json, {
        credits: 5000,
        threshold: 100,
        user_id: 4711,
        user_name: 'Sandbox User',
        previous_credits: null,
      });
      assert.ok(Date.parse(String(checkedAt)) <= Date.now());
    });
  });
}
