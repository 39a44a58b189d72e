import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { type JsonObject } from '../../tools/json';
import { type ListedExecution } from '../../tools/n8n/execution';
import { type InstanceWithSandbox } from '../../tools/n8n/instance';
import { removeEventLog } from '../e2e/crashes';
import { bodyOf, type Campaign, faultsOf, type Kill, workflowOf } from './campaign';
import { type Traffic } from './traffic';
import { type Findings, judge } from './verdict';

const DEADLINE_SECONDS = 120;
const ENDED = ['success', 'error', 'crashed', 'canceled'];
/** Retries without a kill, until one sends nothing more. */
const MAX_RETRIES = 6;

/** What came of a campaign. */
export interface Result extends Findings {
  received: number;
  /** In the last execution. */
  uncertain: number;
  killed: number;
  executions: number;
}

/** Runs a campaign: starts it, kills n8n, retries the newest execution until a Retry sends nothing more. */
export async function runCampaign(
  instance: InstanceWithSandbox,
  traffic: Traffic,
  campaign: Campaign,
): Promise<Result> {
  const { sandbox } = instance;
  sandbox.reset();
  sandbox.setFaults(faultsOf(campaign));
  traffic.reset();
  const webhookPath = randomUUID();
  const stored = await instance.rest.importWorkflow(workflowOf(campaign, webhookPath), [instance.credential]);
  await instance.rest.activate(stored);

  const kills: number[] = [];
  const result = { lost: 0, twice: 0, untrue: 0, beyond: 0, received: 0, uncertain: 0, killed: 0, executions: 0 };
  const judgeExecution = async ({ id, mode }: ListedExecution, unknownFrom = Infinity) => {
    const execution = await instance.rest.waitForExecution(id);
    const isRepeated = mode === 'retry' || campaign.retryOnFail;
    const { uncertain, ...found } = judge(execution, { campaign, traffic, sandbox, kills, unknownFrom, isRepeated });
    // The same message can be in several reports, and none may be wrong.
    for (const kind of ['lost', 'twice', 'untrue', 'beyond'] as const)
      result[kind] = Math.max(result[kind], found[kind]);
    result.uncertain = uncertain;
  };

  const planned = [...campaign.kills];
  let newest: ListedExecution | undefined;
  let retriedRetry = Infinity;
  for (let retries = 0; retries < MAX_RETRIES;) {
    const kill = planned.shift();
    if (kill === undefined) retries += 1;
    const before = traffic.arrived;
    // A Retry that was killed has stored nothing: the next one continues under its name.
    if (newest?.mode === 'retry' && newest.status === 'error') retriedRetry = Math.min(retriedRetry, Date.now());
    const work =
      newest === undefined
        ? start(instance, stored, webhookPath, campaign)
        : instance.rest.retry(newest.id, DEADLINE_SECONDS);
    if (await endsBefore(work, kill, traffic, campaign)) {
      newest = await newestOf(instance, stored);
    } else {
      kills.push(Date.now());
      await instance.n8n.kill();
      if (kill?.losesEventLog === true) await removeEventLog(instance);
      await instance.restart();
      // A webhook that was called just before may have left nothing.
      newest = (await instance.rest.executionsOf(stored)).length === 0 ? undefined : await newestOf(instance, stored);
    }
    if (newest === undefined) continue;
    await judgeExecution(newest);
    const sentNothing = newest.mode === 'retry' && traffic.arrived === before;
    if (newest.status === 'success' || (kill === undefined && sentNothing)) break;
  }

  const [first, second] = (await instance.rest.executionsOf(stored)).toReversed();
  if (campaign.retriesFirst && first !== undefined && second !== undefined && first.status !== 'success') {
    await instance.rest.retry(first.id, DEADLINE_SECONDS);
    // An older execution knows what its own retries sent, but what retries of those sent is uncertain to it.
    await judgeExecution(await newestOf(instance, stored), retriedRetry);
  }
  await instance.rest.deactivate(stored);
  result.received = new Set(sandbox.messages().map(({ id }) => id)).size;
  result.killed = kills.length;
  result.executions = (await instance.rest.executionsOf(stored)).length;
  return result;
}

/** Calls the webhook and waits until its execution has ended. */
async function start(
  instance: InstanceWithSandbox,
  stored: JsonObject,
  webhookPath: string,
  campaign: Campaign,
): Promise<void> {
  const answer = await fetch(`${instance.n8n.url}/webhook/${webhookPath}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(campaign)),
  });
  if (!answer.ok) throw new Error(`the webhook answered ${answer.status}: ${await answer.text()}`);
  await newestOf(instance, stored);
}

/** Waits until the newest execution has ended. */
async function newestOf(instance: InstanceWithSandbox, stored: JsonObject): Promise<ListedExecution> {
  return await instance.waitFor('an execution to end', DEADLINE_SECONDS, async () => {
    const [newest] = await instance.rest.executionsOf(stored);
    return newest !== undefined && ENDED.includes(newest.status) ? newest : undefined;
  });
}

/** @returns whether the work has ended before the moment to kill n8n */
async function endsBefore(
  work: Promise<unknown>,
  kill: Kill | undefined,
  traffic: Traffic,
  { phones }: Campaign,
): Promise<boolean> {
  const ended = work.then(() => true);
  if (kill === undefined) return await ended;
  const left = Math.max(0, phones.length - traffic.arrived);
  const due = async () => {
    if (kill.progress !== null) await traffic.reaches(traffic.arrived + Math.ceil(kill.progress * left));
    await pause(kill.milliseconds);
    return false;
  };
  return await Promise.race([ended, due()]);
}
