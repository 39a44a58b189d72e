/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Runs a workflow with the Messaging Send node in n8n's engine, in each way in which n8n runs one. */
import { join } from 'node:path';

import { parse, stringify } from 'flatted';
import { ExecuteContext, RoutingNode, WorkflowExecute } from 'n8n-core';
import {
  createEmptyRunExecutionData,
  createRunExecutionData,
  type IConnections,
  type IDataObject,
  type INode,
  type INodeExecutionData,
  type INodeParameters,
  type INodeType,
  type IRun,
  type IRunExecutionData,
  type Workflow,
} from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { baseNode } from '../../../tools/engine/baseNodes';
import { type EngineSetup, itemsNode, loadPackage, NODE_TYPE, prepareEngine } from '../../../tools/engine/engine';
import type { Lifetime } from '../../../tools/engine/lifetime';
import { PROJECT_FOLDER } from '../../../tools/project';

const LOOP_TYPE = 'n8n-nodes-base.splitInBatches';

export interface Setup extends Pick<
  EngineSetup,
  'account' | 'lifetime' | 'onConsole' | 'onCredentialRead' | 'onStore' | 'settings' | 'workflowId'
> {
  readonly items: IDataObject[];
  readonly parameters: INodeParameters;
  readonly onError?: INode['onError'];
  /** 'Retry On Fail'. n8n turns a wait of 0 into a second, so tests set a millisecond unless they give one. */
  readonly retryOnFail?: { readonly maxTries: number; readonly waitBetweenTries?: number };
  /** More lists of items: the node runs once more for each in the same execution, as in a loop. */
  readonly moreItems?: IDataObject[][];
  /** The 'Batch Size' of a Loop Over Items that the node is in. */
  readonly loopOver?: number;
  readonly startType?: string;
  /** The parameters of a second Messaging Send, `Next`, which gets the first one's output items. */
  readonly next?: INodeParameters;
  /** Whether the node that outputs the items fails instead. */
  readonly startFails?: boolean;
  readonly mode?: EngineSetup['mode'];
  /** n8n's ending of the node's type: for an agent's tool, or for the step in which a person reviews its calls. */
  readonly type?: '' | 'Tool' | 'HitlTool';
  /** Older releases of n8n give an execution no token that it keeps through its Retries. */
  readonly withoutToken?: boolean;
}

export interface Execution {
  readonly run: IRun;
  /** The items on the node's outputs: the normal one first, then the error output if there is one. */
  readonly outputs: INodeExecutionData[][];
  /** The error that ended the run, as it is stored with the execution. */
  readonly error: StoredError | undefined;
}

export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly description?: string | null;
  readonly httpCode?: string | null;
  readonly context: { itemIndex?: number };
}

/** Runs a workflow of two nodes, one that outputs items and Messaging Send, to its end. */
export async function runWorkflow(setup: Setup): Promise<Execution> {
  const { ended } = await startWorkflow(setup);
  return await ended;
}

export async function startWorkflow(setup: Setup) {
  const { workflow, additionalData } = await prepare(setup);
  const mode = setup.mode ?? 'manual';
  const running = new WorkflowExecute(additionalData, mode, dataAtStart(setup)).processRunExecutionData(workflow);
  return {
    ended: running.then((run) => resultOf(run)),
    /** Does what the Stop button does. */ stop: () => running.cancel(),
  };
}

/** The data that an execution begins with, and that n8n stores before anything runs. */
export function dataAtStart({ withoutToken = false, startType }: Setup): IRunExecutionData {
  const data = createRunExecutionData({
    executionData: {
      nodeExecutionStack: [{ node: startOf(startType), data: { main: [[{ json: {} }]] }, source: null }],
    },
  });
  if (withoutToken) delete data.resumeToken;
  return data;
}

/**
 * Retries an execution as n8n's ExecutionService and WorkflowRunner do for "Retry" in the list of executions: they load
 * the data of the failed execution, remove the failed run of its last node, and let the engine continue from there.
 * @param changed the workflow as it is saved now ("Retry with currently saved workflow"); without it, the execution's
 * own is used ("Retry with original workflow")
 */
