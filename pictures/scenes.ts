import { type IConnections } from 'n8n-workflow';

import { CONTACTS_EXAMPLE, readExample } from '../tools/n8n/examples';
import {
  chain,
  type JsonObject,
  messagingSend,
  messagingSendTrigger,
  SENDER,
  start,
  WORKFLOW,
  type Workflow,
} from '../tools/n8n/workflow';
import { readProjectFile } from '../tools/project';

/** The workflows in the pictures: parts of the examples, and small ones with made-up data. */

/** The contacts example with Dry Run off, from the given node to both outputs of the sending node. */
export async function contactsFrom(first: 'Start' | 'Contacts', options?: JsonObject): Promise<Workflow> {
  const workflow = await readExample(CONTACTS_EXAMPLE);
  for (const { type, parameters } of workflow.nodes)
    if (type === messagingSend({}).type) parameters.options = { includeOtherFields: true, ...options };
  return part(workflow, first, 'Sent');
}

/** The contacts, sent without this node. */
export function withoutTheNode(): Workflow {
  return part(WORKFLOW.parse(JSON.parse(readProjectFile('docs/loop-and-http-request.json'))), 'Contacts', 'Wait');
}

/** The contacts, sent one at a time in a loop that goes on after those that are not sent. */
export function loopOverContacts(): Workflow {
  const workflow = withoutTheNode();
  const parameters = { phone: '={{ $json.phone }}', message: 'Hello', options: {} };
  const sender = messagingSend(parameters, { onError: 'continueErrorOutput' });
  const nodes = workflow.nodes
    .filter(({ name }) => name !== 'Wait')
    .map(({ id, position, ...node }) => ({ id, position, ...(node.name === 'HTTP Request' ? sender : node) }));
  const to = (node: string) => [{ node, type: 'main', index: 0 }];
  const connections = {
    Contacts: { main: [to('Loop Over Items')] },
    'Loop Over Items': { main: [to('Done'), to(SENDER)] },
    [SENDER]: { main: [to('Loop Over Items'), to('Loop Over Items')] },
  };
  return { ...workflow, nodes, connections };
}

/** A workflow without its notes: with them, its nodes would be too small on a page. */
export function withoutNotes(workflow: Workflow): Workflow {
  return { ...workflow, nodes: workflow.nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote') };
}

export function sending(operation: 'send' | 'sendAndWait', parameters: JsonObject): Workflow {
  const sender = messagingSend({ resource: 'message', operation, options: {}, ...parameters });
  return chain('A message', [start(), sender]);
}

export function lowBalance(): Workflow {
  const pollTimes = { item: [{ mode: 'everyHour', minute: 0 }] };
  const options = { remindEvery: 24 };
  const trigger = messagingSendTrigger({ pollTimes, event: 'lowBalance', threshold: 1500, options });
  return chain('Tell me when the credits run low', [trigger]);
}

/** The nodes of a workflow from `first` to `last`, as they stand from left to right. */
function part(workflow: Workflow, first: string, last: string): Workflow {
  const all = withoutNotes(workflow).nodes.map((node) => ({ node, x: Number((node.position as number[])[0]) }));
  const [from = 0, to = 0] = [first, last].map((name) => all.find(({ node }) => node.name === name)?.x);
  const nodes = all.filter(({ x }) => x >= from && x <= to).map(({ node }) => node);
  const isKept = (node: string) => nodes.some(({ name }) => name === node);
  const connections = Object.entries(workflow.connections as IConnections).filter(
    ([name, { main = [] }]) => isKept(name) && main.every((ends) => ends?.every(({ node }) => isKept(node))),
  );
  return { ...workflow, nodes, connections: Object.fromEntries(connections) };
}
