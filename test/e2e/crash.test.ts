import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { asObjects } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { SUPPORTED } from '../../tools/n8n/releases';
import { startPostgres } from '../support/n8n/postgres';
import { SENDER } from '../support/n8n/workflow';
import { Crashes, reported } from './crashes';
import { instanceForTests } from './instanceForTests';
import {
  balance,
  bulkItems,
  bulkList,
  finished,
  loop,
  loopWithWait,
  MESSAGES,
  order,
  single,
  twoBranches,
} from './victims';

const INTERRUPTED = 'uncertain (INTERRUPTED)';

/** What a Retry reports after a kill in the third of five requests. */
const RESUMED = [
  ['sent before', 200],
  [INTERRUPTED, 100],
  ['sent', 150],
];

/** The same in a loop of which n8n has stored the finished rounds. */
const RESUMED_IN_LOOP = [
  ['sent', 200],
  [INTERRUPTED, 100],
  ['sent', 150],
];

const ALL = Array.from({ length: MESSAGES }, (_slot, index) => index);

const CONTINUE = { onError: 'continueRegularOutput' };
const SAVED_PROGRESS = { saveExecutionProgress: true };

function assertInterrupted(execution: Execution, progress: RegExp): void {
  assert.equal(execution.status, 'error');
  assert.equal(execution.error, "n8n stopped during an earlier attempt, so this message's outcome is unknown");
  assert.match(execution.errorDescription, progress);
}

