import { asObject, asObjects, asString, type JsonObject } from '../tools/json';
import { CONTACTS_EXAMPLE } from '../tools/n8n/examples/contactsExample';
import { nodesOf, readExample } from '../tools/n8n/examples/files';
import { readProjectFile } from '../tools/project';

/** The workflows in the pictures: parts of the examples, and small ones with made-up data. */

export const SENDER = 'Messaging Send';
export const TRIGGER = 'Messaging Send Trigger';

/** The contacts example with Dry Run off, from the given node to both outputs of the sending node. */
export async function contactsFrom(first: 'Start' | 'Contacts', options?: JsonObject): Promise<JsonObject> {
  const workflow = await readExample(CONTACTS_EXAMPLE);
  for (const { type, parameters } of nodesOf(workflow))
    if (type === MESSAGING.type) asObject(parameters, 'parameters').options = { includeOtherFields: true, ...options };
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
  const sender = { ...MESSAGING, name: SENDER, onError: 'continueErrorOutput', parameters };
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

const MESSAGING = {
  type: 'n8n-nodes-messaging-send.messagingSend',
  typeVersion: 1,
  // Where the import puts the stored credential.
  credentials: { messagingSendApi: { id: '', name: '' } },
};

export function sending(operation: 'send' | 'sendAndWait', parameters: JsonObject): JsonObject {
  const trigger = { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
  return {
    name: 'A message',
    nodes: [
      { ...trigger, id: '1', name: 'Start', position: [0, 0] },
      {
        ...MESSAGING,
        id: '2',
        name: SENDER,
        position: [220, 0],
        parameters: { resource: 'message', operation, options: {}, ...parameters },
      },
    ],
    connections: { Start: { main: [[{ node: SENDER, type: 'main', index: 0 }]] } },
    settings: { executionOrder: 'v1' },
  };
}

export function lowBalance(): JsonObject {
  const pollTimes = { item: [{ mode: 'everyHour', minute: 0 }] };
  const parameters = { pollTimes, event: 'lowBalance', threshold: 1500, options: { remindEvery: 24 } };
  return {
    name: 'Tell me when the credits run low',
    nodes: [{ ...MESSAGING, id: '1', name: TRIGGER, type: `${MESSAGING.type}Trigger`, position: [0, 0], parameters }],
    connections: {},
    settings: { executionOrder: 'v1' },
  };
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
