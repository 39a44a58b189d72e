import {
  type IExecuteFunctions,
  type IExecutePaginationFunctions,
  type IExecuteSingleFunctions,
  NodeConnectionTypes,
  sleep,
} from 'n8n-workflow';

import { type Account, accountId } from '../../api/account';
import { isRecord, type JsonRecord } from '../../api/records';
import type { SendOperation } from '../../delivery/operation';
import { Journal } from '../../journal/journal';
import { Facts } from '../../journal/list/facts';
import { OutageRecord } from '../../journal/outageRecord';
import { DeliveryRecord } from '../../journal/record/deliveryRecord';
import { Reservations } from '../../journal/sendOnce/reservations';
import type { Message } from '../../messages/message';
import { inSlices } from '../slices';
import { isTool } from '../tool';
import { RECOVERED_SIGN } from './assumptions';
import { canRemember, crashLedgerOfRun, isWorthIt } from './crashLedgerOfRun';
import { isKept, keptOf } from './kept';
import { factListOf, type ListSettings, listStorageOf } from './listStorage';
import { lineageOf, runDataOf, type RunsOfNode } from './runData';

/** What the journal needs of a run's settings. */
export interface JournalSettings extends ListSettings {
  /** A dry run notes nothing; a test run nothing that counts in another run. */
  readonly kind: 'real' | 'dry' | 'test';
}

/**
 * Opens the journal of a run that sends, in a workflow. The delivery record is opened before anything in the run can
 * fail, so a re-run that finds none, although the node has run before, follows a run that n8n knows nothing of.
 */
export async function openJournal(
  context: IExecuteFunctions,
  operation: SendOperation,
  settings: JournalSettings,
): Promise<Journal> {
  const runs = runsOf(context);
  const record = recordOf(context, runs);
  const storage = listStorageOf(context, settings);
  const crash = settings.kind === 'dry' ? null : crashLedgerOfRun(context, operation, runs.ordinal, record, storage);
  const isRetry = context.getMode() === 'retry';
  // Without a token, nothing tells a run that n8n was killed in from one that was not begun.
  const mayFollowKill = runs.followsKill || (isRetry && lineageOf(context) === null);
  const start = { isRetry, followsKill: !record.isOpen && mayFollowKill };
  const gap = crash === null ? (start.followsKill ? 'killed' : null) : await crash.start(start);
  if (gap === 'killed') record.markInterrupted();
  else if (gap === 'unanswered') record.markUnanswered();
  if (settings.kind === 'test') {
    // That it has begun, and sent nothing, is all that a run without 'Test Run' must know of it.
    await crash?.end();
    return journalOf(testRecordOf(context, runs));
  }
  // What a test before has kept is of no use any more.
  delete keptOf(context).test;
  const patience = patienceOf(settings.maxWait);
  const reservationsOf = (account: string) => {
    // What is stored can't be guessed without the API key.
    const secret = JSON.stringify([context.getWorkflow().id, account]);
    const facts = new Facts(factListOf(context), storage, secret, true);
    return new Reservations(facts, patience.mayWait);
  };
  const isReserved = settings.rememberLast !== 0 && settings.rememberLast !== null && canRemember(context);
  return new Journal({
    record,
    crash,
    reservationsOf: isReserved ? reservationsOf : () => null,
    patiently: patience.atMost,
    work: inSlices,
  });
}

/** What n8n did otherwise in a run than this node relies on, and its retries need. */
export type Deviation = 'list' | 'token' | 'kept';

/** Called when a run has sent: what of it a retry can't find. */
export function deviationsOf(context: IExecuteFunctions, operation: SendOperation, journal: Journal): Deviation[] {
  const hasNoToken = lineageOf(context) === null && isWorthIt(context, operation, runsOf(context).ordinal);
  return [
    ...(journal.protection === 'unexpected' ? (['list'] as const) : []),
    ...(hasNoToken ? (['token'] as const) : []),
    ...(isKept(context, keptOf(context)) ? [] : (['kept'] as const)),
  ];
}

/** How often a wait for another run is looked at, in milliseconds. */
const LOOK_EVERY = 1_000;

/** How long messages wait for other runs of this process that have the same ones in flight. */
function patienceOf(maxWait: number): {
  mayWait: (message: Message) => boolean;
  atMost: (promise: Promise<void>) => Promise<void>;
} {
  const ends = new Map<Message, number>();
  return {
    mayWait: (message) => {
      const end = ends.get(message) ?? performance.now() + maxWait;
      ends.set(message, end);
      return performance.now() < end;
    },
    atMost: async (promise) => {
      const settled = promise.then(() => true);
      const end = performance.now() + maxWait;
      for (let left = maxWait; left > 0; left = end - performance.now()) {
        if (await Promise.race([settled, sleep(Math.min(left, LOOK_EVERY)).then(() => false)])) return;
      }
    },
  };
}

/**
 * Leaves the sign of a run in which the node sends nothing, so that a Retry as an operation that sends does not take it
 * for one during which n8n was killed.
 */
