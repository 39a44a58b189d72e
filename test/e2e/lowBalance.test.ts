import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';

import type { Execution } from '../../demo/execution';
import type { JsonObject } from '../../demo/json';
import { SUPPORTED } from '../../demo/releases';
import { stageForTests, stopped } from './stage';
import { chain, messagingSend, messagingSendTrigger, TRIGGER } from './workflow';

const DEADLINE = { seconds: 60, signal: stopped.signal };

/** n8n takes no interval under a minute, but as many times a minute as one likes. */
const EVERY_SECOND = Array.from({ length: 60 }, (_, second) => ({
  mode: 'custom',
  cronExpression: `${second} * * * * *`,
}));
const WITHOUT_LIMIT = { requestsPerMinute: 1_000_000 };
const LOW_BALANCE = { pollTimes: { item: EVERY_SECOND }, event: 'lowBalance', threshold: 100, options: WITHOUT_LIMIT };

for (const release of SUPPORTED) {
  describe(`n8n ${release}, with Messaging Send Trigger`, () => {
    const stage = stageForTests({ release });
    beforeEach(() => stage().sandbox.reset());

    const store = async (name: string, credential = stage().credential) => {
      const text = '={{ $json.credits }} of {{ $json.threshold }} credits left, {{ $json.previous_credits }} before';
      const alert = messagingSend({
        resource: 'message',
        operation: 'send',
        phone: '447700900123',
        message: text,
        options: WITHOUT_LIMIT,
      });
      return await stage().rest.importWorkflow(chain(name, [messagingSendTrigger(LOW_BALANCE), alert]), [credential]);
    };
    const activate = async (name: string) => {
      const workflow = await store(name);
      await stage().rest.activate(workflow, DEADLINE);
      return workflow;
    };
    const balances = () =>
      stage()
        .sandbox.requests()
        .filter(({ path }) => path.endsWith('/user/balance')).length;
    /** Waits until n8n has looked at the balance, from beginning to end, at least once. */
    const nextPoll = async () => {
      const before = balances();
      // The first one may have begun before, and the second is over when the third begins.
      await stage().waitFor('three polls', 30, async () => balances() >= before + 3 || undefined);
    };
    const alerts = () =>
      stage()
        .sandbox.messages()
        .map(({ message }) => message);
    const alerted = async (count: number) => {
      await stage().waitFor(`alert ${count}`, 30, async () => alerts().length >= count || undefined);
      await nextPoll();
      assert.equal(alerts().length, count);
    };
    const ended = async (workflow: JsonObject, status: string): Promise<Execution> => {
      const { rest } = stage();
      const id = await stage().waitFor(`an execution to end as ${status}`, 30, async () => {
        const executions = await rest.executionsOf(workflow);
        return executions.find((execution) => execution.status === status)?.id;
      });
      return await rest.waitForExecution(id, DEADLINE);
    };

    test('an active workflow starts once for each fall, also over a restart and a new activation', async () => {
      stage().sandbox.setCredits(150);
      const workflow = await activate('Falls');
      await nextPoll();
      assert.deepEqual(alerts(), []);

      stage().sandbox.setCredits(42);
      await alerted(1);
      assert.deepEqual(alerts(), ['42 of 100 credits left, 150 before']);

      await stage().restart();
      await nextPoll();
      assert.equal(alerts().length, 1);

      await stage().rest.deactivate(workflow, DEADLINE);
      await stage().rest.activate(workflow, DEADLINE);
      await nextPoll();
      assert.equal(alerts().length, 1);

      stage().sandbox.setCredits(200);
      await nextPoll();
      stage().sandbox.setCredits(99);
      await alerted(2);
      assert.equal(alerts()[1], '99 of 100 credits left, 200 before');
      await stage().rest.deactivate(workflow, DEADLINE);
    });

    test('a poll that fails is a failed execution, and the watch goes on', async () => {
      stage().sandbox.setCredits(150);
      const workflow = await activate('Failing service');
      stage().sandbox.setFaults([{ kind: 'status', status: 500, times: 1 }]);
      const failed = await ended(workflow, 'error');
      assert.match(failed.error, /The service failed/);

      stage().sandbox.setCredits(10);
      await alerted(1);
      await stage().rest.deactivate(workflow, DEADLINE);
    });

    test('with a wrong key, n8n says so and does not activate the workflow', async () => {
      const { rest, sandbox, n8n } = stage();
      const account = { baseUrl: `${sandbox.url}/v1`, apiKey: 'made-up-wrong-key' };
      const wrong = await rest.createCredential('Wrong key', 'messagingSendApi', account);
      const workflow = await store('Wrong key', wrong);
      await assert.rejects(async () => await rest.activate(workflow, DEADLINE), /The API key is not valid/);
      assert.equal(n8n.lastWords().includes(account.apiKey), false);
      assert.deepEqual(alerts(), []);
    });

    test('a test run gives the balance, low or not', async () => {
      const { rest, sandbox } = stage();
      sandbox.setCredits(5000);
      const workflow = await store('Test run');
      const execution = await rest.waitForExecution(await rest.run(workflow, TRIGGER), DEADLINE);
      const [item] = execution.runsOf(TRIGGER)[0]?.outputs[0] ?? [];
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
