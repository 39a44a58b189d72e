import { asObject, asObjects, asString, type JsonObject } from '../tools/json';
import { CONTACTS_EXAMPLE } from '../tools/n8n/examples/contactsExample';
import { nodesOf, readExample } from '../tools/n8n/examples/files';
import { chain, messagingSend, messagingSendTrigger, SENDER, start } from '../tools/n8n/workflow';
import { readProjectFile } from '../tools/project';

/** The workflows in the pictures: parts of the examples, and small ones with made-up data. */

/** The contacts example with Dry Run off, from the given node to both outputs of the sending node. */
export async function contactsFrom(first: 'Start' | 'Contacts', options?: JsonObject): Promise<JsonObject> {
  const workflow = await readExample(CONTACTS_EXAMPLE);
  for (const { type, parameters } of nodesOf(workflow))
    if (type === messagingSend({}).type)
      asObject(parameters, 'parameters').options = { includeOtherFields: true, ...options };
  return part(workflow, first, 'Sent');
}

/** The contacts, sent without this node. */
export function withoutTheNode(): JsonObject {
  const file = 'docs/loop-and-http-request.json';
  return part(asObject(JSON.parse(readProjectFile(file)), file), 'Contacts', 'Wait');
}

/** The contacts, sent one at a time in a loop that goes on after those that are not sent. */
export function loopOverContacts(): JsonObject {
  const workflow = withoutTheNode();
  const nodes = nodesOf(workflow).filter(({ name }) => name !== 'Wait');
  const parameters = { phone: '={{ $json.phone }}', message: 'Hello', options: {} };
  const sender = messagingSend(parameters, { onError: 'continueErrorOutput' });
  const to = (node: string) => [{ node, type: 'main', index: 0 }];
  return {
    ...workflow,
    nodes: nodes.map(({ id, position, ...node }) =>
      node.name === 'HTTP Request' ? { id, position, ...sender } : { id, position, ...node },
    ),
    connections: {
      Contacts: { main: [to('Loop Over Items')] },
      'Loop Over Items': { main: [to('Done'), to(SENDER)] },
      [SENDER]: { main: [to('Loop Over Items'), to('Loop Over Items')] },
    },
  };
}

/** A workflow without its notes: with them, its nodes would be too small on a page. */
export function withoutNotes(workflow: JsonObject): JsonObject {
  return { ...workflow, nodes: nodesOf(workflow).filter(({ type }) => type !== 'n8n-nodes-base.stickyNote') };
}

export function sending(operation: 'send' | 'sendAndWait', parameters: JsonObject): JsonObject {
  const sender = messagingSend({ resource: 'message', operation, options: {}, ...parameters });
  return chain('A message', [start(), sender]);
}

export function lowBalance(): JsonObject {
  const pollTimes = { item: [{ mode: 'everyHour', minute: 0 }] };
  const options = { remindEvery: 24 };
  const trigger = messagingSendTrigger({ pollTimes, event: 'lowBalance', threshold: 1500, options });
  return chain('Tell me when the credits run low', [trigger]);
}

/** The nodes of a workflow from `first` to `last`, as they stand from left to right. */
function part(workflow: JsonObject, first: string, last: string): JsonObject {
  const all = nodesOf(withoutNotes(workflow));
  const columnOf = ({ position }: JsonObject) => Number((position as unknown[])[0]);
  const [from = 0, to = 0] = [first, last].map((name) => all.filter((node) => node.name === name).map(columnOf)[0]);
  const nodes = all.filter((node) => columnOf(node) >= from && columnOf(node) <= to);
  const names = nodes.map(({ name }) => asString(name, 'the name of a node'));
  const connections = Object.entries(asObject(workflow.connections, 'connections')).flatMap(([name, outputs]) => {
    const ends = asObject(outputs, name).main as unknown[];
    const isKept = ends.flatMap((end) => asObjects(end, name)).every(({ node }) => names.includes(String(node)));
    return names.includes(name) && isKept ? [[name, outputs]] : [];
  });
  return { ...workflow, nodes, connections: Object.fromEntries(connections) as JsonObject };
}
