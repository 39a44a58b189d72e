import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { accountId } from '../api/account';
import type { JsonRecord } from '../api/records';
import type { Call } from '../api/reply';
import { outagesIn } from '../delivery/circuitBreaker';
import { deliver, type Delivered, type Progress, type Sender } from '../delivery/deliver';
import type { SendOperation } from '../delivery/operation';
import type { DeliveryOptions } from '../delivery/options';
import { keepBackBy } from '../delivery/selection';
import { type Failure, failure, FailureError, isFailure } from '../failures/failure';
import type { Journal } from '../journal/journal';
import type { Drafts } from '../messages/message';
import { requestsOf, type Tally } from '../requests/requests';
import { isTool } from './assumptions';
import { httpCall } from './http';
import { type Accounts, type NodeAccount, readAccountOfItem, readAccounts } from './input/credential';
import { draftsOfCall, draftsOfRun, type ReadDrafts } from './input/drafts';
import { fieldsBehind } from './input/itemParameters';
import { booleanIn, GivenOptions, includeOtherFields } from './input/readOptions';
import { readRequestOptions, type RequestOptions } from './input/requestOptions';
import { beginAttempt, keptOfCall } from './memory/execution';
import { canRemember, journalOfCall, journalWithoutTrace, openJournal } from './memory/openJournal';
import { runError, setUpError } from './output/errors';
import { outputItems, withInputFields } from './output/outputItems';
import { countInCustomData, progressReporter, reportSummary } from './output/reports';
import { summarize, type Summary } from './output/summary';
import { pause } from './pause';
import { routedCall, type RoutedRequest } from './routing';

export interface Job {
  readonly operation: SendOperation;
  readonly drafts: Drafts;
  readonly readOptions: (given: GivenOptions) => DeliveryOptions;
  /** Why nothing can be sent, no matter what the parameters are. */
  readonly failure?: Failure | null;
  /** Lets the operation change the outcomes before they are reported. */
  readonly review?: (delivered: Delivered) => Delivered;
}

export type JobOfItems = Omit<Job, 'drafts'> & { readonly readDrafts: ReadDrafts };

/** What applies to a whole run. */
interface Settings {
  readonly options: DeliveryOptions;
  readonly requestOptions: RequestOptions;
  /** Whether output items also have the fields of their input items. */
  readonly includesInput: boolean;
  /** Why nothing can be sent with these settings, if so. A setting that can't be used has its default. */
  readonly failure: Failure | null;
}

/** What differs between a run in a workflow and one item through the routing. */
interface Invocation {
  readonly context: Pick<IExecuteFunctions, 'getNode' | 'continueOnFail' | 'getExecutionCancelSignal' | 'getTimezone'>;
  readonly job: Job;
  readonly settings: Settings;
  readonly accounts: Accounts;
  readonly callFor: (account: NodeAccount) => Call;
  readonly journal: Journal;
  /** The node's outages as n8n keeps them, and the execution that they belong to. */
  readonly outages: { readonly kept: JsonRecord; readonly execution: string };
  readonly onProgress: (progress: Progress) => void;
  readonly inputs: readonly INodeExecutionData[];
}

/** The custom operation that sends the messages that the job makes of each item. */
export function forRun({ readDrafts, ...job }: JobOfItems) {
  return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return [(await sendForRun(this, { ...job, drafts: draftsOfRun(this, readDrafts) })).items];
  };
}

/** Like {@link forRun}, but for the operation's routing, one item at a time. */
export function forItem({ readDrafts, ...job }: JobOfItems) {
  return async function (this: IExecutePaginationFunctions, request: RoutedRequest): Promise<INodeExecutionData[]> {
    return await sendForItem(this, { ...job, drafts: draftsOfCall(this, readDrafts) }, request);
  };
}

/** Never throws when On Error is Continue: n8n would forward the input items as if they had been sent. */
export async function sendForRun(
  context: IExecuteFunctions,
  job: Job,
): Promise<{ delivered: Delivered; items: INodeExecutionData[] }> {
  const read = (path: string, fallback: unknown) => context.getNodeParameter(path, 0, fallback) as unknown;
  const given = readSettings(job, read, context);
  const { dryRun, testRun, duplicateMessages, maxWait } = given.options;
  const endAttempt = beginAttempt(context);
  try {
    let whyNot = endAttempt === null ? failure('anotherAttempt') : null;
    // Neither sends the real messages, and n8n would take either for a successful Retry.
    if (context.getMode() === 'retry' && (dryRun || testRun !== null)) whyNot ??= failure('testInRetry');
    if (whyNot !== null && !context.continueOnFail()) throw setUpError(context.getNode(), new FailureError(whyNot), 0);
    const settings = { ...given, failure: whyNot ?? given.failure };
    const kind = dryRun ? 'dry' : testRun === null ? 'real' : 'test';
    const memory = { kind, isSendOnce: duplicateMessages === 'sendOnceEver', maxWait } as const;
    const journal = whyNot === null ? await openJournal(context, job.operation, memory) : journalWithoutTrace();
    const accounts = await readAccounts(context);
    const signal = context.getExecutionCancelSignal();
    const invocation: Invocation = {
      context,
      job,
      settings,
      accounts,
      callFor: (account) => httpCall(context, account, settings.requestOptions, signal),
      journal,
      outages: { kept: context.getContext('node'), execution: context.getExecutionId() },
      onProgress: progressReporter(context),
      inputs: context.getInputData(),
    };
    const { delivered, summary } = await send(invocation);
    reportSummary(context, job.operation.maxBatchSize, summary);
    countInCustomData(context, summary);
    return { delivered, items: await itemsOrError(invocation, delivered, summary) };
  } finally {
    endAttempt?.();
  }
}

