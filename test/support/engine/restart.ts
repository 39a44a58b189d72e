/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Executions during which n8n is killed, and what n8n knows of them after its next start. */
import { setImmediate } from 'node:timers/promises';

import { WorkflowExecute } from 'n8n-core';
import { type IRun, type IRunExecutionData, type ITaskData, NodeOperationError, type Workflow } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox/server';
import type { Lifetime } from '../../../tools/engine/lifetime';
import { processedData } from '../../../tools/engine/processedData';
import { dataAtStart, dataOfRetry, type Execution, prepare, resultOf, type Setup, stored } from './workflow';

const MAX_WAIT_MS = 10_000;

/** An execution that has ended, or during which n8n was killed. */
export interface Attempt {
  /** The execution as it ended; null if n8n was killed before. */
  readonly ended: Execution | null;
  /**
   * The execution as n8n lists it if it was killed, at the latest after the node's end.
   * @param eventLog whether n8n's event log, from which it completes the execution, is still there
   */
  readonly afterRestart: (eventLog?: 'kept' | 'gone') => Execution;
}

/**
 * Runs the workflow until it ends or n8n is killed.
 * @param earlier the execution that is retried; without one, a new execution begins
 * @param changed whether the setup has another workflow ("Retry with currently saved workflow")
 */
export async function attempt(
  setup: Setup,
  lifetime: Lifetime,
  earlier?: Execution,
  changed = false,
): Promise<Attempt> {
  const { workflow, additionalData, hooks } = await prepare({ ...setup, lifetime });
  const data = earlier === undefined ? dataAtStart(setup) : dataOfRetry(earlier, changed ? workflow : undefined);
  let kept = stored(data);
  const log: EventLog = { started: new Set(), ended: new Set() };
  hooks.addHandler('nodeExecuteBefore', (name) => {
    if (!lifetime.isOver) log.started.add(name);
  });
  hooks.addHandler('nodeExecuteAfter', async (name, _task, current) => {
    await lifetime.survive();
    log.ended.add(name);
    await lifetime.reach('ended');
    if (setup.settings?.saveExecutionProgress !== true) return;
    current.resultData.lastNodeExecuted = name;
    kept = stored(current);
    await lifetime.reach('saved');
  });
  const mode = earlier === undefined ? (setup.mode ?? 'trigger') : 'retry';
  const running = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
  const ended = await Promise.race([running.then((run) => resultOf(run)), lifetime.over.then(() => null)]);
  if (ended !== null) await processedData.idle(lifetime);
  return {
    ended,
    afterRestart: (eventLog = 'kept') => {
      const known = stored(kept);
      if (eventLog === 'kept') complete(known, log, workflow);
      const run: IRun = { data: known, mode, startedAt: new Date(), status: 'crashed', storedAt: 'db' };
      return resultOf(run);
    },
  };
}

/**
 * Waits until this many requests have reached the service and are answered, or reached one that does not answer.
 * Requests that had left when n8n was killed arrive after that.
 */
export async function arrived(sandbox: Sandbox, count: () => number): Promise<void> {
  for (const end = Date.now() + MAX_WAIT_MS; ;) {
    const requests = sandbox.requests();
    const isOpen = requests.some(({ duration_ms: duration, fault }) => duration === null && fault !== 'silence');
    if (requests.length >= count() && !isOpen) return;
    if (Date.now() > end) throw new Error(`${requests.length} requests have arrived, not ${count()}`);
    await setImmediate();
  }
}

/** The nodes that n8n noted as started and as ended. */
interface EventLog {
  readonly started: Set<string>;
  readonly ended: Set<string>;
}

/** Does what n8n's ExecutionRecoveryService does: nodes without a run get an error, or an item of its own. */
function complete({ resultData }: IRunExecutionData, { started, ended }: EventLog, workflow: Workflow): void {
  for (const node of Object.values(workflow.nodes)) {
    if (!started.has(node.name) || resultData.runData[node.name] !== undefined) continue;
    const known = { startTime: 0, executionIndex: 0, source: [null] };
    const crashed = new NodeOperationError(node, 'Node crashed, possible out-of-memory error');
    const task: ITaskData = ended.has(node.name)
      ? {
          ...known,
          executionTime: 1,
          executionStatus: 'success',
          data: { main: [[{ json: { isArtificialRecoveredEventItem: true }, pairedItem: { item: 0 } }]] },
        }
      : { ...known, executionTime: 0, executionStatus: 'crashed', error: crashed };
    if (task.error !== undefined) resultData.error = task.error;
    resultData.lastNodeExecuted = node.name;
    resultData.runData[node.name] = [task];
  }
}
