import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { BALANCE_FIELDS, creditsOf, type JsonObject, pick } from '../api/objects';
import { failure, isFailure } from '../failures/failure';
import { httpCall } from '../n8n/http';
import { type NodeAccount, readAccountOfItem } from '../n8n/input/credential';
import { nodeApiError, setUpError } from '../n8n/output/errors';
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
  if (!isActivatedByN8n(this)) return await poll(this);
  // If the first poll fails as n8n starts, n8n 2.41 gives up the trigger: after 15 seconds, without a failed execution,
  // and for good. A service that is down at that moment must not end the watch, so the error is reported as n8n reports
  // one of a later poll, and polling goes on.
  return await poll(this).catch((error: unknown) => {
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
  const settings = readTriggerSettings(context);
  const account = settings.broken ?? (await readAccountOfItem(context)).of(0);
  if (isFailure(account)) throw setUpError(context.getNode(), account);
  const trigger = JSON.stringify([context.getWorkflow().id, context.getNode().id]);
  // As n8n starts, a poll that waits for the service would hold up the workflows that n8n activates next.
  const maxWait = isActivatedByN8n(context) && !lastStates.has(trigger) ? 0 : settings.limits.maxWait;
  const data = await readData(context, account, { ...settings, limits: { ...settings.limits, maxWait } });
  const credits = creditsOf(data);
  if (credits === null) throw nodeApiError(context.getNode(), failure('balanceNotReported'));
  const { user_id, user_name } = pick(data, BALANCE_FIELDS);
  const owner = typeof user_id === 'boolean' ? null : user_id;

  // Only after the answer, and without a pause, because the next poll may overtake a slow one.
  const now = Date.now();
  const { threshold } = settings.lowBalance;
  const kept = context.getWorkflowStaticData('node');
  const stored = kept[KEPT] as LowBalanceState | undefined;
  const last = lastStates.get(trigger);
  // Another process may have polled since then.
  const before = (last?.readAt ?? -1) >= (stored?.readAt ?? 0) ? last : stored;
  const hasGap = before !== last;
  const { fires, previousCredits, next } = decide(before, { credits, owner }, settings.lowBalance, now, hasGap);
  const isTest = context.getMode() === 'manual';
  if (!isTest) lastStates.set(trigger, (kept[KEPT] = { ...next }));
  if (!fires && !isTest) return null;

  const checked_at = new Date(now).toISOString();
  return [[{ json: { credits, threshold, user_id, user_name, previous_credits: previousCredits, checked_at } }]];
}

/** Reads the balance's `data` within the time that n8n gives a poll: n8n silently abandons one that takes longer. */
async function readData(
  context: IPollFunctions,
  account: NodeAccount,
  { limits, requestOptions }: ReturnType<typeof readTriggerSettings>,
): Promise<JsonObject> {
  // n8n 2.35 has no such method.
  const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? 5 * 60_000;
  const deadline = AbortSignal.timeout(budget);
  const requestLimits = { ...limits, maxWait: Math.min(limits.maxWait, budget), interval: 0 };
  const call = httpCall(context, account, requestOptions, deadline);
  const requests = requestsOf(account, call, requestLimits, deadline);
  const reply = await requests.readBalance().catch((error: unknown) => {
    if (deadline.aborted) return null;
    throw error;
  });
  if (reply?.kind === 'accepted') return reply.data;
  const why = reply === null || deadline.aborted ? failure('pollTimeout') : reply.failure;
  throw nodeApiError(context.getNode(), why);
}
