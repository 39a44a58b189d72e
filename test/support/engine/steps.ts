/** Workflows of n8n's own nodes, from the published n8n-nodes-base, and Messaging Send. */
import { WorkflowExecute } from 'n8n-core';
import type {
  IConnections,
  IDataObject,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IVersionedNodeType,
} from 'n8n-workflow';

import { baseNode } from '../../../tools/engine/baseNodes';
import { itemsNode, loadPackage, NODE_TYPE, prepareEngine } from '../../../tools/engine/engine';
import { processedData } from '../../../tools/engine/processedData';
import { KEY } from '../account';

/** A node of a workflow. */
export interface Step {
  readonly name: string;
  /** The name of a type that n8n or the package has, or a type made for a test. */
  readonly type: string | INodeType;
  readonly version: number;
  readonly parameters: INodeParameters;
  /** The names of the steps that each output is connected to. */
  readonly outputs: readonly string[][];
  /** What the user sets in the tab Settings. */
  readonly settings?: Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>;
  /** Whether it has the account's credential, as Messaging Send has. */
  readonly hasAccount?: boolean;
}

/** A workflow, whose first step receives the items. */
export type Steps = readonly [Step, ...Step[]];

/** The name of the type, and of the node, that a workflow starts with. */
const ITEMS = 'Items';

/**
 * Runs a workflow over items in production, for the first time: n8n's database has nothing of earlier runs.
 * @param url the sandbox, which accepts {@link KEY}
 * @returns the items on the last step's first output, of all its runs
 * @throws the error that ended the execution
 */
export async function runSteps(
  items: readonly IDataObject[],
  steps: Steps,
  url: string,
): Promise<INodeExecutionData[]> {
  processedData.reset();
  const [first] = steps;
  const start: INode = { id: '0', name: ITEMS, type: ITEMS, typeVersion: 1, position: [0, 0], parameters: {} };
  const types = Object.fromEntries(
    await Promise.all(steps.map(async ({ type }) => [typeName(type), await implementationOf(type)] as const)),
  );
  const { workflow, additionalData } = await prepareEngine({
    nodes: [start, ...steps.map(nodeOf)],
    connections: { [ITEMS]: { main: [to([first.name])] }, ...connectionsOf(steps) },
    types: { ...types, [ITEMS]: itemsNode(items.map((json) => ({ json }))) },
    account: { baseUrl: `${url}/v1`, apiKey: KEY },
    mode: 'trigger',
  });
  const { data } = await new WorkflowExecute(additionalData, 'trigger').run({ workflow, startNode: start });
  if (data.resultData.error !== undefined) throw data.resultData.error;
  const last = steps.at(-1) ?? first;
  return (data.resultData.runData[last.name] ?? []).flatMap((each) => each.data?.main?.[0] ?? []);
}

function nodeOf(
  { name, type, version, parameters, settings, hasAccount = type === NODE_TYPE }: Step,
  index: number,
): INode {
  return {
    id: String(index + 1),
    name,
    type: typeName(type),
    typeVersion: version,
    position: [200 * (index + 1), 0],
    parameters,
    ...settings,
    ...(hasAccount && { credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } } }),
  };
}

function connectionsOf(steps: Steps): IConnections {
  return Object.fromEntries(steps.map(({ name, outputs }) => [name, { main: outputs.map(to) }]));
}

function to(names: readonly string[]) {
  return names.map((node) => ({ node, type: 'main' as const, index: 0 }));
}

function typeName(type: Step['type']): string {
  return typeof type === 'string' ? type : type.description.name;
}

async function implementationOf(type: Step['type']): Promise<INodeType | IVersionedNodeType> {
  if (typeof type !== 'string') return type;
  return type === NODE_TYPE ? (await loadPackage()).node : await baseNode(type);
}
