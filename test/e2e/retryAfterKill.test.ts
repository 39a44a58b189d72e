/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { before, beforeEach, describe, test } from 'node:test';

import { type Fault } from '../../sandbox/server';
import { type Execution } from '../../tools/n8n/execution';
import { SUPPORTED } from '../../tools/n8n/releases';
import {
  callWebhook,
  chain,
  type JsonObject,
  messagingSend,
  SENDER,
  type StoredWorkflow,
  webhook,
  type WorkflowNode,
} from '../../tools/n8n/workflow';
import { phones } from '../support/contacts';
import { arrivedFrom, indexes, listExpression, outcomeOf } from './arrivals';
import { instanceForTests } from './instanceForTests';

/** Longer than any test: n8n is killed before it gets the answer. */
const LONG_AFTER_THE_KILL = 600_000;

const CONTINUE = { onError: 'continueRegularOutput' };

/** Sends five requests, one after the other. Texts begin with the name in brackets, which identifies the messages. */
const MESSAGES = 450;
const list = (name: string, messages = MESSAGES, settings: JsonObject = {}): WorkflowNode => {
  const texts = listExpression(messages, `'[${name}] ' + index`);
  // All of them together make more than 60 requests in a minute.
  const options = { parallelRequests: 1, requestsPerMinute: 10_000 };
  return messagingSend(
    { resource: 'message', operation: 'sendBulk', source: 'json', messages: texts, options },
    settings,
  );
};

/** Runs of the same outcome, in the order of the input, with their length. */
function reported(execution: Execution): Array<[outcome: string, messages: number]> {
  const groups: Array<[string, number]> = [];
  for (const { json } of execution.outputOf(SENDER)) {
    // n8n enters an item of its own for a run that it lost.
    if (json.isArtificialRecoveredEventItem === true) continue;
    const outcome = outcomeOf(json);
    const last = groups.at(-1);
    if (last?.[0] === outcome) last[1] += 1;
    else groups.push([outcome, 1]);
  }
  return groups;
}

