/** Workflows in n8n's engine, with this node and with n8n's own from the published n8n-nodes-base. */
import { dirname } from 'node:path';

import { LazyPackageDirectoryLoader, WorkflowExecute } from 'n8n-core';
import type {
  IConnections,
  IDataObject,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IVersionedNodeType,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { itemsNode, loadPackage, prepareEngine } from '../test/engine/engine';
import { NODE_TYPE } from '../test/engine/n8n';
import { KEY } from './sandbox';

const ITEMS = 'bench.items';
const HOLDER = 'bench.hold';

/** Hands on its items after a second, in which they can be weighed. */
const holder: INodeType = {
  description: { ...itemsNode([]).description, displayName: 'Hold', name: 'hold', inputs: ['main'] },
  async execute() {
    await sleep(1_000);
    return [this.getInputData()];
  },
};

let base: LazyPackageDirectoryLoader | undefined;

async function typeNamed(name: string): Promise<INodeType | IVersionedNodeType> {
  if (name === HOLDER) return holder;
  if (name === NODE_TYPE) return (await loadPackage()).node;
  base ??= await (async () => {
    const loader = new LazyPackageDirectoryLoader(dirname(require.resolve('n8n-nodes-base/package.json')));
    await loader.loadAll();
    return loader;
  })();
  return base.getNode(name.replace('n8n-nodes-base.', '')).type;
}

/** A node of a workflow, and those its outputs lead to: a list for each output. */
export interface Step {
  readonly name: string;
  readonly type: string;
  readonly version: number;
  readonly parameters: INodeParameters;
  readonly outputs: readonly string[][];
  /** What the user sets in the tab Settings. */
  readonly settings?: Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>;
}

/** A workflow; the first step gets the items. */
export type Steps = readonly [Step, ...Step[]];

/** A workflow without this node: its items only pass through. */
export const PASS: Steps = [
  { name: 'No Operation', type: 'n8n-nodes-base.noOp', version: 1, parameters: {}, outputs: [] },
];

/** The same, but they are held for a second. */
export const HOLD: Steps = [{ name: 'Hold', type: HOLDER, version: 1, parameters: {}, outputs: [] }];

/**
 * Runs a workflow over these items.
 * @returns the items that came out of the last step's first output, in all its runs
 * @throws the error that ended the run
 */
export async function run(items: readonly IDataObject[], steps: Steps, url: string): Promise<INodeExecutionData[]> {
  const [first] = steps;
  const start: INode = { id: '0', name: 'Items', type: ITEMS, typeVersion: 1, position: [0, 0], parameters: {} };
  const nodes = steps.map(({ name, type, version, parameters, settings }, index): INode => ({
    id: String(index + 1),
    name,
    type,
    typeVersion: version,
    position: [200 * (index + 1), 0],
    parameters,
    ...settings,
    ...(type === NODE_TYPE && { credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } } }),
  }));
  const to = (names: readonly string[]) => names.map((node) => ({ node, type: 'main' as const, index: 0 }));
  const connections: IConnections = {
    Items: { main: [to([first.name])] },
    ...Object.fromEntries(steps.map(({ name, outputs }) => [name, { main: outputs.map(to) }])),
  };
  const types = Object.fromEntries(
    await Promise.all(steps.map(async ({ type }) => [type, await typeNamed(type)] as const)),
  );
  const { workflow, additionalData } = await prepareEngine({
    nodes: [start, ...nodes],
    connections,
    types: { ...types, [ITEMS]: itemsNode(items.map((json) => ({ json }))) },
    account: { baseUrl: `${url}/v1`, apiKey: KEY },
    mode: 'trigger',
  });
  const { data } = await new WorkflowExecute(additionalData, 'trigger').run({ workflow, startNode: start });
  if (data.resultData.error !== undefined) throw data.resultData.error;
  const last = steps.at(-1) ?? first;
  return (data.resultData.runData[last.name] ?? []).flatMap((each) => each.data?.main?.[0] ?? []);
}

/** Recipients with numbers of their own. */
export function contacts(from: number, to: number): IDataObject[] {
  return Array.from({ length: to - from }, (_, index) => ({
    name: `Made-up Person ${from + index}`,
    phone: `4477${String(from + index).padStart(8, '0')}`,
    message: `Hello Made-up Person ${from + index}, a reminder of your appointment on Monday ${(from + index) % 28} May.`,
  }));
}
