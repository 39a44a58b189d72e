import { type JsonObject } from '../../tools/json';
import { phoneAt } from '../support/contacts';
import { immediateWebhook } from '../support/n8n/triggerNodes';
import { chain, items, messagingSend, type WorkflowNode } from '../support/n8n/workflow';
import { type Victim } from './crashes';

/** One request after the other; all victims together make more than 60 in a minute. */
const OPTIONS = { parallelRequests: 1, requestsPerMinute: 10_000 };
const BULK = { resource: 'message', operation: 'sendBulk', options: OPTIONS };
const SEND = { resource: 'message', operation: 'send', options: OPTIONS };
const FROM_ITEM = { phone: '={{ $json.phone }}', message: '={{ $json.message }}' };
export const CONTINUE = { onError: 'continueRegularOutput' };

/** How many messages a victim with Send Bulk sends: five requests. */
export const MESSAGES = 450;

/** The indexes of all of them. */
export const ALL = Array.from({ length: MESSAGES }, (_slot, index) => index);

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
function balance(name: string): WorkflowNode {
  const parameters = { resource: 'balance', operation: 'get', options: { requestsPerMinute: 10_000 } };
  return messagingSend(parameters, { name, executeOnce: true });
}

/** Send Bulk with an item for each message, and On Error: Continue. */
export function bulkItems(name: string): Victim {
  const sender = messagingSend({ ...BULK, source: 'items', ...FROM_ITEM }, CONTINUE);
  return { name, workflow: chain(name, [immediateWebhook(name), contacts(name, MESSAGES), sender]), ...IN_BULK };
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

/** Send Bulk in Loop Over Items, a hundred items in each of five rounds, with a Wait for a call after each: n8n stores it then. */
export function loopWithWait(name: string): Victim {
  const trigger = immediateWebhook(name);
  const rows = contacts(name, MESSAGES);
  const each = {
    name: 'Loop Over Items',
    type: 'n8n-nodes-base.splitInBatches',
    typeVersion: 3,
    parameters: { batchSize: 100 },
  };
  const message = '={{ $json.message }} {{ $execution.resumeUrl }}';
  const sender = messagingSend({ ...BULK, source: 'items', ...FROM_ITEM, message }, CONTINUE);
  const wait = {
    name: 'Wait',
    type: 'n8n-nodes-base.wait',
    typeVersion: 1.1,
    webhookId: name,
    parameters: { resume: 'webhook' },
  };
  const linked = chain(name, [trigger, rows, each, sender, wait]);
  const to = (...outputs: string[][]) => ({
    main: outputs.map((names) => names.map((node) => ({ node, type: 'main', index: 0 }))),
  });
  const connections = {
    ...(linked.connections as JsonObject),
    // Its first output is for the end of the loop.
    [each.name]: to([], [sender.name]),
    [wait.name]: to([each.name]),
  };
  return { name, workflow: { ...linked, connections }, waits: true, ...IN_BULK };
}

function contacts(name: string, count: number): WorkflowNode {
  return items(
    Array.from({ length: count }, (_slot, index) => ({ phone: phoneAt(index), message: `[${name}] ${index}` })),
  );
}
