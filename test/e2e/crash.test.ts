import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Execution } from '../../demo/execution';
import { asArray, type JsonObject } from '../../demo/json';
import { SUPPORTED } from '../../demo/releases';
import { type Listed, listExpression, listOf, plain } from './recipients';
import { stageForTests, stopped } from './stage';
import { webhook } from './triggerNodes';
import { chain, items, messagingSend, SENDER, START, start } from './workflow';

const DEADLINE = { seconds: 60, signal: stopped.signal };
const BULK = { resource: 'message', operation: 'sendBulk', options: { parallelRequests: 1 } };
const LONG_AFTER_THE_KILL = 600_000;

for (const release of SUPPORTED) {
  describe(`n8n ${release} is killed while the third of five requests is on its way`, () => {
    const stage = stageForTests({ release });

    /** Runs a workflow of 450 messages until n8n is killed in a request, and starts it again. */
    const crash = async (
      workflow: JsonObject,
      path: string,
      { requestsBefore, messages } = { requestsBefore: 2, messages: 300 },
    ) => {
      const { rest, sandbox, n8n, credential } = stage();
      sandbox.reset();
      sandbox.setFaults([{ kind: 'delay', ms: LONG_AFTER_THE_KILL, on: 'bulk', after: requestsBefore }]);
      const stored = await rest.importWorkflow(workflow, [credential]);
      await rest.activate(stored, DEADLINE);
      const answer = await fetch(`${n8n.url}/webhook/${path}`, { method: 'POST' });
      assert.equal(answer.status, 200);
      await stage().waitFor('the last request', 30, async () => sandbox.messages().length === messages || undefined);
      await n8n.kill();

      await stage().restart();
      const id = await stage().waitFor('n8n to notice the crash', 60, async () => {
        const [execution] = await stage().rest.executionsOf(stored);
        return execution?.status === 'crashed' ? execution.id : undefined;
      });
      sandbox.setFaults([]);
      return await stage().rest.waitForExecution(id, DEADLINE);
    };
    const retry = async (id: string) => {
      const { rest } = stage();
      return await rest.waitForExecution(await rest.retry(id), DEADLINE);
    };
    const received = () => plain(stage().sandbox.messages());

    const list = (options: JsonObject = {}) => ({
      ...BULK,
      options: { ...BULK.options, ...options },
      source: 'json',
      messages: listExpression(450),
    });
    const assertInterrupted = (execution: Execution) => {
      assert.equal(execution.status, 'error');
      assert.equal(execution.error, "n8n stopped during an earlier attempt, so this message's outcome is unknown");
    };

    for (const saveExecutionProgress of [false, true]) {
      const path = `list-${saveExecutionProgress}`;

      test(`nothing goes out by itself, nor by Retry (${path})`, async () => {
        const nodes = [atOnce(path), items([{ any: 'item' }]), messagingSend(list())];
        const crashed = await crash(withSettings(chain(path, nodes), { saveExecutionProgress }), path);
        assert.deepEqual(received(), listOf(300));
        assert.deepEqual(
          crashed.runsOf(SENDER).flatMap(({ outputs }) => outputs.flat()),
          [],
        );

        const retried = await retry(crashed.id);
        assertInterrupted(retried);
        assertInterrupted(await retry(retried.id));
        assert.deepEqual(received(), listOf(300));
      });
    }

    test('Retry says so wherever the node stands in the file', async () => {
      const workflow = chain('reversed', [atOnce('reversed'), items([{ any: 'item' }]), messagingSend(list())]);
      const crashed = await crash({ ...workflow, nodes: asArray(workflow.nodes, 'nodes').toReversed() }, 'reversed');
      assertInterrupted(await retry(crashed.id));
      assert.deepEqual(received(), listOf(300));
    });

    test('with Send Again, Retry sends all of it, as the user wants it', async () => {
      const nodes = [atOnce('again'), items([{ any: 'item' }]), messagingSend(list({ uncertain: 'sendAgain' }))];
      const retried = await retry((await crash(chain('again', nodes), 'again')).id);
      assert.equal(retried.status, 'success');
      assert.deepEqual(received(), plain([...listOf(300), ...listOf(450)]));
    });

    test('in a loop without saved progress, Retry begins with the first round, and sends nothing', async () => {
      const crashed = await crash(loop('anew'), 'anew');
      assertInterrupted(await retry(crashed.id));
      assert.deepEqual(received(), listOf(300));
    });

    test('in a loop with saved progress, Retry goes on with the hundred that was interrupted', async () => {
      const crashed = await crash(withSettings(loop('loop'), { saveExecutionProgress: true }), 'loop');
      assert.deepEqual(received(), listOf(300));
      assert.equal(crashed.runsOf(SENDER).flatMap(({ outputs }) => outputs.flat()).length, 200);

      const retried = await retry(crashed.id);
      assert.equal(retried.status, 'success');
      assert.deepEqual(received(), plain([...listOf(300), ...listOf(450).slice(200)]));
    });

    test('when n8n is killed after the node has sent everything, Retry sends nothing', async () => {
      const later = messagingSend(
        { ...BULK, source: 'json', messages: listExpression(1) },
        { name: 'Later', executeOnce: true },
      );
      const workflow = chain('later', [atOnce('later'), items([{ any: 'item' }]), messagingSend(list()), later]);
      const crashed = await crash(workflow, 'later', { requestsBefore: 5, messages: 451 });
      assert.deepEqual(received(), plain([...listOf(450), ...listOf(1)]));
      assertInterrupted(await retry(crashed.id));
      assert.deepEqual(received(), plain([...listOf(450), ...listOf(1)]));
    });

    test('Retry after an earlier node failed is no sign of it: everything is sent', async () => {
      const { rest, sandbox, credential } = stage();
      sandbox.reset();
      sandbox.setFaults([{ kind: 'status', status: 503 }]);
      const balance = messagingSend({ resource: 'balance', operation: 'get' }, { name: 'Balance' });
      const stored = await rest.importWorkflow(chain('earlier', [start(), balance, messagingSend(list())]), [
        credential,
      ]);
      const failed = await rest.waitForExecution(await rest.run(stored, START), DEADLINE);
      assert.equal(failed.status, 'error');
      assert.equal((await retry(failed.id)).status, 'success');
      assert.deepEqual(received(), listOf(450));
    });
  });
}

