/** Workflows with this node in n8n's engine, run in the ways that n8n runs them. */
import { parse, stringify } from 'flatted';
import { ExecuteContext, WorkflowExecute } from 'n8n-core';
import {
  createRunExecutionData,
  type IDataObject,
  type INode,
  type INodeExecutionData,
  type INodeParameters,
  type IRun,
  type IRunExecutionData,
  type ITaskData,
} from 'n8n-workflow';

import { type EngineSetup, itemsNode, loadPackage, prepareEngine } from './engine';

export const NODE_TYPE = 'n8n-nodes-messaging-send.messagingSend';
const START: INode = { id: '1', name: 'Items', type: 'test.items', typeVersion: 1, position: [0, 0], parameters: {} };

export interface Setup extends Pick<EngineSetup, 'account' | 'onConsole' | 'onStore' | 'settings'> {
  readonly items: IDataObject[];
  readonly parameters: INodeParameters;
  readonly onError?: INode['onError'];
  /** "Retry On Fail"; n8n takes a wait of 0 for a second, so tests wait a millisecond. */
  readonly retryOnFail?: { readonly maxTries: number };
  /** Further lists of items: the node runs once more for each, in the same execution, as it does in a loop. */
  readonly moreItems?: IDataObject[][];
  readonly mode?: EngineSetup['mode'];
}

export interface Ran {
  readonly run: IRun;
  /** Items on the node's outputs: first the normal one, then the error output, if there is one. */
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

/** Runs a workflow of two nodes, items and Messaging Send, in n8n's engine. */
export async function runWorkflow(setup: Setup): Promise<Ran> {
  return await (
    await startWorkflow(setup)
  ).ended;
}

/** A run under way. */
export interface Started {
  readonly ended: Promise<Ran>;
  /** The Stop button. */
  readonly stop: () => void;
}

/** Starts what `runWorkflow` runs. */
export async function startWorkflow(setup: Setup): Promise<Started> {
  const { workflow, additionalData, start } = await prepare(setup);
  const running = new WorkflowExecute(additionalData, setup.mode ?? 'manual').run({ workflow, startNode: start });
  return { ended: running.then((run) => ranWith(run)), stop: () => running.cancel() };
}

/**
 * "Retry" in the list of executions, as n8n's ExecutionService and WorkflowRunner do it: the data of
 * the failed execution comes back from storage, the failed run of its last node is taken out, and the
 * engine goes on with what was still to be run.
 * @param changed the workflow as it is saved now ("Retry with currently saved workflow"); left out, the
 * execution's own is used ("Retry with original workflow")
 */
export async function retryExecution({ run }: Ran, setup: Setup, changed?: Setup): Promise<Ran> {
  const data = stored(run.data);
  const { lastNodeExecuted, runData } = data.resultData;
  if (lastNodeExecuted !== undefined) {
    delete data.resultData.error;
    const runs = runData[lastNodeExecuted] ?? [];
    if (runs.at(-1)?.error !== undefined) runs.pop();
  }
  const { workflow, additionalData } = await prepare(changed ?? setup);
  if (changed !== undefined) {
    for (const next of data.executionData?.nodeExecutionStack ?? []) {
      const node = workflow.getNode(next.node.name);
      if (node === null) throw new Error(`the changed workflow has no node ${next.node.name}`);
      next.node = node;
    }
  }
  return ranWith(await new WorkflowExecute(additionalData, 'retry', data).processRunExecutionData(workflow));
}

/**
 * What n8n has of an execution in whose middle it was killed, once it runs again (n8n's ExecutionRecoveryService).
 * - `node`: it was killed while the node ran, and had stored the execution after the node before it.
 * - `start`: it had stored nothing since the start, and enters from its log which nodes had begun, and which had ended:
 *   with an error or an item of its own.
 * @param ran a run that failed at the node
 */
export function killed({ run, ...ran }: Ran, kept: 'node' | 'start', ended = false): Ran {
  const data = stored(run.data);
  const { executionData, resultData } = data;
  if (executionData === undefined) throw new Error('there is nothing to go on with');
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

/** The data of an execution as it comes back from n8n's database. */
export function stored(data: IRunExecutionData): IRunExecutionData {
  return parse(stringify(data)) as IRunExecutionData;
}

/** What the node keeps in an execution between its tries. */
export function keptBy(ran: Ran): IDataObject {
  return (ran.run.data.executionData?.contextData['node:Send'] ?? {}) as IDataObject;
}

/** What a run came to, told by the last run of the node. */
function ranWith(run: IRun): Ran {
  const data = run.data.resultData.runData.Send?.at(-1);
  const outputs = (data?.data?.main ?? []).map((items) => items ?? []);
  return { run, outputs, error: (data?.error ?? run.data.resultData.error) as StoredError | undefined };
}

/** Runs the node's `execute`, as MCP Server Trigger and sub-agents do: by its routing, past the custom operations. */
export async function runRouting(setup: Setup): Promise<INodeExecutionData[]> {
  const { workflow, additionalData, node, nodeType } = await prepare(setup);
  const items = setup.items.map((json) => ({ json }));
  const input = { main: [items] };
  const context = new ExecuteContext(
    workflow,
    node,
    additionalData,
    'manual',
    createRunExecutionData(),
    0,
    items,
    input,
    { node, data: input, source: null },
    [],
  );
  const outputs = await nodeType.execute?.call(context);
  return (outputs as INodeExecutionData[][])[0] ?? [];
}

async function prepare({
  items,
  parameters,
  account,
  onError,
  retryOnFail,
  moreItems = [],
  mode = 'manual',
  onStore,
  onConsole,
  settings,
}: Setup) {
  const { node: nodeType } = await loadPackage();
  const types = {
    'test.items': itemsNode(items.map((json) => ({ json }))),
    ...Object.fromEntries(
      moreItems.map((more, index) => [
        `test.more${index}`,
        itemsNode(
          more.map((json) => ({ json })),
          ['main'],
        ),
      ]),
    ),
    [NODE_TYPE]: nodeType,
  };
  const node: INode = {
    id: '2',
    name: 'Send',
    type: NODE_TYPE,
    typeVersion: 1,
    position: [200, 0],
    parameters,
    credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } },
    ...(onError && { onError }),
    ...(retryOnFail && { retryOnFail: true, maxTries: retryOnFail.maxTries, waitBetweenTries: 1 }),
  };
  const start = START;
  const more = moreItems.map((_, index): INode => ({
    id: `more${index}`,
    name: `More ${index}`,
    type: `test.more${index}`,
    typeVersion: 1,
    position: [0, 100 * (index + 1)],
    parameters: {},
  }));
  const toSend = { node: 'Send', type: 'main', index: 0 } as const;
  // By their places, n8n runs Send for the items of the first node before it goes on to the next.
  const connections = {
    Items: { main: [[toSend, ...more.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }))]] },
    ...Object.fromEntries(more.map(({ name }) => [name, { main: [[toSend]] }])),
  };
  const { workflow, additionalData } = await prepareEngine({
    nodes: [start, node, ...more],
    connections,
    types,
    account,
    mode,
    ...(settings && { settings }),
    ...(onConsole && { onConsole }),
    ...(onStore && { onStore: (data: IRunExecutionData) => onStore(stored(data)) }),
  });
  return { workflow, additionalData, start, node, nodeType };
}