export function openRecord(context: IExecutePaginationFunctions): void {
  if (isTool(context.getNode())) return;
  try {
    const runs = runsOf(context);
    const record = recordOf(context, runs);
    if (!record.isOpen && runs.followsKill) record.markInterrupted();
  } catch {
    // Where n8n runs a node outside of a workflow, it keeps no context, and there is no Retry.
  }
}

function recordOf(context: Context, { index }: Runs): DeliveryRecord {
  const record = new DeliveryRecord(keptOf(context), index);
  record.open();
  return record;
}

/** For Retry On Fail alone: a test counts as sent in no other run. */
function testRecordOf(context: Context, { index }: Runs): DeliveryRecord {
  const kept = keptOf(context);
  const own = isRecord(kept.test) ? kept.test : {};
  kept.test = own;
  return new DeliveryRecord(own, index);
}

/** What is kept of each call, for as long as n8n holds its arguments. */
const keptOfCalls = new WeakMap<object, JsonRecord>();

/**
 * The journal of one call that reaches the node through its routing, from an MCP server or a sub-agent. Retry On Fail
 * makes n8n call again with the very object of arguments that the first call had, and n8n keeps no context for it; a
 * further call, even with the same text, brings its own object.
 */
export function journalOfCall(context: Pick<IExecuteSingleFunctions, 'getInputData'>): Journal {
  return journalOf(new DeliveryRecord(keptOfCall(context), 0));
}

/** For a run that must not leave a trace in the execution. */
export function journalWithoutTrace(): Journal {
  return journalOf(new DeliveryRecord({}, 0));
}

function journalOf(record: DeliveryRecord): Journal {
  return new Journal({
    record,
    crash: null,
    reservationsOf: () => null,
    patiently: async (promise) => await promise,
    work: inSlices,
  });
}

function keptOfCall(context: Pick<IExecuteSingleFunctions, 'getInputData'>): JsonRecord {
  const { json } = context.getInputData(0, NodeConnectionTypes.AiTool);
  const kept = keptOfCalls.get(json) ?? {};
  keptOfCalls.set(json, kept);
  return kept;
}

/** What is known of the outages of an account's service from earlier attempts. */
export type Outages = (account: Account) => OutageRecord;

/** Those of a run in a workflow. */
export function outagesOfRun(
  context: Pick<IExecuteFunctions, 'getContext' | 'getExecutionId' | 'getNode' | 'getWorkflow'>,
): Outages {
  return (account) => outagesOf(account, keptOf(context), context.getExecutionId());
}

/** Those of one call through the routing; its attempts are all of one execution. */
export function outagesOfCall(context: Pick<IExecuteSingleFunctions, 'getInputData'>): Outages {
  return (account) => outagesOf(account, keptOfCall(context), '');
}

/** Enough of an account's hash to tell the few of a run apart, and too little to guess a key by. */
const MARK_LENGTH = 4;

function outagesOf(account: Account, kept: JsonRecord, execution: string): OutageRecord {
  return new OutageRecord(kept, accountId(account).slice(0, MARK_LENGTH), execution, Date.now);
}

type Context = IExecuteFunctions | IExecutePaginationFunctions;

/** Where a run is among those of the node in its execution. */
interface Runs {
  /** n8n's number of it. */
  readonly index: number;
  /** Its number without the run that n8n may have entered itself. */
  readonly ordinal: number;
  /** Whether this is a Retry of an execution during which n8n was killed while, or after, the node ran. */
  readonly followsKill: boolean;
}

/**
 * After a kill n8n has stored nothing of what the node did; at its next start it enters from its event log that the node
 * ran: with an error, which a Retry removes again (an empty list of runs is left), or with an item of its own instead of
 * the output. A node of another type that failed under this name leaves an empty list, too, and n8n shows no difference:
 * then it counts as killed, which sends nothing twice.
 */
function runsOf(context: Context): Runs {
  const { $, $runIndex } = runDataOf(context);
  const index = Number($runIndex);
  const node = context.getNode();
  // As a tool it has a run on n8n's list as soon as it is called.
  if (context.getMode() !== 'retry' || isTool(node)) return { index, ordinal: index, followsKill: false };
  const own = $(node.name, WHOLE_ITEMS);
  if (index === 0) return { index, ordinal: index, followsKill: own.isExecuted };
  // A later round of a loop, or the first one after a run that n8n has entered.
  const isEntered = isFirstEnteredByN8n(own);
  return { index, ordinal: isEntered ? index - 1 : index, followsKill: isEntered };
}

function isFirstEnteredByN8n(own: RunsOfNode): boolean {
  try {
    const first = own.first(0, 0)?.json;
    if (!isRecord(first)) return false;
    const [name, ...others] = Object.keys(first);
    // An item of this node has at least two fields, or only the answer to a question.
    return first[RECOVERED_SIGN] === true || (others.length === 0 && name !== 'data');
  } catch {
    return true;
  }
}

/** Without it, n8n gives an item's fields instead of the item if the workflow has `binaryMode: combined`. */
const WHOLE_ITEMS = true;
