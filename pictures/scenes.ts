import { asObject, type JsonObject } from '../tools/json';
import { CONTACTS_EXAMPLE } from '../tools/n8n/examples/contactsExample';
import { nodesOf, readExample } from '../tools/n8n/examples/files';
import { readProjectFile } from '../tools/project';

/** What the pictures of the documentation show besides the example: small workflows with made-up data. */

/** The name of the node that each scene is about. */
export const SENDER = 'Messaging Send';
export const TRIGGER = 'Messaging Send Trigger';

/** The example's contacts, sent without this node. */
export function withoutTheNode(): JsonObject {
  const file = 'docs/loop-and-http-request.json';
  return asObject(JSON.parse(readProjectFile(file)), file);
}

/** The example without its notes, which would be too small to be read beside the other. */
export async function withTheNode(): Promise<JsonObject> {
  const workflow = await readExample(CONTACTS_EXAMPLE);
  const nodes = nodesOf(workflow).filter((node) => node.type !== 'n8n-nodes-base.stickyNote');
  return { ...workflow, name: 'Contacts by Messaging Send', nodes };
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
        name: 'Start',
        type: 'n8n-nodes-base.manualTrigger',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      },
      { ...MESSAGING, id: '2', name: SENDER, position: [220, 0], ...sender },
    ],
    connections: { Start: { main: [[{ node: SENDER, type: 'main', index: 0 }]] } },
    settings: { executionOrder: 'v1' },
  };
}
