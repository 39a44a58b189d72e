import { type JsonObject } from '../../tools/json';
import { chain, type WorkflowNode } from '../support/n8n/workflow';

/**
 * A workflow with a loop.
 *
 * @param before  the nodes that run first
 * @param batchSize  how many items each round gets
 * @param inside  the nodes of a round; the last one leads back
 * @param outputs  how many outputs of the last one lead back
 */
export function loopOverItems(
  name: string,
  before: WorkflowNode[],
  batchSize: number,
  inside: WorkflowNode[],
  outputs = 1,
): JsonObject {
  const loop = {
    name: 'Loop Over Items',
    type: 'n8n-nodes-base.splitInBatches',
    typeVersion: 3,
    parameters: { batchSize },
  };
  const to = (nodes: WorkflowNode[]) => nodes.map((node) => ({ node: node.name, type: 'main', index: 0 }));
  const workflow = chain(name, [...before, loop, ...inside]);
  const connections = {
    ...(workflow.connections as JsonObject),
    // Its first output is for the end of the loop.
    [loop.name]: { main: [[], to(inside.slice(0, 1))] },
    [inside.at(-1)?.name ?? '']: { main: Array.from({ length: outputs }, () => to([loop])) },
  };
  return { ...workflow, connections };
}
