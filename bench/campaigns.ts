/** Workflows for real n8n that send as many messages as a call of their webhook asks for. */
import { randomUUID } from 'node:crypto';

import { webhook } from '../test/support/n8n/triggerNodes';
import { chain, ITEMS, messagingSend, SENDER, START, start, type WorkflowNode } from '../test/support/n8n/workflow';
import { asObject, asObjects, type JsonObject } from '../tools/json';
import type { RealN8n } from './realN8n';

const LOOP = 'Loop Over Items';

/** The sandbox has no limit, so the node needs none. */
const UNLIMITED = { requestsPerMinute: 1_000_000 };

/** Send Bulk of so many items as the call's `count`. */
export function bulk(path: string, settings: JsonObject = {}): JsonObject {
  const workflow = chain(path, [campaignWebhook(path), countedItems(), sender('sendBulk')]);
  return { ...workflow, settings: { executionOrder: 'v1', ...settings } };
}

/** The same in rounds of 100 items. */
export function loop(path: string): JsonObject {
  return inRounds(100, path, [campaignWebhook(path), countedItems()], sender('sendBulk'));
}

/** Send of one message to the `phone` of each call; n8n answers when it is sent. */
export function single(path: string): JsonObject {
  return chain(path, [webhook(path), sender('send', { phone: '={{ $json.body.phone }}', message: 'Hello' })]);
}

/**
 * A workflow that fills what n8n stores for the sending node of another one: Remove Duplicates, with that node's ID,
 * records so many values.
 */
function filling(nodes: readonly JsonObject[], entries: number): JsonObject {
  const id = nodes.find(({ name }) => name === SENDER)?.id;
  const values = code(
    `return Array.from({ length: ${entries} }, (_, index) => ({ json: { value: 'entry ' + index } }));`,
  );
  const recorder: WorkflowNode = {
    id,
    name: SENDER,
    type: 'n8n-nodes-base.removeDuplicates',
    typeVersion: 2,
    parameters: {
      operation: 'removeItemsSeenInPreviousExecutions',
      logic: 'removeItemsWithAlreadySeenKeyValues',
      dedupeValue: '={{ $json.value }}',
      options: { scope: 'node', historySize: entries },
    },
  };
  // All at once would block n8n's event loop for many seconds.
  return inRounds(500, 'filling', [start(), values], recorder);
}

/** Loop Over Items: the last of the nodes `before` puts out items, and `each` gets so many of them in each round. */
function inRounds(batchSize: number, name: string, before: WorkflowNode[], each: WorkflowNode): JsonObject {
  const rounds = { name: LOOP, type: 'n8n-nodes-base.splitInBatches', typeVersion: 3, parameters: { batchSize } };
  const workflow = chain(name, [...before, rounds, each]);
  const to = (node: string) => [{ node, type: 'main', index: 0 }];
  const connections = {
    ...asObject(workflow.connections, 'workflow.connections'),
    // Its first output is for the end of the loop.
    [LOOP]: { main: [[], to(each.name)] },
    [each.name]: { main: [to(LOOP)] },
  };
  return { ...workflow, connections };
}

/** A webhook that is answered, without data, when the workflow has ended. */
function campaignWebhook(path: string): WorkflowNode {
  return {
    ...webhook(path),
    parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'noData' },
  };
}

/** As many items as the call asks for, each with its own phone number. */
function countedItems(): WorkflowNode {
  return code(`const { count } = $input.first().json.body;
return Array.from({ length: count }, (_, index) => ({
  json: {
    phone: '4477' + String(index).padStart(8, '0'),
    message: 'Hello Made-up Person ' + index + ', a reminder of your appointment on Monday.',
  },
}));`);
}

function code(jsCode: string): WorkflowNode {
  return { name: ITEMS, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

function sender(operation: 'send' | 'sendBulk', changed: JsonObject = {}): WorkflowNode {
  const fromItem = { phone: '={{ $json.phone }}', message: '={{ $json.message }}' };
  const parameters = { resource: 'message', operation, source: 'items', ...fromItem, options: UNLIMITED, ...changed };
  return messagingSend(parameters, { id: randomUUID() });
}

/** Stores a workflow and lets its webhook start it. */
export async function publish({ instance, store }: RealN8n, workflow: JsonObject): Promise<JsonObject> {
  const stored = await store(workflow);
  await instance.rest.activate(stored);
  return stored;
}

/** The same, after so many entries were recorded for its sending node in n8n's database. */
export async function publishWithFullRow(
  { instance: { rest }, store }: RealN8n,
  workflow: JsonObject,
  entries: number,
): Promise<JsonObject> {
  const stored = await store(workflow);
  const nodes = asObjects(stored.nodes, 'workflow.nodes');
  const fill = filling(nodes, entries);
  const saved = await rest.saveNodes({ ...stored, connections: fill.connections }, asObjects(fill.nodes, 'nodes'));
  const filled = await rest.run(saved, START);
  if (filled.outputOf(SENDER).length !== entries) throw new Error(`the row was not filled: ${filled.error}`);
  const restored = await rest.saveNodes({ ...saved, connections: stored.connections }, nodes);
  await rest.activate(restored);
  return restored;
}
