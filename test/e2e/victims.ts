import { type JsonObject } from '../../tools/json';
import { phoneAt } from '../support/contacts';
import { immediateWebhook } from '../support/n8n/triggerNodes';
import { chain, items, messagingSend, SENDER, type WorkflowNode } from '../support/n8n/workflow';
import { type Victim } from './crashes';

/** One request after the other; all victims together make more than 60 in a minute. */
const OPTIONS = { parallelRequests: 1, requestsPerMinute: 10_000 };
const BULK = { resource: 'message', operation: 'sendBulk', options: OPTIONS };
const SEND = { resource: 'message', operation: 'send', options: OPTIONS };
const FROM_ITEM = { phone: '={{ $json.phone }}', message: '={{ $json.message }}' };
const CONTINUE = { onError: 'continueRegularOutput' };

/** How many messages a victim with Send Bulk sends: five requests. */
export const MESSAGES = 450;

/** Send Bulk in the third of five requests. */
const IN_BULK = { answered: 2, arrived: 300 };

/** Send Bulk with a list. */
export function bulkList(
  name: string,
  { text = `'[${name}] ' + index`, messages = MESSAGES, options = {}, settings = {}, after = [] }: ListOptions = {},
): Victim {
  const list = `={{ Array.from({ length: ${messages} }, (_, index) => ({ phone: '4477009' + String(index).padStart(5, '0'), message: ${text} })) }}`;
  const parameters = { ...BULK, source: 'json', messages: list, options: { ...OPTIONS, ...options } };
  const nodes = [immediateWebhook(name), messagingSend(parameters, settings), ...after];
  return { name, workflow: chain(name, nodes), ...IN_BULK };
}

interface ListOptions {
  /** The text of a message as an expression of its `index`. */
  text?: string;
  messages?: number;
  /** Of the node. */
  options?: JsonObject;
  /** On its Settings tab. */
  settings?: JsonObject;
  /** The nodes that follow. */
  after?: WorkflowNode[];
}

/** Send Bulk, which has sent everything when n8n is killed in a later node. */
export function finished(name: string): Victim {
  const later = balance('Later');
  return { ...bulkList(name, { after: [later] }), answered: 5, arrived: MESSAGES, isFinished: true };
}

/** Reads the balance once, however many items come in. */
export function balance(name: string): WorkflowNode {
  const parameters = { resource: 'balance', operation: 'get', options: { requestsPerMinute: 10_000 } };
  return messagingSend(parameters, { name, executeOnce: true });
}

/** Send Bulk with an item for each message, and On Error: Continue. */
export function bulkItems(name: string): Victim {
  const sender = messagingSend({ ...BULK, source: 'items', ...FROM_ITEM }, CONTINUE);
  return { name, workflow: chain(name, [immediateWebhook(name), contacts(name, MESSAGES), sender]), ...IN_BULK };
}

/** Send in the third of five items. */
export function single(name: string, settings: JsonObject): Victim {
  const sender = messagingSend({ ...SEND, ...FROM_ITEM }, settings);
  const workflow = chain(name, [immediateWebhook(name), contacts(name, 5), sender]);
  return { name, workflow, answered: 2, arrived: 3 };
}

/** Send, which runs twice: with three items, then with one. n8n is killed after that. */
export function twoBranches(name: string): Victim {
  const row = (index: number) => ({ phone: phoneAt(index), message: `[${name}] ${index}` });
  const trigger = immediateWebhook(name);
  const [several, one] = [items([0, 1, 2].map(row), 'Several'), items([row(3)], 'One')];
  const sender = messagingSend({ ...SEND, ...FROM_ITEM }, CONTINUE);
  const later = balance('Later');
  const to = (...nodes: WorkflowNode[]) => ({
    main: [nodes.map((node) => ({ node: node.name, type: 'main', index: 0 }))],
  });
  const workflow = {
    // n8n runs the branches in the order of their positions.
    ...chain(name, [trigger, several, one, sender, later]),
    connections: {
      [trigger.name]: to(several, one, later),
      [several.name]: to(sender),
      [one.name]: to(sender),
    },
  };
  return { name, workflow, answered: 4, arrived: 4, isFinished: true };
}

