import { type INodeExecutionData, type IPollFunctions, NodeOperationError } from 'n8n-workflow';

import { BALANCE_FIELDS, type JsonRecord, pick } from '../api/records';
import { creditsOf } from '../delivery/credits';
import type { Failure } from '../failures/failure';
import { type Account, caller, readAccount } from '../n8n/http';
import { nodeApiError } from '../n8n/nodeErrors';
import { gateFor, readBalance } from '../n8n/wire';
import { decide, readState } from './decision';
import { readTriggerSettings, type TriggerSettings } from './settings';

/** The name under which the state is kept in the static data of the node. */
const KEPT = 'lowBalance';

/** As much as n8n itself gives a poll, for an n8n that does not tell. */
const POLL_BUDGET = 5 * 60_000;

/**
 * The `poll` of the trigger.
 * @throws whatever keeps the balance from being read. When the user activates the workflow, n8n shows it and
 * does not start the polls; later, it stores a failed execution and runs the error workflow.
 */
export async function pollBalance(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (!isResumed(this)) return await poll(this);
  // n8n 2.41 gives up a trigger whose first poll fails as n8n starts: after 15 seconds, without a failed
  // execution, and for good. A service that is down just then must not end the watch, so the error is
  // reported as n8n does it with that of any later poll, and polls go on.
  return await poll(this).catch((error: Error) => {
    this.__emitError(error);
    return null;
  });
}

/** Whether n8n has activated the workflow by itself: there is nobody to show an error to. */
function isResumed(context: IPollFunctions): boolean {
  return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * Reads the balance, and gives an item if it is to be told. A test run always gives one, and leaves
 * alone what is kept; so does an error.
 */
async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const { account, settings } = await setUp(context);
  const data = await readData(context, account, settings);
  const credits = creditsOf(data);
  if (credits === null) throw nodeApiError(context.getNode(), NO_CREDITS);
  const { user_id, user_name } = pick(data, BALANCE_FIELDS);
  const owner = typeof user_id === 'boolean' ? null : user_id;

  // Not before the answer is there, and in one go: a slow poll may be overtaken by the next one.
  const now = Date.now();
  const { threshold } = settings.lowBalance;
  const kept = context.getWorkflowStaticData('node');
  const { fires, previousCredits, next } = decide(readState(kept[KEPT]), { credits, owner }, settings.lowBalance, now);
  const isTest = context.getMode() === 'manual';
  if (!isTest) kept[KEPT] = { ...next };
  if (!fires && !isTest) return null;

  const checked_at = new Date(now).toISOString();
  return [[{ json: { credits, threshold, user_id, user_name, previous_credits: previousCredits, checked_at } }]];
}

async function setUp(context: IPollFunctions): Promise<{ account: Account; settings: TriggerSettings }> {
  try {
    return { account: await readAccount(context), settings: readTriggerSettings(context) };
  } catch (error) {
    throw new NodeOperationError(context.getNode(), error as Error);
  }
}

/** The `data` of the balance, in the time that n8n gives a poll: one that takes longer would be abandoned without a word. */
async function readData(
  context: IPollFunctions,
  account: Account,
  { limits, requestOptions }: TriggerSettings,
): Promise<JsonRecord> {
  const budget = tellsBudget(context) ? context.getPollBudgetMs() : POLL_BUDGET;
  const deadline = AbortSignal.timeout(budget);
  const gate = gateFor(account, deadline, { ...limits, longestWait: Math.min(limits.longestWait, budget) });
  const reply = await readBalance(caller(context, account, requestOptions, deadline), gate).catch((error: unknown) => {
    if (deadline.aborted) return null;
    throw error;
  });
  if (reply?.kind === 'accepted') return reply.data;
  throw nodeApiError(context.getNode(), reply === null || deadline.aborted ? TOO_LATE : reply.failure);
}

/** n8n 2.0 does not have it yet. */
function tellsBudget(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): boolean {
  return typeof context.getPollBudgetMs === 'function';
}

const NO_CREDITS: Failure = {
  code: 'UNREADABLE_ANSWER',
  httpStatus: null,
  message: 'The service answered, but did not report the credits',
  description: 'Check the Base URL in the credential: it ends in /v1 or /api/v1.',
  scope: 'run',
};

const TOO_LATE: Failure = {
  code: 'TIMEOUT',
  httpStatus: null,
  message: 'The balance could not be read in the time that n8n gives a poll',
  description:
    'The service is slow, or the requests of this API key are waiting for its limit. The next poll tries again.',
  scope: 'run',
};
