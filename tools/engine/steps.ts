/** Runs workflows of n8n's own nodes, this package's and made-up ones. */
import { WorkflowExecute } from 'n8n-core';
import type {
  IConnections,
  IDataObject,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IRun,
  IVersionedNodeType,
} from 'n8n-workflow';

import { baseNode } from './baseNodes';
import type { Account } from './credentials';
import { type EngineSetup, itemsNode, loadPackage, NODE_TYPE, prepareEngine } from './engine';
import { processedData } from './processedData';

// Import these only from here: tsx loads a module twice if both an ES module and a CommonJS module import it.
export { N8N_HOME } from './environment';
export { baseNode, itemsNode, loadPackage };

export interface Step {
  readonly name: string;
  readonly type: INodeType | IVersionedNodeType;
  readonly version?: number;
  readonly parameters?: INodeParameters;
  /** The names of the steps that follow each output. */
  readonly outputs?: readonly string[][];
  readonly onError?: INode['onError'];
}

/** A workflow, whose first step receives the items. */
export type Steps = readonly [Step, ...Step[]];

/**
 * Runs items through a workflow in production, with nothing from earlier runs in n8n's database.
 * @throws the error that ended the execution
 */
export async function runSteps(
  items: readonly IDataObject[],
  steps: Steps,
  account: Account,
): Promise<INodeExecutionData[]> {
  processedData.reset();
  const source = itemsNode(items.map((json) => ({ json })));
  const all: Steps = [{ name: 'Items', type: source, outputs: [[steps[0].name]] }, ...steps];
  const nodes = all.map(({ name, type, version = 1, parameters = {}, onError }, index): INode => ({
    id: String(index),
    name,
    type: type.description.name,
    typeVersion: version,
    position: [200 * index, 0],
    parameters,
    credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } },
    ...(onError && { onError }),
  }));
  const to = (names: readonly string[]) => names.map((node) => ({ node, type: 'main' as const, index: 0 }));
  const connections = Object.fromEntries(all.map(({ name, outputs = [] }) => [name, { main: outputs.map(to) }]));
  const types = Object.fromEntries(all.map(({ type }) => [type.description.name, type]));
  const { data } = await run({ nodes, connections, types, account, mode: 'trigger' }, 'Items');
  if (data.resultData.error !== undefined) throw data.resultData.error;
  const last = steps.at(-1) ?? steps[0];
  return (data.resultData.runData[last.name] ?? []).flatMap((each) => each.data?.main?.[0] ?? []);
}

/** A workflow as n8n stores it, of n8n's own nodes and Messaging Send. */
export interface StoredWorkflow {
  readonly id: string;
  readonly nodes: INode[];
  readonly connections: IConnections;
}

/** Runs it from one of its nodes to its end, or until it waits, as **Execute workflow** in the editor does. */
export async function runStoredWorkflow(stored: StoredWorkflow, start: string, account: Account): Promise<IRun> {
  const { id: workflowId, nodes, connections } = stored;
  const { node } = await loadPackage();
  const typeOf = async (name: string) => [name, name === NODE_TYPE ? node : await baseNode(name)] as const;
  const types = Object.fromEntries(await Promise.all(nodes.map(({ type }) => typeOf(type))));
  return await run({ nodes, connections, types, account, mode: 'manual', workflowId }, start);
}

async function run(setup: EngineSetup, start: string): Promise<IRun> {
  const { workflow, additionalData } = await prepareEngine(setup);
  const startNode = workflow.getNode(start) ?? undefined;
  return await new WorkflowExecute(additionalData, setup.mode).run({ workflow, startNode });
}
