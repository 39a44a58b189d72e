import { asArray, asObject, asObjects, asString, type JsonObject } from '../tools/json';
import { CONTACTS_EXAMPLE, contactsExampleNodes } from '../tools/n8n/examples/contactsExample';
import { nodesOf, readExample } from '../tools/n8n/examples/files';
import { readProjectFile } from '../tools/project';

/** The workflows in the pictures: parts of the examples, and small ones with made-up data. */

/** The names of the nodes that the scenes are about. */
export const START = 'Start';
export const SENDER = 'Messaging Send';
export const TRIGGER = 'Messaging Send Trigger';

/** The contacts example, up to the two outputs of the sending node. */
export async function contactsAndResults(): Promise<JsonObject> {
  const workflow = await readExample(CONTACTS_EXAMPLE);
  const { trigger, sender } = contactsExampleNodes(workflow);
  return part(workflow, trigger, sender);
}

/** The same, with a sender that sends nobody twice. */
export async function sendingOnce(): Promise<JsonObject> {
  const workflow = await contactsAndResults();
  const { sender } = contactsExampleNodes(workflow);
  for (const node of nodesOf(workflow))
    if (node.name === sender)
      node.parameters = { ...asObject(node.parameters, sender), options: { duplicateMessages: 'sendOnceEver' } };
  return workflow;
}

/** The same, from the contacts on. */
export async function withTheNode(): Promise<JsonObject> {
  const workflow = await readExample(CONTACTS_EXAMPLE);
  const { contacts, sender } = contactsExampleNodes(workflow);
  return part(workflow, contacts, sender);
}

/** The contacts, sent without this node. */
export async function withoutTheNode(): Promise<JsonObject> {
  const file = 'docs/loop-and-http-request.json';
  const workflow = asObject(JSON.parse(readProjectFile(file)), file);
  return part(workflow, contactsExampleNodes(await readExample(CONTACTS_EXAMPLE)).contacts);
}

/** A workflow without its notes: with them, its nodes would be too small on a page. */
export function withoutNotes(workflow: JsonObject): JsonObject {
  return { ...workflow, nodes: nodesOf(workflow).filter(({ type }) => type !== 'n8n-nodes-base.stickyNote') };
}

/** The first run of a new user: nothing is sent. */
export function dryRun(): JsonObject {
  return fromStart('My first message', {
    parameters: {
      resource: 'message',
      operation: 'send',
      phone: '+44 7700 900123',
      message: 'Hello from n8n',
      options: { dryRun: true },
    },
  });
}

/** A number that no message can be sent to, with On Error: Stop Workflow. */
export function wrongNumber(): JsonObject {
  return fromStart('A wrong number', {
    parameters: {
      resource: 'message',
      operation: 'send',
      phone: '07700 900123',
      message: 'Hello from n8n',
      options: {},
    },
  });
}

/** A question, and a field for a comment beside the two buttons. */
export function approval(): JsonObject {
  return fromStart('An approval', {
    parameters: {
      resource: 'message',
      operation: 'sendAndWait',
      sendTo: '+44 7700 900123',
      message: 'Refund order 1234 (£50)?',
      responseType: 'approval',
      approvalOptions: { values: { approvalType: 'double', commentLabel: 'Comment' } },
    },
  });
}

/** The trigger, as a user sets it up. */
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

const MESSAGING = {
  type: 'n8n-nodes-messaging-send.messagingSend',
  typeVersion: 1,
  // Where the import puts the stored credential.
  credentials: { messagingSendApi: { id: '', name: '' } },
};

function fromStart(name: string, sender: { parameters: JsonObject }): JsonObject {
  return {
    name,
    nodes: [
      {
        id: '1',
        name: START,
        type: 'n8n-nodes-base.manualTrigger',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      },
      { ...MESSAGING, id: '2', name: SENDER, position: [220, 0], ...sender },
    ],
    connections: { [START]: { main: [[{ node: SENDER, type: 'main', index: 0 }]] } },
    settings: { executionOrder: 'v1' },
  };
}

/** The part of a workflow from `first` to its end, or to the nodes right after `last`. */
function part(workflow: JsonObject, first: string, last?: string): JsonObject {
  const connections = asObject(workflow.connections, 'workflow.connections');
  const targetsOf = (name: string) =>
    asArray(asObject(connections[name] ?? { main: [] }, name).main, 'main')
      .flatMap((output) => asObjects(output, 'an output'))
      .map(({ node }) => asString(node, 'the name of a target'));
  const ends = last === undefined ? [] : targetsOf(last);
  const names = new Set([first]);
  // The loop also visits the names that it adds.
  for (const name of names) if (!ends.includes(name)) for (const target of targetsOf(name)) names.add(target);
  return {
    ...workflow,
    nodes: nodesOf(workflow).filter(({ name }) => names.has(asString(name, 'the name of a node'))),
    connections: Object.fromEntries(
      Object.entries(connections).filter(([name]) => names.has(name) && !ends.includes(name)),
    ),
  };
}
