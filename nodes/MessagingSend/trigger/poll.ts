import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { balanceIn } from '../api/reply';
import { failure, isFailure } from '../failures/failure';
import { httpCall } from '../n8n/http';
import { type NodeAccount, readAccounts } from '../n8n/input/credential';
import type { RequestOptions } from '../n8n/input/requestOptions';
import { nodeApiError, setUpError } from '../n8n/output/reports';
import { requestsOf } from '../requests/requests';
import { decide, type LowBalanceState } from './decision';
import { readTriggerSettings } from './settings';

/** The name of the state in the node's static data. */
const KEPT = 'lowBalance';

/** Each trigger's state after its last poll in this process. n8n stores it only if the poll starts the workflow. */
const lastStates = new Map<string, LowBalanceState>();

/**
 * The `poll` of the trigger.
 * @throws anything that keeps the balance from being read. When the user publishes the workflow, n8n shows the error
 * and does not start the polls; later, it stores a failed execution and runs the error workflow.
 */
export async function pollBalance(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  return await poll(this).catch((error: unknown) => {
    if (!isActivatedByN8n(this)) throw error;
    // If the first poll fails as n8n starts, n8n 2.41 gives up the trigger: after 15 seconds, without a failed execution,
    // and for good. A service that is down at that moment must not end the watch, so the error is reported as n8n reports
    // one of a later poll, and polling goes on.
    this.__emitError(error as Error);
    return null;
  });
}

/** Whether n8n has activated the workflow on its own, and nobody is there to see an error. */
function isActivatedByN8n(context: IPollFunctions): boolean {
  return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * Reads the balance, and returns an item if the workflow is to start. A test run always returns one. Neither a test run
 * nor an error changes the stored state.
 */
async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { lowBalance, requestOptions, broken } = readTriggerSettings(context);
  const account = broken ?? (await readAccounts(context)).of(0);
  if (isFailure(account)) throw setUpError(context.getNode(), account);
  const trigger = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
  // As n8n starts, a poll that waits for the service would hold up the workflows that n8n activates next.
  const maxWait = isActivatedByN8n(context) && !lastStates.has(trigger) ? 0 : requestOptions.limits.maxWait;
  const balance = await readBalance(context, account, requestOptions, maxWait);
  if (isFailure(balance)) throw nodeApiError(context.getNode(), balance);
  const { credits, user_id, user_name } = balance;
  const owner = typeof user_id === 'boolean' ? null : user_id;

  // Only after the answer, and without a pause, because the next poll may overtake a slow one.
  const now = Date.now();
  const { threshold } = lowBalance;
  const kept = context.getWorkflowStaticData('node');
  const stored = kept[KEPT] as LowBalanceState | undefined;
  const last = lastStates.get(trigger);
  // Another process may have polled since then.
  const before = (last?.readAt ?? -1) >= (stored?.readAt ?? 0) ? last : stored;
  const hasGap = before !== last;
  const { fires, previousCredits, next } = decide(before, { credits, owner }, lowBalance, now, hasGap);
  const isTest = context.getMode() === 'manual';
  if (!isTest) lastStates.set(trigger, (kept[KEPT] = { ...next }));
  if (!fires && !isTest) return null;

  const checked_at = new Date(now).toISOString();
  return [[{ json: { credits, threshold, user_id, user_name, previous_credits: previousCredits, checked_at } }]];
}

/** Reads the balance within the time that n8n gives a poll: n8n silently abandons one that takes longer. */
async function readBalance(context: IPollFunctions, account: NodeAccount, options: RequestOptions, maxWait: number) {
  // n8n 2.35 has no such method.
  const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? 5 * 60_000;
  const deadline = AbortSignal.timeout(budget);
  const limits = { ...options.limits, maxWait: Math.min(maxWait, budget) };
  const requests = requestsOf(account, httpCall(context, account, options, deadline), limits, deadline);
  // Only the deadline ends a wait for the balance.
  const reply = await requests.readBalance().catch(() => null);
  const isLate = reply?.kind !== 'accepted' && deadline.aborted;
  return reply === null || isLate ? failure('pollTimeout') : balanceIn(reply);
}