/** Sends the messages of one item through the routing of its operation, for sub-agents and MCP servers. */
async function sendForItem(
  context: IExecutePaginationFunctions,
  given: Job,
  request: RoutedRequest,
): Promise<INodeExecutionData[]> {
  // n8n's second engine runs a workflow's node item by item, and keeps nothing that a retry could continue from.
  const job = isTool(context.getNode()) ? given : { ...given, failure: failure('engineUnsupported') };
  const invocation: Invocation = {
    context,
    job,
    // Proxy, timeout and SSL are set by the routing itself.
    settings: readSettings(job, (path, fallback) => context.getNodeParameter(path, fallback), null),
    accounts: await readAccountOfItem(context),
    callFor: (account) => routedCall(context, request, account),
    journal: journalOfCall(context),
    // All its attempts belong to one execution.
    outages: { kept: keptOfCall(context), execution: '' },
    onProgress: () => undefined,
    inputs: [],
  };
  const { delivered, summary } = await send(invocation);
  return await itemsOrError(invocation, delivered, summary);
}

/** @param run null if n8n keeps nothing for the node beyond the execution */
function readSettings(
  job: Job,
  read: (path: string, fallback: unknown) => unknown,
  run: IExecuteFunctions | null,
): Settings {
  const { readOptions } = job;
  const given = new GivenOptions(read, (path) => (run === null ? '' : fieldsBehind(run, path)));
  const settings = {
    options: readOptions(given),
    includesInput: given.read(includeOtherFields, booleanIn, false),
    requestOptions: readRequestOptions(given),
  };
  const needsMemory = settings.options.duplicateMessages === 'sendOnceEver';
  const unavailable = needsMemory && (run === null || !canRemember(run)) ? failure('sendOnceUnavailable') : null;
  return { ...settings, failure: job.failure ?? given.failure ?? unavailable };
}

/**
 * From drafts to outcomes.
 * @throws the set-up's error, if the set-up is wrong, On Error is Stop, and no earlier attempt has an outcome
 */
async function send(run: Invocation): Promise<{ delivered: Delivered; summary: Summary }> {
  const { context, job, settings, accounts, journal, onProgress } = run;
  const { options, requestOptions } = settings;
  const stopOnFailure = !context.continueOnFail();
  try {
    const kept = keepBackBy(options, Date.now, context.getTimezone());
    const [keepBack, unreadable] = kept !== null && isFailure(kept) ? [null, kept] : [kept, null];
    const broken = settings.failure ?? accounts.failure ?? unreadable;
    // No item has an outcome yet, so none need be read.
    if (broken !== null && stopOnFailure && journal.isNew) {
      throw setUpError(context.getNode(), new FailureError(broken), 0);
    }
    const tally = { requests: 0 };
    const senders = new Map<string, Sender>();
    const outcomes = await deliver({
      operation: job.operation,
      drafts: job.drafts,
      broken,
      options,
      batchSize: requestOptions.batchSize,
      stopOnFailure,
      senderOf: (item) => senderOf(item, run, senders, tally),
      keepBack,
      journal,
      pause,
      signal: context.getExecutionCancelSignal(),
      onProgress,
    });
    const delivered = job.review?.(outcomes) ?? outcomes;
    return { delivered, summary: summarize(delivered, tally.requests, senders.size, options) };
  } finally {
    await journal.end();
  }
}

/** Always the same object for an account. */
function senderOf(
  item: number,
  { context, settings, accounts, callFor, outages }: Invocation,
  senders: Map<string, Sender>,
  tally: Tally,
): Sender | Failure {
  const account = accounts.of(item);
  if (isFailure(account)) return account;
  // A key has no line break.
  const name = `${account.apiKey}\n${account.baseUrl}`;
  const known = senders.get(name);
  if (known !== undefined) return known;
  const limits = { ...settings.options, interval: settings.requestOptions.interval };
  const requests = requestsOf(account, callFor(account), limits, context.getExecutionCancelSignal(), tally);
  const id = accountId(account);
  const sender = { account: id, requests, outages: outagesIn(outages.kept, id, outages.execution, Date.now) };
  senders.set(name, sender);
  return sender;
}

async function itemsOrError(
  { context, job, settings, inputs }: Invocation,
  delivered: Delivered,
  summary: Summary,
): Promise<INodeExecutionData[]> {
  const error = context.continueOnFail() || summary.reasons.length === 0 ? null : runError(context.getNode(), summary);
  if (error !== null) throw error;
  await pause();
  const items = outputItems(delivered, job.operation, settings.options.dryRun);
  if (!settings.includesInput) return items;
  return withInputFields(items, inputs, context.getNode().onError === 'continueErrorOutput');
}