/** Send with five texts to one number, and On Error: Continue; all orders are executions of one workflow. */
export function order(name: string): Victim {
  const path = 'orders';
  const rows = Array.from({ length: 5 }, (_slot, index) => ({ phone: phoneAt(0), index }));
  const message = "=[{{ $('Webhook').first().json.body.order }}] {{ $json.index }}";
  const sender = messagingSend({ ...SEND, phone: '={{ $json.phone }}', message }, CONTINUE);
  const workflow = chain(path, [immediateWebhook(path), items(rows), sender]);
  return { name, path, workflow, answered: 2, arrived: 3, body: { order: name } };
}

/** A row of {@link pairs}. */
export interface Row extends JsonObject {
  index: number;
  phone: string;
  message: string;
  key: string;
}

/** Two messages for each of twenty people. */
export function rowsOfPairs(name: string): Row[] {
  return Array.from({ length: 40 }, (_slot, index) => {
    const person = Math.floor(index / 2);
    return { index, phone: phoneAt(person), message: `[${name}] ${index}`, key: `${person}-${index % 2}` };
  });
}

/** Send with {@link rowsOfPairs}, and On Error: Continue; n8n is killed in the 17th of 40 items. */
export function pairs(name: string, options: JsonObject = {}): Victim {
  const sender = messagingSend({ ...SEND, ...FROM_ITEM, options: { ...OPTIONS, ...options } }, CONTINUE);
  const workflow = chain(name, [immediateWebhook(name), items(rowsOfPairs(name)), sender]);
  return { name, workflow, answered: 16, arrived: 17 };
}

/**
 * Send Bulk in Loop Over Items, a hundred items in each of five rounds.
 *
 * @param workflowSettings  of the workflow
 * @param settings          on the node's Settings tab
 */
export function loop(name: string, workflowSettings: JsonObject, settings: JsonObject): Victim {
  return { name, workflow: loopOf(name, FROM_ITEM, { workflowSettings, settings, between: [] }), ...IN_BULK };
}

/** The same with a Wait after each round, until somebody calls: n8n stores the execution then. */
export function loopWithWait(name: string, settings: JsonObject): Victim {
  const wait = {
    name: 'Wait',
    type: 'n8n-nodes-base.wait',
    typeVersion: 1.1,
    webhookId: name,
    parameters: { resume: 'webhook' },
  };
  const message = '={{ $json.message }} {{ $execution.resumeUrl }}';
  const workflow = loopOf(name, { ...FROM_ITEM, message }, { workflowSettings: {}, settings, between: [wait] });
  return { name, workflow, waits: true, ...IN_BULK };
}

function loopOf(
  name: string,
  fromItem: JsonObject,
  given: { workflowSettings: JsonObject; settings: JsonObject; between: WorkflowNode[] },
): JsonObject {
  const { workflowSettings, settings, between } = given;
  const each = {
    name: 'Loop Over Items',
    type: 'n8n-nodes-base.splitInBatches',
    typeVersion: 3,
    parameters: { batchSize: 100 },
  };
  const sender = messagingSend({ ...BULK, source: 'items', ...fromItem }, settings);
  const trigger = immediateWebhook(name);
  const rows = contacts(name, MESSAGES);
  const last = between.at(-1) ?? sender;
  const linked = chain(name, [trigger, rows, each, sender, ...between]);
  const to = (...outputs: string[][]) => ({
    main: outputs.map((names) => names.map((node) => ({ node, type: 'main', index: 0 }))),
  });
  return {
    ...linked,
    settings: { executionOrder: 'v1', ...workflowSettings },
    connections: {
      ...(linked.connections as JsonObject),
      // Its first output is for the end of the loop.
      [each.name]: to([], [SENDER]),
      [last.name]: to([each.name]),
    },
  };
}

function contacts(name: string, count: number): WorkflowNode {
  return items(
    Array.from({ length: count }, (_slot, index) => ({ phone: phoneAt(index), message: `[${name}] ${index}` })),
  );
}
