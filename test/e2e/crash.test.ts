import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { asArray, type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { SUPPORTED } from '../../tools/n8n/releases';
import { listOf } from '../support/contacts';
import { webhook } from '../support/n8n/triggerNodes';
import { chain, items, messagingSend, SENDER, START, start } from '../support/n8n/workflow';
import { instanceForTests } from './instanceForTests';
import { listExpression, receivedBy, sorted } from './recipients';

const BULK = { resource: 'message', operation: 'sendBulk', options: { parallelRequests: 1 } };
const LONG_AFTER_THE_KILL = 600_000;

for (const release of SUPPORTED) {
  describe(`n8n ${release}, killed while the third of five requests is in flight`, () => {
    const instance = instanceForTests({ release });

    /** Runs a workflow of 450 messages until n8n is killed in a request, and starts it again. */
    const crash = async (
      workflow: JsonObject,
      path: string,
      { requestsBefore, messages } = { requestsBefore: 2, messages: 300 },
    ) => {
      const { rest, sandbox, n8n, credential } = instance();
      sandbox.reset();
      sandbox.setFaults([{ kind: 'delay', ms: LONG_AFTER_THE_KILL, on: 'bulk', after: requestsBefore }]);
      const stored = await rest.importWorkflow(workflow, [credential]);
      await rest.activate(stored);
      const answer = await fetch(`${n8n.url}/webhook/${path}`, { method: 'POST' });
      assert.equal(answer.status, 200);
      await instance().waitFor('the last request', 30, () => sandbox.messages().length === messages || undefined);
      await n8n.kill();

      await instance().restart();
      const id = await instance().waitFor('n8n to notice the crash', 60, async () => {
        const [execution] = await instance().rest.executionsOf(stored);
        return execution?.status === 'crashed' ? execution.id : undefined;
      });
      sandbox.setFaults([]);
      return await instance().rest.waitForExecution(id);
    };
    const retry = (id: string) => instance().rest.retry(id);
    const received = () => receivedBy(instance().sandbox);

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
      const progress = saveExecutionProgress ? 'with saved progress' : 'without saved progress';
      test(`Nothing is sent again, neither automatically nor by Retry, ${progress}`, async () => {
        const nodes = [immediateWebhook(path), items([{ any: 'item' }]), messagingSend(list())];
        const crashed = await crash(withSettings(chain(path, nodes), { saveExecutionProgress }), path);
        assert.deepEqual(received(), listOf(300));
        assert.deepEqual(crashed.outputOf(SENDER), []);

        const retried = await retry(crashed.id);
        assertInterrupted(retried);
        assertInterrupted(await retry(retried.id));
        assert.deepEqual(received(), listOf(300));
      });
    }

    test('Retry reports the interrupted attempt wherever the node is in the workflow file', async () => {
      const workflow = chain('reversed', [
        immediateWebhook('reversed'),
        items([{ any: 'item' }]),
        messagingSend(list()),
      ]);
      const crashed = await crash({ ...workflow, nodes: asArray(workflow.nodes, 'nodes').toReversed() }, 'reversed');
      assertInterrupted(await retry(crashed.id));
      assert.deepEqual(received(), listOf(300));
    });

    test('With Send Again, Retry sends the whole list again', async () => {
      const nodes = [
        immediateWebhook('again'),
        items([{ any: 'item' }]),
        messagingSend(list({ uncertain: 'sendAgain' })),
      ];
      const retried = await retry((await crash(chain('again', nodes), 'again')).id);
      assert.equal(retried.status, 'success');
      assert.deepEqual(received(), sorted([...listOf(300), ...listOf(450)]));
    });

    test('In a loop without saved progress, Retry starts with the first round and sends nothing', async () => {
      const crashed = await crash(loop('anew'), 'anew');
      assertInterrupted(await retry(crashed.id));
      assert.deepEqual(received(), listOf(300));
    });

    test('In a loop with saved progress, Retry continues with the interrupted hundred', async () => {
      const crashed = await crash(withSettings(loop('loop'), { saveExecutionProgress: true }), 'loop');
      assert.deepEqual(received(), listOf(300));
      assert.equal(crashed.outputOf(SENDER).length, 200);

      const retried = await retry(crashed.id);
      assert.equal(retried.status, 'success');
      assert.deepEqual(received(), sorted([...listOf(300), ...listOf(450).slice(200)]));
    });

    test('Retry sends nothing when n8n was killed after the node had sent everything', async () => {
      const later = messagingSend(
        { ...BULK, source: 'json', messages: listExpression(1) },
        { name: 'Later', executeOnce: true },
      );
      const workflow = chain('later', [
        immediateWebhook('later'),
        items([{ any: 'item' }]),
        messagingSend(list()),
        later,
      ]);
      const crashed = await crash(workflow, 'later', { requestsBefore: 5, messages: 451 });
      assert.deepEqual(received(), sorted([...listOf(450), ...listOf(1)]));
      assertInterrupted(await retry(crashed.id));
      assert.deepEqual(received(), sorted([...listOf(450), ...listOf(1)]));
    });

    test('Retry sends everything when only an earlier node had failed', async () => {
      const { rest, sandbox, credential } = instance();
      sandbox.reset();
      sandbox.setFaults([{ kind: 'status', status: 503 }]);
      const balance = messagingSend({ resource: 'balance', operation: 'get' }, { name: 'Balance' });
      const stored = await rest.importWorkflow(chain('earlier', [start(), balance, messagingSend(list())]), [
        credential,
      ]);
      const failed = await rest.run(stored, START);
      assert.equal(failed.status, 'error');
      assert.equal((await retry(failed.id)).status, 'success');
      assert.deepEqual(received(), listOf(450));
    });
  });
}

/** A webhook that is answered before the workflow has run. */
function immediateWebhook(path: string) {
  return { ...webhook(path), parameters: { httpMethod: 'POST', path, responseMode: 'onReceived' } };
}

/** Sends 450 items through Loop Over Items, a hundred in each round. */
function loop(path: string): JsonObject {
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
  const trigger = immediateWebhook(path);
  const contacts = items(listOf(450).map((message) => ({ ...message })));
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
