import { nodesOf, readExampleFile } from './exampleFiles';
import { asObject, asString, type JsonObject } from './json';

/** The example workflow, and what the demo has to know of it. */
export interface ExampleWorkflow {
  workflow: JsonObject;
  name: string;
  /** Name of the node that starts it. */
  trigger: string;
  /** Name of the node that puts the contacts out, an item for each. */
  contacts: string;
  /** Name of the node that sends. */
  sender: string;
  /** The sending node's expression for the text. */
  messageTemplate: string;
}

/** Name of the list in n8n's files folder, where the workflow reads it. */
export const CONTACTS_FILE = 'contacts.csv';

/** The nodes at the workflow's two ends. */
export const SENT_END = 'Sent';
export const NOT_SENT_END = 'Not Sent';

/** Reads `examples/contacts-to-bulk.json`. */
export async function readExample(): Promise<ExampleWorkflow> {
  const workflow = await readExampleFile('contacts-to-bulk');
  const sender = nodeOfType(workflow, 'n8n-nodes-messaging-send.messagingSend');
  return {
    workflow,
    name: asString(workflow.name, 'workflow.name'),
    trigger: nameOf(nodeOfType(workflow, 'n8n-nodes-base.manualTrigger')),
    contacts: nameOf(nodeOfType(workflow, 'n8n-nodes-base.extractFromFile')),
    sender: nameOf(sender),
    messageTemplate: asString(asObject(sender.parameters, 'parameters').message, 'message'),
  };
}

function nodeOfType(workflow: JsonObject, type: string): JsonObject {
  const found = nodesOf(workflow).find((node) => node.type === type);
  if (found === undefined) throw new Error(`the example has no node of type ${type}`);
  return found;
}

function nameOf(node: JsonObject): string {
  return asString(node.name, 'node.name');
}
