import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { asObjects } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { SUPPORTED } from '../../tools/n8n/releases';
import { startPostgres } from '../support/n8n/postgres';
import { SENDER } from '../support/n8n/workflow';
import { ATTEMPTED, testAttempts } from './attemptTests';
import { Crashes, reported } from './crashes';
import { instanceForTests } from './instanceForTests';
import { ALL, bulkItems, bulkList, CONTINUE, finished, loopWithWait, MESSAGES } from './victims';

const INTERRUPTED = 'uncertain (INTERRUPTED)';

/** What a Retry reports after a kill in the third of five requests. */
const RESUMED = [
  ['sent before', 200],
  [INTERRUPTED, 100],
  ['sent', 150],
];

/** Victims with seven requests that n8n is killed in three times. */
const LONGER = { messages: 650 };
const REPEATEDLY = [bulkList('repeatedly', { ...LONGER, settings: CONTINUE }), bulkList('repeatedly-stop', LONGER)];

/** How far they are at the second kill and at the third. */
const SECOND_KILL = { answered: 1, arrived: 500 };
const THIRD_KILL = { answered: 0, arrived: 600 };

function assertInterrupted(execution: Execution, progress: RegExp): void {
  assert.equal(execution.status, 'error');
  assert.equal(execution.error, "n8n stopped during an earlier attempt, so this message's outcome is unknown");
  assert.match(execution.errorDescription, progress);
}

for (const release of SUPPORTED) {
  describe(`n8n ${release}, killed while the third of five requests is in flight`, () => {
    const instance = instanceForTests({ release });
    const crashes = new Crashes(instance);
    before(async () => {
      await crashes.kill({ started: REPEATEDLY, losesEventLog: true });
      await crashes.kill({
        started: [
          bulkList('stop'),
          bulkItems('items'),
          bulkList('again', { options: { uncertain: 'sendAgain' }, settings: CONTINUE }),
          bulkList('renamed', { settings: CONTINUE }),
          loopWithWait('waiting'),
          finished('finished'),
          ...ATTEMPTED,
        ],
        retried: REPEATEDLY.map((victim) => ({ ...victim, ...SECOND_KILL })),
      });
      await crashes.kill({
        retried: REPEATEDLY.map((victim) => ({ ...victim, ...THIRD_KILL })),
        losesEventLog: true,
      });
    });

    test('Retry sends the rest with On Error: Stop, and ends with an error that names the uncertain messages', async () => {
      const retried = await crashes.retry('stop');
      assertInterrupted(retried, /350 of 450 messages were sent, and 100 may have been sent\./);
      assert.match(retried.errorDescription, /Affected items \(counted from 0\): 0 \(entry 200\).* and 90 more\./);
      assert.deepEqual(crashes.received('stop'), ALL);

      assertInterrupted(await crashes.retry('stop'), /350 of 450 messages were sent/);
      assert.deepEqual(crashes.received('stop'), ALL);
    });

    test('Retry sends the rest with On Error: Continue, and reports each message', async () => {
      const retried = await crashes.retry('items');
      assert.equal(retried.status, 'success');
      assert.deepEqual(reported(retried), RESUMED);
      assert.deepEqual(crashes.received('items'), ALL);
    });

    test('With Send Again, Retry sends what was in flight again, and nothing else', async () => {
      const retried = await crashes.retry('again');
      assert.deepEqual(reported(retried), [
        ['sent before', 200],
        ['sent', 250],
      ]);
      const twice = [...ALL, ...ALL.slice(200, 300)].sort((left, right) => left - right);
      assert.deepEqual(crashes.received('again'), twice);
    });

    test('Retry with the saved workflow sends the rest after the node was renamed', async () => {
      const workflow = crashes.workflow('renamed');
      const nodes = asObjects(workflow.nodes, 'nodes');
      const renamed = nodes.map((node) => (node.name === SENDER ? { ...node, name: 'Renamed' } : node));
      const connections = { Webhook: { main: [[{ node: 'Renamed', type: 'main', index: 0 }]] } };
      await instance().rest.saveNodes({ ...workflow, connections }, renamed);
      const retried = await crashes.retry('renamed', undefined, true);
      assert.deepEqual(reported(retried, 'Renamed'), RESUMED);
      assert.deepEqual(crashes.received('renamed'), ALL);
    });

    test('In a loop with a Wait, the finished rounds stay as they are', async () => {
      assert.deepEqual(reported(await crashes.retryWithCalls('waiting')), [
        ['sent', 200],
        [INTERRUPTED, 100],
        ['sent', 150],
      ]);
      assert.deepEqual(crashes.received('waiting'), ALL);
    });

    test('Retry sends nothing when n8n was killed after the node had sent everything', async () => {
      const retried = await crashes.retry('finished');
      assert.equal(retried.status, 'success');
      assert.deepEqual(reported(retried), [['sent before', MESSAGES]]);
      assert.deepEqual(crashes.received('finished'), ALL);
    });

    test("Retry after three kills, with n8n's event log or without, sends the rest, and nothing twice", async () => {
      const all = Array.from({ length: LONGER.messages }, (_slot, index) => index);
      assert.deepEqual(reported(await crashes.retry('repeatedly')), [
        ['sent before', 200],
        [INTERRUPTED, 100],
        ['sent before', 100],
        [INTERRUPTED, 200],
        ['sent', 50],
      ]);
      assert.deepEqual(crashes.received('repeatedly'), all);

      assertInterrupted(await crashes.retry('repeatedly-stop'), /350 of 650 messages were sent, and 300 may/);
      assert.deepEqual(crashes.received('repeatedly-stop'), all);
    });

    testAttempts(instance, crashes);
  });
}

describe('n8n on PostgreSQL, killed while the third of five requests is in flight', () => {
  const instance = instanceForTests({ database: startPostgres });
  const crashes = new Crashes(instance);
  before(() => crashes.kill({ started: [bulkItems('items')] }));

  test('Retry sends the rest', async () => {
    assert.deepEqual(reported(await crashes.retry('items')), RESUMED);
    assert.deepEqual(crashes.received('items'), ALL);
  });
});
