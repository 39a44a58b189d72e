import type { Execution } from '../../../demo/execution';
import type { JsonObject } from '../../../demo/json';
import type { ChatModel } from '../chatModel';
import type { InEditor } from '../inEditor';
import type { Listed } from '../recipients';
import { type Stage, stopped } from '../stage';

/** How long anything of an example may take. */
export const DEADLINE = { seconds: 60, signal: stopped.signal };

/** What the tests of an example have around them; the sandbox is reset before each. */
export interface ExampleWorld {
  stage(): Stage;
  /** The example as n8n keeps it: imported as it is, with a credential for each that it names. */
  workflow(): JsonObject;
  inEditor: InEditor;
  /** What the agent talks to. */
  model(): ChatModel;
  /** The messages that the sandbox has received, in the order of their numbers. */
  received(): Listed[];
  /** Runs it by hand from this node, to its end. */
  runFrom(trigger: string): Promise<Execution>;
  activate(): Promise<void>;
  deactivate(): Promise<void>;
  /** Keeps it active from before the tests until after them. */
  whileActive(): void;
}

/** The items that came out of the first output of a node, in all its runs. */
export function itemsAt(execution: Execution, node: string): JsonObject[] {
  return execution
    .runsOf(node)
    .flatMap(({ outputs }) => outputs[0] ?? [])
    .map(({ json }) => json);
}