for (const release of SUPPORTED) {
  describe(`In n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    const received = (name: string) => arrivedFrom(instance().sandbox, name);

    const activate = async (webhookNode: WorkflowNode, nodes: WorkflowNode[], more: JsonObject = {}) => {
      const { rest, credential } = instance();
      const name = String(webhookNode.parameters.path);
      return await rest.publish({ ...chain(name, [webhookNode, ...nodes]), ...more }, [credential]);
    };
    const newestOf = async (workflow: StoredWorkflow) => (await instance().rest.executionsOf(workflow))[0]?.id;
    const retry = async (workflow: StoredWorkflow) =>
      await instance().rest.retry((await newestOf(workflow)) ?? 'no execution');

    describe('an execution that ends without a kill', () => {
      beforeEach(() => instance().sandbox.reset());

      const answering = async (name: string, sender: WorkflowNode) =>
        await activate(webhook(name, 'with the last output'), [sender]);

      test('After Stop no request starts, and n8n stores no outcome', async () => {
        const { rest, sandbox, n8n } = instance();
        sandbox.setFaults([{ kind: 'silence', handled: true, on: 'bulk', after: 1 }]);
        const workflow = await answering('stopped', list('stopped'));
        const loggedBefore = n8n.log().length;
        // It is answered only when the run has ended.
        const call = callWebhook(n8n.url, 'stopped', {});
        await instance().waitFor('two requests', 30, () => sandbox.messages().length === 200 || undefined);
        const [running] = await rest.executionsOf(workflow);
        assert.equal(running?.status, 'running');
        await rest.stop(running.id);
        await call;
        // The line that the node writes to n8n's log when a production run of it ends.
        const summary = await instance().waitFor(
          'the node to end',
          30,
          () => /Messaging Send: (.*)/.exec(n8n.log().slice(loggedBefore))?.[1],
        );
        assert.match(summary, /^100 sent, 250 not sent, 100 uncertain \(may have been sent\), /);
        assert.equal(sandbox.requests().length, 2);
        const execution = await rest.waitForExecution(running.id);
        assert.equal(execution.status, 'canceled');
        // The README warns about it.
        assert.deepEqual(execution.outputOf(SENDER), []);
      });

      test('n8n repeats no request after a 401, and follows no redirect', async () => {
        const { sandbox, n8n } = instance();
        const location = `${sandbox.url}/v1/messages/send-bulk`;
        sandbox.setFaults([
          { kind: 'status', status: 401, times: 1 },
          { kind: 'redirect', location, times: 1 },
        ]);
        await answering('once', list('once', 1));
        await callWebhook(n8n.url, 'once', {});
        await callWebhook(n8n.url, 'once', {});
        const statuses = sandbox.requests().map(({ status }) => status);
        assert.deepEqual(statuses, [401, 307]);
      });

      test('Retry On Fail and Retry send what was not sent, and report every message once', async () => {
        const { rest, sandbox, n8n } = instance();
        sandbox.setFaults([{ kind: 'status', status: 403, on: 'bulk', after: 1, times: 2 }]);
        const again = { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 };
        const workflow = await answering('again', list('again', 250, again));
        const { status } = await callWebhook(n8n.url, 'again', {});
        const [failed] = await rest.executionsOf(workflow);
        assert.deepEqual([status, failed?.status, failed?.mode], [500, 'error', 'webhook']);
        const statuses = () => sandbox.requests().flatMap((each) => (each.messages === 0 ? [] : [each.status]));
        assert.deepEqual(statuses(), [201, 403, 403]);

        const retried = await retry(workflow);
        assert.equal(retried.status, 'success');
        assert.deepEqual(statuses(), [201, 403, 403, 201, 201]);
        assert.deepEqual(received('again'), indexes(250));
        const outcomes = retried.outputOf(SENDER).map(({ json }) => [json.phone, json.status]);
        assert.deepEqual(
          outcomes,
          phones(...indexes(250)).map((phone) => [phone, 'sent']),
        );
      });
    });

    describe('an execution that n8n was killed in, while the third of five requests was in flight', () => {
      let repeatedly: StoredWorkflow;
      let finished: StoredWorkflow;
      let secondOutput: StoredWorkflow;

      const start = async (workflow: StoredWorkflow): Promise<void> => {
        const { status, text } = await callWebhook(instance().n8n.url, workflow.name, {});
        assert.equal(status, 200, text);
        // n8n may answer before it lists the execution.
        await instance().waitFor('the execution to be listed', 30, () => newestOf(workflow));
      };
      const late = () =>
        instance()
          .sandbox.requests()
          .filter(({ fault, duration_ms: ms }) => fault === 'delay' && ms === null).length;

      /** Starts or retries these, kills n8n when this many requests of each are answered, and starts it again. */
      const kill = async (
        victims: Array<{ workflow: StoredWorkflow; answered: number; isRetry?: boolean }>,
        whileDown: () => unknown = () => undefined,
      ): Promise<void> => {
        const { sandbox, n8n } = instance();
        const delay = { kind: 'delay', ms: LONG_AFTER_THE_KILL } as const;
        sandbox.setFaults([
          ...victims.map(({ workflow, answered }): Fault => ({
            ...delay,
            text: `[${workflow.name}]`,
            after: answered,
          })),
          // For a node that runs after one that has sent everything.
          { ...delay, on: 'balance', probability: 1 },
        ]);
        for (const { workflow, isRetry = false } of victims) {
          // A Retry is answered only when it has ended.
          if (isRetry) void retry(workflow).catch(() => undefined);
          else await start(workflow);
        }
        await instance().waitFor('one late answer for each', 60, () => late() === victims.length || undefined);
        await n8n.kill();
        await whileDown();
        sandbox.setFaults([]);
        await instance().restart();
        for (const { workflow } of victims)
          await instance().rest.waitForExecution((await newestOf(workflow)) ?? 'no execution');
      };

      /** Removes the log that tells n8n at its start which nodes were running when it was killed. */
      const removeEventLog = async (): Promise<void> => {
        const home = path.join(instance().folder, '.n8n');
        const logs = (await readdir(home)).filter((name) => name.startsWith('n8nEventLog'));
        assert.ok(logs.length > 0, 'n8n has an event log');
        await Promise.all(logs.map((name) => rm(path.join(home, name))));
      };

      before(async () => {
        instance().sandbox.reset();
        repeatedly = await activate(webhook('repeatedly'), [list('repeatedly', 550, CONTINUE)]);
        await kill([{ workflow: repeatedly, answered: 2 }], removeEventLog);

        const balance = { resource: 'balance', operation: 'get', options: { requestsPerMinute: 10_000 } };
        const later = messagingSend(balance, { name: 'Later', executeOnce: true });
        // The newer kind of items.
        const settings = { executionOrder: 'v1', binaryMode: 'combined' };
        finished = await activate(webhook('finished'), [list('finished'), later], { settings });
        const errorOutput = { onError: 'continueErrorOutput' };
        secondOutput = await activate(webhook('second-output'), [list('second-output', MESSAGES, errorOutput)]);
        await kill([
          { workflow: finished, answered: 5 },
          { workflow: secondOutput, answered: 2 },
          { workflow: repeatedly, answered: 1, isRetry: true },
        ]);
      });

      test("Retry after two kills, of which the first lost n8n's event log, sends the rest, and nothing twice", async () => {
        // With 550 messages, up to eight neighbors are noted together: 399 and 501 with some that were in flight.
        assert.deepEqual(reported(await retry(repeatedly)), [
          ['before', 200],
          ['uncertain', 100],
          ['before', 99],
          ['uncertain', 103],
          ['sent', 48],
        ]);
        const left = indexes(550).filter((index) => index !== 500 && index !== 501);
        assert.deepEqual(received('repeatedly'), left);
      });

      test('Retry sends nothing when n8n was killed after the node had sent everything', async () => {
        const retried = await retry(finished);
        assert.equal(retried.status, 'success');
        assert.deepEqual(reported(retried), [['before', MESSAGES]]);
        assert.deepEqual(received('finished'), indexes(MESSAGES));
      });

      test('The second sends nothing of an execution that ended with an error, either, and can be retried', async () => {
        const { sandbox, rest } = instance();
        sandbox.setFaults([{ kind: 'status', status: 403, text: '[refused]', after: 2 }]);
        const refused = await activate(webhook('refused'), [list('refused')]);
        await start(refused);
        const id = (await newestOf(refused)) ?? '';
        assert.equal((await rest.waitForExecution(id)).status, 'error');
        assert.deepEqual(received('refused'), indexes(200));
        // Each answer is late, so that the second Retry starts before the first has ended.
        sandbox.setFaults([{ kind: 'delay', ms: 2000, text: '[refused]', probability: 1 }]);
        const running = rest.retry(id);
        await instance().waitFor('the first Retry to send', 30, () => received('refused').length > 200 || undefined);
        const second = await rest.retry(id);
        const first = await running;
        assert.deepEqual([first.status, second.status], ['success', 'error']);
        assert.match(second.error, /another retry/i);
        assert.deepEqual(received('refused'), indexes(MESSAGES));
        const listed = await rest.executionsOf(refused);
        assert.equal(listed.find((each) => each.id === second.id)?.canBeRetried, true);
      });

      test('With the second output the first Retry succeeds, and n8n offers no further one', async () => {
        const retried = await retry(secondOutput);
        assert.equal(retried.status, 'success');
        const lengths = [0, 1].map((output) => retried.outputOf(SENDER, output).length);
        assert.deepEqual(lengths, [350, 100]);
        assert.deepEqual(received('second-output'), indexes(MESSAGES));
        const offered = (await instance().rest.executionsOf(secondOutput)).filter(({ canBeRetried }) => canBeRetried);
        assert.deepEqual(offered, []);
        await assert.rejects(retry(secondOutput), /succeeded, so it cannot be retried/);
      });
    });
  });
}