/** A webhook that is answered before the workflow has run. */
function atOnce(path: string) {
  return { ...webhook(path), parameters: { httpMethod: 'POST', path, responseMode: 'onReceived' } };
}

/** Sends 450 items through Loop Over Items, a hundred in each round. */
function loop(path: string): JsonObject {
  const rows: Listed[] = listOf(450);
  const each = {
    name: 'Loop Over Items',
    type: 'n8n-nodes-base.splitInBatches',
    typeVersion: 3,
    parameters: { batchSize: 100 },
  };
  const sender = messagingSend({
    ...BULK,
    source: 'items',
    phone: '={{ $json.phone }}',
    message: '={{ $json.message }}',
  });
  const trigger = atOnce(path);
  const contacts = items(rows.map(({ phone, message }) => ({ phone, message })));
  const to = (...outputs: string[][]) => ({
    main: outputs.map((names) => names.map((node) => ({ node, type: 'main', index: 0 }))),
  });
  return {
    ...chain(path, [trigger, contacts, each, sender]),
    connections: {
      [trigger.name]: to([contacts.name]),
      [contacts.name]: to([each.name]),
      // Its first output is for the end of the loop.
      [each.name]: to([], [sender.name]),
      [sender.name]: to([each.name]),
    },
  };
}

function withSettings(workflow: JsonObject, settings: JsonObject): JsonObject {
  return { ...workflow, settings: { executionOrder: 'v1', ...settings } };
}