export async function retryExecution(execution: Execution, setup: Setup, changed?: Setup): Promise<Execution> {
  const { workflow, additionalData } = await prepare(changed ?? setup);
  const data = dataOfRetry(execution, changed && workflow);
  return resultOf(await new WorkflowExecute(additionalData, 'retry', data).processRunExecutionData(workflow));
}

/** @param changed the workflow as it is saved now, if it is used */
export function dataOfRetry({ run }: Execution, changed?: Workflow): IRunExecutionData {
  const data = stored(run.data);
  const { lastNodeExecuted, runData } = data.resultData;
  if (lastNodeExecuted !== undefined) {
    delete data.resultData.error;
    const runs = runData[lastNodeExecuted] ?? [];
    if (runs.at(-1)?.error !== undefined) runs.pop();
  }
  if (changed !== undefined) {
    for (const next of data.executionData?.nodeExecutionStack ?? []) {
      const node = changed.getNode(next.node.name);
      if (node === null) throw new Error(`the changed workflow has no node ${next.node.name}`);
      next.node = node;
    }
  }
  return data;
}

/** Continues a waiting execution as n8n does when the time is up. */
export async function continueWaiting({ run }: Execution, setup: Setup): Promise<Execution> {
  const { workflow, additionalData } = await prepare(setup);
  const execution = new WorkflowExecute(additionalData, setup.mode ?? 'manual', stored(run.data));
  return resultOf(await execution.processRunExecutionData(workflow));
}

export const stored = (data: IRunExecutionData): IRunExecutionData => parse(stringify(data)) as IRunExecutionData;

/** What the node keeps in an execution between its attempts. */
export const keptIn = (ran: Execution): IDataObject =>
  (ran.run.data.executionData?.contextData['node:Send'] ?? {}) as IDataObject;

export function resultOf(run: IRun): Execution {
  const data = run.data.resultData.runData.Send?.at(-1);
  const outputs = (data?.data?.main ?? []).map((items) => items ?? []);
  return { run, outputs, error: (data?.error ?? run.data.resultData.error) as StoredError | undefined };
}

/** Runs a tool's `execute` as MCP Server Trigger and sub-agents do: by its routing, without the custom operations. */
export async function runRouting(setup: Setup): Promise<INodeExecutionData[]> {
  const { context, nodeType } = await contextOf({ type: 'Tool', ...setup });
  return ((await nodeType.execute?.call(context)) as INodeExecutionData[][])[0] ?? [];
}

export async function contextOf(setup: Setup) {
  const { nodeType, ...prepared } = await prepare(setup);
  return { context: contextIn(prepared, setup.items), nodeType };
}

export function contextIn(
  { workflow, additionalData, node }: Pick<ExecuteContext, 'workflow' | 'additionalData' | 'node'>,
  jsons: readonly IDataObject[],
): ExecuteContext {
  const items = jsons.map((json) => ({ json }));
  const input = { main: [items] };
  const executeData = { node, data: input, source: null };
  // An execution has no more than this.
  const data = createEmptyRunExecutionData();
  return new ExecuteContext(workflow, node, additionalData, 'manual', data, 0, items, input, executeData, []);
}

