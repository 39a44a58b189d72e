/** Runs one node, or a stored workflow, in n8n's engine. */
import { WorkflowExecute } from 'n8n-core';
import type {
  IConnections,
  IDataObject,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IRun,
} from 'n8n-workflow';

import { baseNode } from './baseNodes';
import type { Account } from './credentials';
import { type EngineSetup, itemsNode, loadPackage, NODE_TYPE, prepareEngine } from './engine';
import { processedData } from './processedData';

// Import these only from here: tsx loads a module twice if both an ES module and a CommonJS module import it.
export { N8N_HOME } from './environment';
export { itemsNode, loadPackage };

/** A node that gets the items. */
export interface Step {
  readonly type: INodeType;
  readonly parameters?: INodeParameters;
  readonly onError?: INode['onError'];
}

/**
 * Runs items through a node in production, with nothing from earlier runs in n8n's database; returns its first output.
 * @throws the error that ended the execution
 */
export async function runStep(
  items: readonly IDataObject[],
  { type, parameters = {}, onError }: Step,
  account: Account,
): Promise<INodeExecutionData[]> {
  processedData.reset();
  const source = itemsNode(items.map((json) => ({ json })));
  const nodes = [
    { id: '0', name: 'Items', type: 'items', typeVersion: 1, position: [0, 0], parameters: {} },
    {
      ...{ id: '1', name: 'Node', type: 'node', typeVersion: 1, position: [200, 0], parameters, onError },
      credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } },
    },
  ] satisfies INode[];
  const connections: IConnections = { Items: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } };
  const types = { items: source, node: type };
  const { data } = await run({ nodes, connections, types, account, mode: 'trigger' }, 'Items');
  if (data.resultData.error !== undefined) throw data.resultData.error;
  return data.resultData.runData.Node?.[0]?.data?.main?.[0] ?? [];
}

/** A workflow as n8n stores it, of n8n's own nodes and Messaging Send. */
interface EngineWorkflow {
  readonly id: string;
  readonly nodes: INode[];
  readonly connections: IConnections;
}

/** Runs it from one of its nodes to its end, or until it waits, as **Execute workflow** in the editor does. */
export async function runStoredWorkflow(stored: EngineWorkflow, start: string, account: Account): Promise<IRun> {
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
