/** Runs a workflow as n8n stores it, of n8n's own nodes and Messaging Send. */
import { WorkflowExecute } from 'n8n-core';
import type { IConnections, INode, IRun } from 'n8n-workflow';

import { baseNode } from './baseNodes';
import type { Account } from './credentials';
import { loadPackage, NODE_TYPE, prepareEngine } from './engine';

// Import these only from here: tsx loads a module twice if both an ES module and a CommonJS module import it.
export { N8N_HOME } from './environment';

export interface StoredWorkflow {
  readonly id: string;
  readonly nodes: INode[];
  readonly connections: IConnections;
}

/** Runs it from one of its nodes to its end, or until it waits, as **Execute workflow** in the editor does. */
export async function runStoredWorkflow(stored: StoredWorkflow, start: string, account: Account): Promise<IRun> {
  const { workflow, additionalData } = await prepare(stored, account);
  const startNode = workflow.getNode(start) ?? undefined;
  return await new WorkflowExecute(additionalData, 'manual').run({ workflow, startNode });
}

async function prepare({ nodes, connections, id }: StoredWorkflow, account: Account) {
  const names = [...new Set(nodes.map(({ type }) => type))];
  const { node } = await loadPackage();
  const types = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, name === NODE_TYPE ? node : await baseNode(name)] as const)),
  );
  return await prepareEngine({ nodes, connections, types, account, mode: 'manual', workflowId: id });
}
