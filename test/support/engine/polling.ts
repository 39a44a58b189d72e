/** Activates and polls a workflow that starts with Messaging Send Trigger, with n8n-core, as n8n's server does. */
import '../../../tools/engine/environment';

import { randomUUID } from 'node:crypto';

import { Container } from '@n8n/di';
import { ActiveWorkflowTriggers, PollContext, PollTriggerExecutor, WorkflowExecute } from 'n8n-core';
import type { IDataObject, INode, INodeExecutionData, INodeParameters, WorkflowActivateMode } from 'n8n-workflow';

import { type EngineSetup, loadPackage, prepareEngine } from '../../../tools/engine/engine';
import type { StoredError } from './workflow';

type GetPollFunctions = Parameters<ActiveWorkflowTriggers['addTriggers']>[7];

const TRIGGER_TYPE = 'n8n-nodes-messaging-send.messagingSendTrigger';

export interface TriggerSetup extends Pick<EngineSetup, 'account'> {
  readonly parameters: INodeParameters;
  /** The static data in n8n's database; none if the workflow was never active. */
  readonly stored?: IDataObject;
  /** The time that n8n gives a poll, in milliseconds; n8n-core's own by default. */
  readonly budget?: number;
  /** Why n8n activates the workflow; `init` is because n8n starts. */
  readonly activation?: WorkflowActivateMode;
  /** The node remembers the last poll of a workflow in its process; a new process by default. */
  readonly workflowId?: string;
}

export type Active = Awaited<ReturnType<typeof activate>>;

/**
 * Activates a workflow, which polls once.
 * @throws what n8n shows if the first poll fails
 */
export async function activate(setup: TriggerSetup) {
  const { workflow, additionalData, node } = await prepare(setup, 'trigger');
  const { activation = 'activate' } = setup;
  let stored = JSON.stringify(setup.stored ?? {});
  const started: INodeExecutionData[][] = [];
  const errors: StoredError[] = [];
  // n8n's TriggerExecutionContextFactory stores static data when a poll has items, and after the activation.
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
    const { budget } = setup;
    return new PollContext(
      workflow,
      node,
      additionalData,
      mode,
      activationMode,
      emit,
      emitError,
      async () => await Promise.resolve(),
      async <T>(poll: () => Promise<T>) => await poll(),
      undefined,
      budget === undefined ? undefined : () => budget,
    );
  };
  const getTriggerFunctions = () => {
    throw new Error('the workflow has a trigger that n8n does not poll');
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
  // n8n's scheduler calls this at the Poll Times.
  const atPollTime = Container.get(PollTriggerExecutor).create(
    workflow,
    node,
    getPollFunctions(workflow, node, additionalData, 'trigger', activation),
    () => true,
  );
  return {
    /** Polls, as n8n does at the Poll Times. */
    poll: async () => await atPollTime(),
    started,
    /** The errors of polls, which n8n stores as failed executions and passes to the error workflow. */
    errors,
    /** The static data in n8n's database. */
    stored: () => JSON.parse(stored) as IDataObject,
    /** The static data in n8n's memory, which n8n does not store after every poll. */
    inMemory: () => JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject,
  };
}

/** Runs the trigger as "Fetch Test Event" in the editor does. */
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

async function prepare({ parameters, account, stored, workflowId }: TriggerSetup, mode: EngineSetup['mode']) {
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
  const prepared = await prepareEngine({
    nodes: [node],
    connections: {},
    types: { [TRIGGER_TYPE]: trigger },
    account,
    mode,
    staticData: JSON.parse(JSON.stringify(stored ?? {})) as IDataObject,
    workflowId: workflowId ?? randomUUID(),
  });
  return { ...prepared, node };
}
