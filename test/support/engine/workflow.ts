/** Runs a workflow with the Messaging Send node in n8n's engine, in the ways in which n8n runs one. */
import { parse, stringify } from 'flatted';
import { ExecuteContext, WorkflowExecute } from 'n8n-core';
import {
  createEmptyRunExecutionData,
  createRunExecutionData,
  type IDataObject,
  type INode,
  type INodeExecutionData,
  type INodeParameters,
  type IRun,
  type IRunExecutionData,
  type ITaskData,
  type Workflow,
} from 'n8n-workflow';

import { baseNode } from './baseNodes';
import { type EngineSetup, itemsNode, nodeIn, prepareEngine } from './engine';

export const NODE_TYPE = 'n8n-nodes-messaging-send.messagingSend';
const LOOP_TYPE = 'n8n-nodes-base.splitInBatches';
const START: INode = { id: '1', name: 'Items', type: 'test.items', typeVersion: 1, position: [0, 0], parameters: {} };

export interface Setup extends Pick<
  EngineSetup,
  'account' | 'lifetime' | 'onConsole' | 'onCredentialRead' | 'onStore' | 'settings' | 'workflowId'
> {
  readonly items: IDataObject[];
  readonly parameters: INodeParameters;
  readonly onError?: INode['onError'];
  /** 'Retry On Fail'. n8n waits a second for a wait of 0, so tests set a millisecond unless they give one. */
  readonly retryOnFail?: { readonly maxTries: number; readonly waitBetweenTries?: number };
  /** More lists of items: the node runs once more for each in the same execution, as in a loop. */
  readonly moreItems?: IDataObject[][];
  /** The 'Batch Size' of a Loop Over Items that the node is in. */
  readonly loopOver?: number;
  /** Whether the items reach the node by two connections: it runs twice. */
  readonly connectedTwice?: boolean;
  /** Whether the node that puts out the items fails instead. */
  readonly startFails?: boolean;
  readonly mode?: EngineSetup['mode'];
  /** Whether an AI Agent asks by the node before it calls a tool. */
  readonly isHumanReview?: boolean;
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

/** Runs a workflow of two nodes, one that puts out items and Messaging Send, to its end. */
export async function runWorkflow(setup: Setup): Promise<Execution> {
  const { ended } = await startWorkflow(setup);
  return await ended;
}

/** A run in progress. */
export interface RunningExecution {
  readonly ended: Promise<Execution>;
  /** Does what the Stop button does. */
  readonly stop: () => void;
}

/** Starts the workflow that `runWorkflow` runs. */
export async function startWorkflow(setup: Setup): Promise<RunningExecution> {
  const { workflow, additionalData } = await prepare(setup);
  const mode = setup.mode ?? 'manual';
  const running = new WorkflowExecute(additionalData, mode, dataAtStart(setup)).processRunExecutionData(workflow);
  return { ended: running.then((run) => resultOf(run)), stop: () => running.cancel() };
}

/** The data that an execution begins with, and that n8n stores before anything runs. */
export function dataAtStart({ withoutToken = false }: Setup): IRunExecutionData {
  const data = createRunExecutionData({
    executionData: { nodeExecutionStack: [{ node: START, data: { main: [[{ json: {} }]] }, source: null }] },
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

/**
 * What n8n knows, after a restart, of an execution during which it was killed (n8n's ExecutionRecoveryService).
 * - `node`: n8n had stored the execution after the node before this one.
 * - `start`: n8n had stored nothing since the start. Its log shows which nodes had started and which had ended; it gives
 *   each an error or an item of its own.
 * @param ran a run that failed at the node
 * @param ended whether the node had ended when n8n was killed
 */
export function killed({ run, ...ran }: Execution, kept: 'node' | 'start', ended = false): Execution {
  const data = stored(run.data);
  const { executionData, resultData } = data;
  if (executionData === undefined) throw new Error('the execution has nothing to continue with');
  executionData.contextData = {};
  if (kept === 'node') return { ...ran, run: { ...run, data } };

  const known = { startTime: 0, executionIndex: 0, executionTime: 0, source: [null] };
  const replaced: ITaskData = {
    ...known,
    executionStatus: 'success',
    data: { main: [[{ json: { isArtificialRecoveredEventItem: true } }]] },
  };
  const crashed: ITaskData = { ...known, executionStatus: 'crashed' };
  resultData.runData = { Send: [ended ? replaced : crashed], Items: [replaced] };
  resultData.lastNodeExecuted = 'Items';
  executionData.nodeExecutionStack = [{ node: START, data: { main: [[{ json: {} }]] }, source: null }];
  return { ...ran, run: { ...run, data } };
}

/** Continues a waiting execution as n8n does when the time is up. */
export async function continueWaiting({ run }: Execution, setup: Setup): Promise<Execution> {
  const { workflow, additionalData } = await prepare(setup);
  const mode = setup.mode ?? 'manual';
  const execution = new WorkflowExecute(additionalData, mode, stored(run.data));
  return resultOf(await execution.processRunExecutionData(workflow));
}

/** The data of an execution, written to n8n's database and read from it. */
export function stored(data: IRunExecutionData): IRunExecutionData {
  return parse(stringify(data)) as IRunExecutionData;
}

/** What the node keeps in an execution between its attempts. */
export function keptIn(ran: Execution): IDataObject {
  return (ran.run.data.executionData?.contextData['node:Send'] ?? {}) as IDataObject;
}

/** The result of an execution, from the node's last run in it. */
export function resultOf(run: IRun): Execution {
  const data = run.data.resultData.runData.Send?.at(-1);
  const outputs = (data?.data?.main ?? []).map((items) => items ?? []);
  return { run, outputs, error: (data?.error ?? run.data.resultData.error) as StoredError | undefined };
}

/** Runs the node's `execute` as MCP Server Trigger and sub-agents do: by its routing, without the custom operations. */
export async function runRouting(setup: Setup): Promise<INodeExecutionData[]> {
  const { workflow, additionalData, node, nodeType } = await prepare(setup);
  const items = setup.items.map((json) => ({ json }));
  const input = { main: [items] };
  const context = new ExecuteContext(
    workflow,
    node,
    additionalData,
    'manual',
    // Outside of workflows, n8n has no more of an execution than this.
    createEmptyRunExecutionData(),
    0,
    items,
    input,
    { node, data: input, source: null },
    [],
  );
  const outputs = await nodeType.execute?.call(context);
  return (outputs as INodeExecutionData[][])[0] ?? [];
}

/** The workflow of a setup, and what n8n's WorkflowExecute needs to run it. */
export async function prepare({
  items,
  parameters,
  account,
  onError,
  retryOnFail,
  moreItems = [],
  loopOver,
  connectedTwice = false,
  startFails = false,
  isHumanReview = false,
  mode = 'manual',
  onStore,
  onConsole,
  onCredentialRead,
  settings,
  lifetime,
  workflowId,
}: Setup) {
  const nodeType = await nodeIn(lifetime);
  const type = isHumanReview ? `${NODE_TYPE}HitlTool` : NODE_TYPE;
  const start = itemsNode(items.map((json) => ({ json })));
  const fails = async () => await Promise.reject(new Error('the list of contacts is out of reach'));
  const types = {
    'test.items': startFails ? { ...start, execute: fails } : start,
    ...(loopOver !== undefined && { [LOOP_TYPE]: await baseNode(LOOP_TYPE) }),
    ...Object.fromEntries(
      moreItems.map((more, index) => [
        `test.more${index}`,
        itemsNode(
          more.map((json) => ({ json })),
          ['main'],
        ),
      ]),
    ),
    [type]: nodeType,
  };
  const node: INode = {
    id: '2',
    name: 'Send',
    type,
    typeVersion: 1,
    position: [200, 0],
    parameters,
    credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } },
    ...(onError && { onError }),
    ...(retryOnFail && { retryOnFail: true, waitBetweenTries: 1, ...retryOnFail }),
  };
  const more = moreItems.map((_, index): INode => ({
    id: `more${index}`,
    name: `More ${index}`,
    type: `test.more${index}`,
    typeVersion: 1,
    position: [0, 100 * (index + 1)],
    parameters: {},
  }));
  const toSend = { node: 'Send', type: 'main', index: 0 } as const;
  // By the nodes' positions, n8n runs Send for the items of the first one before it continues with the next.
  const connections = {
    Items: {
      main: [
        [
          toSend,
          ...(connectedTwice ? [toSend] : []),
          ...more.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 })),
        ],
      ],
    },
    ...Object.fromEntries(more.map(({ name }) => [name, { main: [[toSend]] }])),
  };
  const loop: INode = {
    id: 'loop',
    name: 'Loop',
    type: LOOP_TYPE,
    typeVersion: 3,
    position: [100, 0],
    parameters: { batchSize: loopOver ?? 1, options: {} },
  };
  const toLoop = { node: 'Loop', type: 'main', index: 0 } as const;
  const inLoop = { Items: { main: [[toLoop]] }, Loop: { main: [[], [toSend]] }, Send: { main: [[toLoop]] } };
  const { workflow, additionalData, hooks } = await prepareEngine({
    ...(workflowId !== undefined && { workflowId }),
    nodes: [START, ...(loopOver === undefined ? [] : [loop]), node, ...more],
    connections: loopOver === undefined ? connections : inLoop,
    types,
    account,
    mode,
    ...(settings && { settings }),
    ...(lifetime && { lifetime }),
    ...(onConsole && { onConsole }),
    ...(onCredentialRead && { onCredentialRead }),
    ...(onStore && { onStore: (data: IRunExecutionData) => onStore(stored(data)) }),
  });
  return { workflow, additionalData, hooks, node, nodeType };
}
