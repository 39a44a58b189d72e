import { type InstanceWithSandbox } from '../../../sandbox/n8n/instance';
import { asObjects, type JsonObject } from '../../../tools/json';
import { type Execution } from '../../../tools/n8n/execution';
import { type ChatModel } from '../chatModel';
import { type InEditor } from '../inEditor';
import { type MailServer } from '../mailServer';
import { type Listed } from '../recipients';

/** What the tests of an example work with; the sandbox is reset before each. */
export interface ExampleWorld {
  instance: () => InstanceWithSandbox;
  /** The example as n8n keeps it: imported as it is, with a credential for each that it names. */
  workflow: () => JsonObject;
  inEditor: InEditor;
  /** The agent's model. */
  model: () => ChatModel;
  /** Where the examples send their mails; cleared before each test. */
  mailServer: () => MailServer;
  /** The messages that the sandbox has received, in the order of their numbers. */
  received: () => Listed[];
  /** Runs it by hand from this node, to its end. */
  runFrom: (trigger: string) => Promise<Execution>;
  activate: () => Promise<void>;
  deactivate: () => Promise<void>;
  /** Keeps it active from before the tests until after them. */
  whileActive: () => void;
}

/** The items of a node's first output, in all its runs. */
export function itemsAt(execution: Execution, node: string): JsonObject[] {
  return execution.outputOf(node).map(({ json }) => json);
}

/** A workflow with each of its nodes changed, to be imported as one of its own. */
export function copyOf(
  { name, nodes, connections, settings }: JsonObject,
  change: (node: JsonObject) => JsonObject,
): JsonObject {
  return { name, nodes: asObjects(nodes, 'nodes').map(change), connections, settings };
}
