import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';

import { type Browser } from 'playwright-core';

import { asObject, asObjects, type JsonObject } from '../../../tools/json';
import { launchBrowser, openWindow } from '../../../tools/n8n/browser';
import { VISITOR } from '../../../tools/n8n/examples/credentials';
import { items, START, start, type WorkflowNode } from '../../support/n8n/workflow';
import { answer, linkIn } from '../questions';
import { type ExampleWorld } from './world';

/** The form, completed in a browser, and the manager's page. */
export function testApproval({ instance, received, workflow, whileActive }: ExampleWorld): void {
  whileActive();
  const MANAGER = '447700900123';
  const APPROVED = 'Approved';
  const DECLINED = 'Declined or No Answer';
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  /** Completes the form as a visitor does. */
  const askForRefund = async (): Promise<void> => {
    const window = await openWindow(browser, { httpCredentials: VISITOR });
    const page = await window.newPage();
    await page.goto(`${instance().n8n.url}/form/ask-for-a-refund`);
    await page.getByLabel('Order').fill('A-1001');
    await page.getByLabel('Amount').fill('£50');
    await page.getByLabel('Reason').fill('It arrived broken.');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Your request was received. The manager will be asked.').waitFor();
    await window.close();
  };
  /** Waits until the newest execution waits for the manager; returns its id. */
  const waiting = async (): Promise<string> => {
    const id = await instance().waitFor('the manager to be asked', 60, async () => {
      const [newest] = await instance().rest.executionsOf(workflow());
      return newest?.status === 'waiting' ? newest.id : undefined;
    });
    assert.equal(received()[0]?.phone, MANAGER);
    return id;
  };
  const goneTo = async (id: string, seconds?: number) => {
    const execution = await instance().rest.waitForExecution(id, seconds);
    assert.equal(execution.status, 'success', execution.error);
    return [APPROVED, DECLINED].flatMap((node) => execution.outputOf(node).map(({ json }) => ({ node, json })));
  };

  for (const { decision, node } of [
    { decision: 'approve', node: APPROVED },
    { decision: 'decline', node: DECLINED },
  ]) {
    test(`The manager gets the request as a text message, and "${decision}" leads to ${node}`, async () => {
      await askForRefund();
      const id = await waiting();
      const [message] = received();
      assert.match(message?.message ?? '', /^Refund £50 for order A-1001\?\n\nIt arrived broken\.\nhttp:\S+$/);
      await answer(linkIn(message?.message), { decision, comment: 'See order' });
      const [way, ...others] = await goneTo(id);
      assert.deepEqual(others, []);
      assert.equal(way?.node, node);
      const { respondedAt, ...data } = asObject(way.json.data, 'data');
      assert.deepEqual(data, { approved: decision === 'approve', comment: 'See order' });
      assert.match(String(respondedAt), /^\d{4}-/);
      assert.equal(received().length, 1);
    });
  }

  test('Without an answer in time, the workflow goes on as after a no', async () => {
    const { rest } = instance();
    const request = items([{ Order: 'A-1001', Amount: '£50', Reason: 'It arrived broken.' }], 'Form');
    const copy = await rest.importWorkflow(startedByHand(withShortLimit(workflow()), request));
    // n8n looks once a minute whose time is up.
    const execution = await rest.run(copy, START, 120);
    assert.equal(execution.status, 'success', execution.error);
    assert.equal(execution.outputOf(APPROVED).length, 0);
    assert.equal(execution.outputOf(DECLINED)[0]?.json.Order, 'A-1001');
    assert.equal(received().length, 1);
  });

  test('When the question is not sent, the execution fails and nothing is approved', async () => {
    instance().sandbox.setFaults([{ kind: 'status', status: 422, times: 9 }]);
    await askForRefund();
    const failed = await instance().waitFor('the execution to fail', 60, async () => {
      const [newest] = await instance().rest.executionsOf(workflow());
      return newest?.status === 'error' ? newest.id : undefined;
    });
    const execution = await instance().rest.waitForExecution(failed);
    assert.match(execution.error, /rejected/);
    assert.deepEqual([...execution.outputOf(APPROVED), ...execution.outputOf(DECLINED)], []);
    assert.deepEqual(received(), []);
  });
}

function withShortLimit(workflow: JsonObject): JsonObject {
  const text = JSON.stringify(workflow);
  const short = text.replace('"resumeAmount":24,"resumeUnit":"hours"', '"resumeAmount":0.01,"resumeUnit":"minutes"');
  assert.notEqual(short, text);
  return asObject(JSON.parse(short), 'the workflow');
}

/** The workflow with a node that puts out items in place of the trigger of that name. */
function startedByHand({ name, nodes, connections, settings }: JsonObject, instead: WorkflowNode): JsonObject {
  const others = asObjects(nodes, 'nodes').filter((node) => node.name !== instead.name);
  const added = [start(), instead].map((node, index) => ({ id: randomUUID(), position: [0, 200 * index], ...node }));
  const toTrigger = { [START]: { main: [[{ node: instead.name, type: 'main', index: 0 }]] } };
  return {
    name,
    settings,
    nodes: [...others, ...added],
    connections: { ...asObject(connections, 'connections'), ...toTrigger },
  };
}