for (const release of SUPPORTED) {
  describe(`n8n ${release}, killed while the third of five requests is in flight`, () => {
    const instance = instanceForTests({ release });
    const crashes = new Crashes(instance);
    /** The executions of two orders. */
    let orders: string[];
    before(async () => {
      const ids = await crashes.killIn([
        order('order-a'),
        order('order-b'),
        bulkList('stop'),
        bulkItems('items'),
        single('single-stop', {}),
        single('single', CONTINUE),
        bulkList('again', { options: { uncertain: 'sendAgain' }, settings: CONTINUE }),
        bulkList('changing', { text: "'[changing] ' + index + ' ' + $now + ' ' + $execution.id", settings: CONTINUE }),
        bulkList('renamed', { settings: CONTINUE }),
        loop('loop', {}, CONTINUE),
        loop('loop-saved', SAVED_PROGRESS, CONTINUE),
        loop('loop-stop', SAVED_PROGRESS, {}),
        loopWithWait('waiting', CONTINUE),
        finished('finished'),
        twoBranches('two-branches'),
        bulkList('repeatedly', { messages: 650, settings: CONTINUE }),
        bulkList('repeatedly-stop', { messages: 650 }),
        bulkList('every-day', { settings: CONTINUE }),
      ]);
      orders = ids.slice(0, 2);
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

    test('Retry of the older execution sends nothing after a newer one has sent the rest', async () => {
      const [oldest = ''] = await crashes.ids('items');
      const retried = await crashes.retry('items', oldest);
      assert.deepEqual(crashes.received('items'), ALL);
      assert.deepEqual(reported(retried), [
        ['sent before', 200],
        [INTERRUPTED, 100],
        ['sent before', 150],
      ]);
    });

    test('Retry sends the rest of single messages with On Error: Stop', async () => {
      assertInterrupted(await crashes.retry('single-stop'), /4 of 5 messages were sent, and 1 may have been sent\./);
      assert.deepEqual(crashes.received('single-stop'), [0, 1, 2, 3, 4]);
    });

    test('Retry sends the rest of single messages with On Error: Continue', async () => {
      assert.deepEqual(reported(await crashes.retry('single')), [
        ['sent before', 2],
        [INTERRUPTED, 1],
        ['sent', 2],
      ]);
      assert.deepEqual(crashes.received('single'), [0, 1, 2, 3, 4]);
    });

    test('Two executions that send to one number at the same time are resumed each for itself', async () => {
      for (const [index, name] of ['order-a', 'order-b'].entries()) {
        assert.deepEqual(reported(await crashes.retry(name, orders[index])), [
          ['sent before', 2],
          [INTERRUPTED, 1],
          ['sent', 2],
        ]);
        assert.deepEqual(crashes.received(name), [0, 1, 2, 3, 4]);
      }
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

    test('Retry recognizes messages whose texts contain the time and the execution', async () => {
      assert.deepEqual(reported(await crashes.retry('changing')), RESUMED);
      assert.deepEqual(crashes.received('changing'), ALL);
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

    test('In a loop, Retry sends the rest of all rounds', async () => {
      assert.deepEqual(reported(await crashes.retry('loop')), RESUMED);
      assert.deepEqual(crashes.received('loop'), ALL);
    });

    test('In a loop with saved progress, the finished rounds stay as they are', async () => {
      assert.deepEqual(reported(await crashes.retry('loop-saved')), RESUMED_IN_LOOP);
      assert.deepEqual(crashes.received('loop-saved'), ALL);
    });

    test('In a loop with a Wait, the finished rounds stay as they are', async () => {
      assert.deepEqual(reported(await crashes.retryWithCalls('waiting')), RESUMED_IN_LOOP);
      assert.deepEqual(crashes.received('waiting'), ALL);
    });

    test('In a loop with On Error: Stop, Retry ends in the round that is uncertain', async () => {
      assertInterrupted(await crashes.retry('loop-stop'), /0 of 100 messages were sent, and 100 may have been sent\./);
      assert.deepEqual(crashes.received('loop-stop'), ALL.slice(0, 300));
    });

    test('Retry sends nothing when n8n was killed after the node had sent everything', async () => {
      const retried = await crashes.retry('finished');
      assert.equal(retried.status, 'success');
      assert.deepEqual(reported(retried), [['sent before', MESSAGES]]);
      assert.deepEqual(crashes.received('finished'), ALL);
    });

    test('Retry sends nothing when the node had run twice, the second time with a single message', async () => {
      assert.deepEqual(reported(await crashes.retry('two-branches')), [['sent before', 4]]);
      assert.deepEqual(crashes.received('two-branches'), [0, 1, 2, 3]);
    });

    test('Retry sends everything when only an earlier node had failed', async () => {
      const { sandbox, n8n, rest, credential } = instance();
      const victim = bulkList('earlier');
      const [trigger, sender] = asObjects(victim.workflow.nodes, 'nodes');
      const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
      const stored = await rest.importWorkflow(
        {
          ...victim.workflow,
          nodes: [trigger, { ...balance('Balance'), position: [100, 0], id: 'balance' }, sender],
          connections: { Webhook: to('Balance'), Balance: to(SENDER) },
        },
        [credential],
      );
      await rest.activate(stored);
      sandbox.setFaults([{ kind: 'status', status: 503, on: 'balance' }]);
      await fetch(`${n8n.url}/webhook/earlier`, { method: 'POST' });
      const failed = await instance().waitFor('the execution to fail', 30, async () =>
        (await rest.executionsOf(stored)).find(({ status }) => status === 'error'),
      );
      assert.deepEqual(crashes.received('earlier'), []);
      assert.equal((await rest.retry(failed.id)).status, 'success');
      assert.deepEqual(crashes.received('earlier'), ALL);
    });

    describe('and killed again in its Retry, which loses its event log', () => {
      before(async () => {
        // Of one more execution, and of one whose older run was killed and not retried.
        await crashes.killIn([bulkList('without-log', { settings: CONTINUE }), finished('finished-without-log')], {
          losesEventLog: true,
        });
        await crashes.killIn([{ ...bulkList('every-day', { settings: CONTINUE }), answered: 1, arrived: 500 }]);
        const inRetry = { answered: 1, arrived: 500 };
        const twice = [bulkList('repeatedly'), bulkList('repeatedly-stop')];
        await crashes.killInRetries(
          twice.map((victim) => ({ ...victim, ...inRetry })),
          { losesEventLog: true },
        );
        await crashes.killInRetries(twice.map((victim) => ({ ...victim, answered: 0, arrived: 600 })));
      });

      test('Retry after three kills sends the rest, and nothing twice', async () => {
        const all = Array.from({ length: 650 }, (_slot, index) => index);
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

      test("Retry sends the rest when n8n's event log is gone", async () => {
        assert.deepEqual(reported(await crashes.retry('without-log')), RESUMED);
        assert.deepEqual(crashes.received('without-log'), ALL);
      });

      test("Retry sends nothing when the node had sent everything and n8n's event log is gone", async () => {
        const retried = await crashes.retry('finished-without-log');
        assert.deepEqual(reported(retried), [['sent before', MESSAGES]]);
        assert.deepEqual(crashes.received('finished-without-log'), ALL);
      });

      test('The same list every day: what a killed older run sent counts for that run alone', async () => {
        const [monday = '', tuesday = ''] = await crashes.ids('every-day');
        const ofTuesday = reported(await crashes.retry('every-day', tuesday));
        const ofMonday = reported(await crashes.retry('every-day', monday));
        assert.deepEqual(ofTuesday, [
          ['sent before', 100],
          [INTERRUPTED, 100],
          ['sent', 250],
        ]);
        assert.deepEqual(ofMonday, RESUMED);
        assert.deepEqual(
          crashes.received('every-day'),
          [...ALL, ...ALL].sort((left, right) => left - right),
        );
      });
    });
  });
}

describe('n8n on PostgreSQL, killed while the third of five requests is in flight', () => {
  const instance = instanceForTests({ database: startPostgres });
  const crashes = new Crashes(instance);
  before(async () => {
    await crashes.killIn([bulkItems('items'), loop('loop', SAVED_PROGRESS, CONTINUE)]);
  });

  test('Retry sends the rest', async () => {
    assert.deepEqual(reported(await crashes.retry('items')), RESUMED);
    assert.deepEqual(crashes.received('items'), ALL);
  });

  test('In a loop with saved progress, the finished rounds stay as they are', async () => {
    assert.deepEqual(reported(await crashes.retry('loop')), RESUMED_IN_LOOP);
    assert.deepEqual(crashes.received('loop'), ALL);
  });
});
