/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** A campaign in production that is killed and retried as often as a test wants, and what n8n knows of it after its next start. */
import { setImmediate } from 'node:timers/promises';

import { WorkflowExecute } from 'n8n-core';
import {
  type INodeExecutionData,
  type IRunExecutionData,
  type ITaskData,
  NodeOperationError,
  type Workflow,
} from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox/server';
import { Lifetime } from '../../../tools/engine/lifetime';
import { processedData } from '../../../tools/engine/processedData';
import { detailsOf, outcomeOf, textOf } from '../outputs';
import { dataAtStart, dataOfRetry, type Execution, prepare, resultOf, type Setup, stored } from './workflow';

/** What the items of one message report, and how often the message reached the service. */
export interface Fate {
  readonly phone: string;
  readonly outcome: unknown;
  readonly id: unknown;
  readonly arrivals: number;
}

export const outcomes = (fates: readonly Fate[]): unknown[] => fates.map(({ outcome }) => outcome);

export const arrivals = (fates: readonly Fate[]): number[] => fates.map(({ arrivals: count }) => count);

interface Start {
  readonly lifetime: Lifetime;
  /** The execution that is retried, if it is not the latest one. */
  readonly earlier: Execution;
  /** What the user changes in the workflow before a "Retry with currently saved workflow". */
  readonly changes: Partial<Setup>;
  /** Whether n8n's event log still exists when n8n starts after the kill. */
  readonly eventLog: 'kept' | 'gone';
}

export class Campaign {
  /** The latest execution, as n8n lists it: as it ended, or as it was when n8n was killed. */
  private latest: Execution | undefined;

  constructor(
    private readonly sandbox: Sandbox,
    readonly setup: Setup,
  ) {}

  get execution(): Execution {
    if (this.latest === undefined) throw new Error('it has not started');
    return this.latest;
  }

  /**
   * Starts the execution, or retries it, until it ends or n8n is killed. One that was successful stays as it is, because
   * n8n does not retry it.
   */
  async run({ lifetime = new Lifetime(), earlier, changes, eventLog }: Partial<Start> = {}): Promise<Execution> {
    const retried = earlier ?? this.latest;
    if (retried !== undefined && isSuccessful(retried)) return retried;
    const { ended, afterRestart } = await this.attempt(lifetime, retried, changes);
    this.latest = ended ?? afterRestart(eventLog);
    return this.latest;
  }

  /** Runs it to its end, and makes n8n forget that it got this far. */
  async runAndForget(eventLog: 'kept' | 'gone'): Promise<void> {
    const { afterRestart } = await this.attempt(new Lifetime(), this.latest);
    this.latest = afterRestart(eventLog);
  }

  /** Retries it until it has an item for each message. */
  async finish(changes?: Partial<Setup>): Promise<Fate[]> {
    await this.run(changes && { changes });
    if (!isSuccessful(this.execution)) await this.run({ changes: { ...changes, onError: 'continueRegularOutput' } });
    if (!isSuccessful(this.execution)) throw new Error(`it does not end: ${this.execution.error?.message}`);
    return this.fates();
  }

  private async attempt(lifetime: Lifetime, earlier?: Execution, changes?: Partial<Setup>): Promise<Attempt> {
    const before = this.sandbox.requests().length;
    const made = await attempt({ ...this.setup, ...changes }, lifetime, earlier, changes !== undefined);
    await arrived(this.sandbox, () => before + lifetime.requests);
    return made;
  }

  /** No two messages of the campaign may have the same number. */
  fates(): Fate[] {
    const arrivals = new Map<string, number>();
    for (const { phone } of this.sandbox.messages()) arrivals.set(phone, (arrivals.get(phone) ?? 0) + 1);
    return itemsOf(this.execution)
      .map((item) => {
        const phone = phoneOf(item);
        return { phone, outcome: outcomeOf(item), id: item.json.message_id, arrivals: arrivals.get(phone) ?? 0 };
      })
      .sort((one, other) => one.phone.localeCompare(other.phone));
  }
}

const isSuccessful = ({ run, error }: Execution): boolean => run.status !== 'crashed' && error === undefined;

/** The items of all runs of the node, without those that replace outputs that n8n has lost. */
function itemsOf({ run }: Execution): INodeExecutionData[] {
  return (run.data.resultData.runData.Send ?? [])
    .flatMap(({ data }) => (data?.main ?? []).flatMap((items) => items ?? []))
    .filter(({ json }) => json.isArtificialRecoveredEventItem !== true);
}

const phoneOf = (item: INodeExecutionData): string =>
  textOf(item.json.error === undefined ? item.json.phone : detailsOf(item).phone);

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
      return resultOf({ data: known, mode, startedAt: new Date(), status: 'crashed', storedAt: 'db' });
    },
  };
}

/**
 * Waits until this many requests have reached the service and are answered, or reached one that does not answer.
 * Requests that had left when n8n was killed arrive after that.
 */
export async function arrived(sandbox: Sandbox, count: () => number): Promise<void> {
  for (const end = Date.now() + 10_000; ;) {
    const requests = sandbox.requests();
    const isOpen = requests.some(({ duration_ms: duration, fault }) => duration === null && fault !== 'silence');
    if (requests.length >= count() && !isOpen) return;
    if (Date.now() > end) throw new Error(`${requests.length} requests have arrived, not ${count()}`);
    await setImmediate();
  }
}

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
