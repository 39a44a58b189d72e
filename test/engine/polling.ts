/** Workflows that begin with Messaging Send Trigger, activated and polled by n8n-core as n8n's server has it done. */
import './environment';

import { Container } from '@n8n/di';
import { ActiveWorkflowTriggers, PollContext, PollTriggerExecutor, WorkflowExecute } from 'n8n-core';
import type { IDataObject, INode, INodeExecutionData, INodeParameters, WorkflowActivateMode } from 'n8n-workflow';

import { type EngineSetup, loadPackage, prepareEngine } from './engine';
import type { StoredError } from './n8n';

type GetPollFunctions = Parameters<ActiveWorkflowTriggers['addTriggers']>[7];

export const TRIGGER_TYPE = 'n8n-nodes-messaging-send.messagingSendTrigger';

export interface TriggerSetup extends Pick<EngineSetup, 'account'> {
  readonly parameters: INodeParameters;
  /** What n8n's database has; left out for a workflow that never was active. */
  readonly stored?: IDataObject;
  /** How long n8n gives a poll, in milliseconds; left out, what n8n-core gives. */
  readonly budget?: number;
  /** How n8n came to activate the workflow; `init` is its own start. */
  readonly activation?: WorkflowActivateMode;
  /** n8n 2.0 does not tell how long a poll may take. */
  readonly withoutBudget?: boolean;
}

/** A workflow that is active. */
export interface Active {
  /** A poll at the Poll Times. */
  readonly poll: () => Promise<void>;
  /** The items of the executions so far, one list for each. */
  readonly started: INodeExecutionData[][];
  /** The errors of polls, which n8n stores as failed executions and gives to the error workflow. */
  readonly errors: StoredError[];
  /** The static data in n8n's database. */
  readonly stored: () => IDataObject;
  /** The static data in the memory of n8n, which it does not store after every poll. */
  readonly inMemory: () => IDataObject;
}

/**
 * Activates a workflow, with its first poll.
 * @throws what n8n shows if the first poll fails
 */
export async function activate(setup: TriggerSetup): Promise<Active> {
  const { workflow, additionalData, node } = await prepare(setup, 'trigger');
  const { activation = 'activate' } = setup;
  let stored = JSON.stringify(setup.stored ?? {});
  const started: INodeExecutionData[][] = [];
  const errors: StoredError[] = [];
  // As n8n's TriggerExecutionContextFactory does it: static data is stored when there are items, and after the activation.
  const store = () => {
    if (workflow.staticData.__dataChanged !== true) return;
    stored = JSON.stringify(workflow.staticData);
    workflow.staticData.__dataChanged = false;
  };
  const emit = ([items]: INodeExecutionData[][]) => {
    store();
    started.push(items ?? []);
  };
  const emitError = (error: Error) => errors.push(error as unknown as StoredError);
  const getPollFunctions: GetPollFunctions = (_workflow, _node, _data, mode, activationMode) => {
    const inScope = async <T>(poll: () => Promise<T>) => await poll();
    const { budget } = setup;
    const getBudget = budget === undefined ? undefined : () => budget;
    const context = new PollContext(
      workflow,
      node,
      additionalData,
      mode,
      activationMode,
      emit,
      emitError,
      async () => {},
      inScope,
      undefined,
      getBudget,
    );
    if (setup.withoutBudget === true) Object.defineProperty(context, 'getPollBudgetMs', { value: undefined });
    return context;
  };
  await Container.get(ActiveWorkflowTriggers).addTriggers(
    workflow.id,
    workflow,
    [node.id],
    additionalData,
    'trigger',
    activation,
    getTriggerFunctions,
    getPollFunctions,
  );
  store();
  // What n8n's clock calls at the Poll Times.
  const atPollTime = Container.get(PollTriggerExecutor).create(
    workflow,
    node,
    getPollFunctions(workflow, node, additionalData, 'trigger', activation),
    () => true,
  );
  return {
    poll: async () => await atPollTime(),
    started,
    errors,
    stored: () => JSON.parse(stored) as IDataObject,
    inMemory: () => JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject,
  };
}

/** A test run in the editor ("Fetch Test Event"): its items, or its error, and the static data after it. */
export async function fetchTestEvent(
  setup: TriggerSetup,
): Promise<{ items: INodeExecutionData[]; error: StoredError | undefined; staticData: IDataObject }> {
  const { workflow, additionalData, node } = await prepare(setup, 'manual');
  const { data } = await new WorkflowExecute(additionalData, 'manual').run({ workflow, startNode: node });
  const run = data.resultData.runData[node.name]?.at(-1);
  return {
    items: run?.data?.main?.[0] ?? [],
    error: (run?.error ?? data.resultData.error) as StoredError | undefined,
    staticData: JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject,
  };
}

async function prepare({ parameters, account, stored }: TriggerSetup, mode: EngineSetup['mode']) {
  const { trigger } = await loadPackage();
  const node: INode = {
    id: '1',
    name: 'Low Balance',
    type: TRIGGER_TYPE,
    typeVersion: 1,
    position: [0, 0],
    parameters: { pollTimes: { item: [{ mode: 'everyHour', minute: 0 }] }, ...parameters },
    credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } },
  };
  const staticData = JSON.parse(JSON.stringify(stored ?? {})) as IDataObject;
  const prepared = await prepareEngine({
    nodes: [node],
    connections: {},
    types: { [TRIGGER_TYPE]: trigger },
    account,
    mode,
    staticData,
  });
  return { ...prepared, node };
}

function getTriggerFunctions(): never {
  throw new Error('the workflow has a trigger that is not polled');
}
