/** Runs items through workflows of n8n's own nodes, this package's and made-up ones. */
import { WorkflowExecute } from 'n8n-core';
import type {
  IDataObject,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IVersionedNodeType,
} from 'n8n-workflow';

import type { Account } from './credentials';
import { itemsNode, prepareEngine } from './engine';
import { processedData } from './processedData';

// Import these only from here: tsx loads a module twice if both an ES module and a CommonJS module import it.
export { baseNode } from './baseNodes';
export { itemsNode, loadPackage } from './engine';

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
  const { workflow, additionalData } = await prepareEngine({
    nodes,
    connections: Object.fromEntries(all.map(({ name, outputs = [] }) => [name, { main: outputs.map(to) }])),
    types: Object.fromEntries(all.map(({ type }) => [type.description.name, type])),
    account,
    mode: 'trigger',
  });
  const { data } = await new WorkflowExecute(additionalData, 'trigger').run({ workflow, startNode: nodes[0] });
  if (data.resultData.error !== undefined) throw data.resultData.error;
  const last = steps.at(-1) ?? steps[0];
  return (data.resultData.runData[last.name] ?? []).flatMap((each) => each.data?.main?.[0] ?? []);
}