/** The workflow of a setup, and what n8n's WorkflowExecute needs to run it. */
export async function prepare({
  items,
  parameters,
  onError,
  retryOnFail,
  moreItems = [],
  loopOver,
  startType,
  next,
  startFails = false,
  type = '',
  mode = 'manual',
  onStore,
  ...engine
}: Setup) {
  const nodeType = as(type, await nodeIn(engine.lifetime));
  const node: INode = {
    ...nodeAt('Send', NODE_TYPE + type, [200, 0]),
    parameters,
    credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } },
    ...(onError && { onError }),
    ...(retryOnFail && { retryOnFail: true, waitBetweenTries: 1, ...retryOnFail }),
  };
  const following: INode[] =
    next === undefined ? [] : [{ ...node, id: '3', name: 'Next', position: [400, 0], parameters: next }];
  const more = moreItems.map((list, index) => ({
    // By the nodes' positions, n8n runs Send for the items of the first one before it continues with the next.
    node: nodeAt(`More ${index}`, `test.more${index}`, [0, 100 * (index + 1)]),
    type: itemsNode(toItems(list), ['main']),
  }));
  const loop = nodeAt('Loop', LOOP_TYPE, [100, 0], 3);
  loop.parameters = { batchSize: loopOver ?? 1, options: {} };
  const startNode = startOf(startType);
  const start = itemsNode(toItems(items));
  const fails = async () => await Promise.reject(new Error('the list of contacts is out of reach'));
  const straight: IConnections = {
    Items: to('Send', ...more.map(({ node: { name } }) => name)),
    ...Object.fromEntries(more.map(({ node: { name } }) => [name, to('Send')])),
    ...(next && { Send: to('Next') }),
  };
  const inLoop: IConnections = { Items: to('Loop'), Loop: { main: [[], ...to('Send').main] }, Send: to('Loop') };
  const prepared = await prepareEngine({
    nodes: [startNode, ...(loopOver === undefined ? [] : [loop]), node, ...following, ...more.map((own) => own.node)],
    connections: loopOver === undefined ? straight : inLoop,
    types: {
      [startNode.type]: startFails ? { ...start, execute: fails } : start,
      ...(loopOver !== undefined && { [LOOP_TYPE]: await baseNode(LOOP_TYPE) }),
      ...Object.fromEntries(more.map((own) => [own.node.type, own.type])),
      [node.type]: nodeType,
    },
    ...engine,
    mode,
    ...(onStore && { onStore: (data: IRunExecutionData) => onStore(stored(data)) }),
  });
  return { ...prepared, node, nodeType };
}

/** The node as n8n offers it to agents: under another name, which decides what is shown of it, and its routing. */
function as(type: string, node: INodeType): INodeType {
  if (type === '') return node;
  const tool: INodeType = { ...node, description: { ...node.description, name: node.description.name + type } };
  tool.execute = async function () {
    return (await new RoutingNode(this as unknown as ExecuteContext, tool).runNode()) ?? [];
  };
  return tool;
}

function nodeAt(name: string, type: string, position: INode['position'], typeVersion = 1): INode {
  // The names of Send's entries in n8n's database contain its ID.
  return { id: name === 'Send' ? '2' : name, name, type, typeVersion, position, parameters: {} };
}

const startOf = (type = 'test.items'): INode => nodeAt('Items', type, [0, 0]);

const to = (...names: string[]) => ({ main: [names.map((node) => ({ node, type: 'main' as const, index: 0 }))] });

const toItems = (list: IDataObject[]): INodeExecutionData[] => list.map((json) => ({ json }));

const nodes = new WeakMap<Lifetime, INodeType>();

/** The node in one lifetime of n8n: what it kept in memory in another one is gone. */
async function nodeIn(lifetime: Lifetime | undefined): Promise<INodeType> {
  const { node } = await loadPackage();
  if (lifetime === undefined) return node;
  const own: INodeType = nodes.get(lifetime) ?? { ...node, ...newNode(), description: node.description };
  nodes.set(lifetime, own);
  return own;
}

const NODE_FILE = join(PROJECT_FOLDER, 'dist/nodes/MessagingSend/MessagingSend.node.js');

function newNode(): INodeType {
  const made: INodeType[] = [];
  jest.isolateModules(() => {
    // n8n and the node share it.
    jest.doMock('n8n-workflow', () => n8nWorkflow);
    const { MessagingSend } = jest.requireActual<{ MessagingSend: new () => INodeType }>(NODE_FILE);
    made.push(new MessagingSend());
  });
  const [node] = made;
  if (node === undefined) throw new Error('the node was not loaded');
  return node;
}
