import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type JsonObject } from '../../demo/json.js';
import { SUPPORTED } from '../../demo/releases.js';
import { listExpression, listOf, plain, type Listed } from './recipients.js';
import { stageForTests, stopped } from './stage.js';
import { webhook } from './triggerNodes.js';
import { chain, items, messagingSend, SENDER } from './workflow.js';

const DEADLINE = { seconds: 60, signal: stopped.signal };
const BULK = { resource: 'message', operation: 'sendBulk', options: { parallelRequests: 1 } };
const ANSWER_LONG_AFTER_THE_KILL = { kind: 'delay', ms: 600_000, on: 'bulk', after: 2 } as const;

for (const release of SUPPORTED) {
  describe(`n8n ${release} is killed while the third of five requests is on its way`, () => {
    const stage = stageForTests({ release });

    /** Runs a workflow of 450 messages until the kill, and starts n8n again. */
    const crash = async (workflow: JsonObject, path: string) => {
      const { rest, sandbox, n8n, credential } = stage();
      sandbox.reset();
      sandbox.setFaults([ANSWER_LONG_AFTER_THE_KILL]);
      const stored = await rest.importWorkflow(workflow, [credential]);
      await rest.activate(stored, DEADLINE);
      const answer = await fetch(`${n8n.url}/webhook/${path}`, { method: 'POST' });
      assert.equal(answer.status, 200);
      await stage().waitFor('the third request', 30, async () => sandbox.messages().length === 300 || undefined);
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

    for (const saveExecutionProgress of [false, true]) {
      const path = `list-${saveExecutionProgress}`;
      const list = { ...BULK, source: 'json', messages: listExpression(450) };

      test(`nothing goes out by itself; Retry begins anew (${path})`, async () => {
        const nodes = [atOnce(path), items([{ any: 'item' }]), messagingSend(list)];
        const crashed = await crash(withSettings(chain(path, nodes), { saveExecutionProgress }), path);
        assert.deepEqual(received(), listOf(300));
        assert.deepEqual(crashed.runsOf(SENDER).flatMap(({ outputs }) => outputs.flat()), []);

        // n8n has stored nothing since the node began: the node can't know better. The README says so.
        const retried = await retry(crashed.id);
        assert.equal(retried.status, 'success');
        assert.deepEqual(received(), plain([...listOf(300), ...listOf(450)]));
      });
    }

    test('in a loop with saved progress, Retry goes on with the hundred that was interrupted', async () => {
      const crashed = await crash(withSettings(loop('loop'), { saveExecutionProgress: true }), 'loop');
      assert.deepEqual(received(), listOf(300));
      assert.equal(crashed.runsOf(SENDER).flatMap(({ outputs }) => outputs.flat()).length, 200);

      const retried = await retry(crashed.id);
      assert.equal(retried.status, 'success');
      assert.deepEqual(received(), plain([...listOf(300), ...listOf(450).slice(200)]));
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
  const each = { name: 'Loop Over Items', type: 'n8n-nodes-base.splitInBatches', typeVersion: 3, parameters: { batchSize: 100 } };
  const sender = messagingSend({ ...BULK, source: 'items', phone: '={{ $json.phone }}', message: '={{ $json.message }}' });
  const trigger = atOnce(path);
  const contacts = items(rows.map(({ phone, message }) => ({ phone, message })));
  const to = (...outputs: string[][]) => ({ main: outputs.map((names) => names.map((node) => ({ node, type: 'main', index: 0 }))) });
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
