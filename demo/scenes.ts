import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { PROJECT_FOLDER } from '../tools/project';
import type { ExampleWorkflow } from './example';
import { nodesOf } from './exampleFiles';
import { asObject, type JsonObject } from './json';

/** What the pictures of the documentation show besides the example: small workflows, made up like all that is in them. */

/** The name of the node that each scene is about. */
export const SENDER = 'Messaging Send';
export const TRIGGER = 'Messaging Send Trigger';

/** The example's contacts, sent without this node. */
export async function withoutTheNode(): Promise<JsonObject> {
  const file = path.join(PROJECT_FOLDER, 'docs', 'loop-and-http-request.json');
  return asObject(JSON.parse(await readFile(file, 'utf8')), file);
}

/** The example without its notes, which would be too small to be read beside the other. */
export function withTheNode({ workflow }: ExampleWorkflow): JsonObject {
  const nodes = nodesOf(workflow).filter((node) => node.type !== 'n8n-nodes-base.stickyNote');
  return { ...workflow, name: 'Contacts by Messaging Send', nodes };
}

/** The first run of a new user: nothing goes out. */
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

/** A number that can't be sent to, with On Error: Stop Workflow. */
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

/** The trigger, as one sets it up. */
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
