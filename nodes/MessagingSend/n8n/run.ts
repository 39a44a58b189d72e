import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import type { JsonObject } from '../api/objects';
import type { Call } from '../api/reply';
import { outagesIn } from '../delivery/circuitBreaker';
import { composeAll } from '../delivery/compose';
import { deliver, type Sender } from '../delivery/deliver';
import type { SendOperation } from '../delivery/operation';
import { type DeliveryOptions, keepBackBy } from '../delivery/select';
import { type Failure, failure, isFailure } from '../failures/failure';
import type { Journal } from '../journal/journal';
import type { Drafts, Row } from '../messages/row';
import { requestsOf } from '../requests/requests';
import { beginAttempt, isTool } from './execution';
import { httpCall } from './http';
import { type Accounts, type NodeAccount, readAccountOfItem, readAccounts } from './input/credential';
import { draftsOfCall, type ReadDrafts } from './input/drafts';
import { fieldsBehind, ItemParameters, sourceOfRun } from './input/itemParameters';
import { booleanIn, GivenOptions, includeOtherFields } from './input/readOptions';
import { readRequestOptions, type RequestOptions } from './input/requestOptions';
import { canRemember, journalIn, openJournal } from './memory/openJournal';
import { runError, setUpError } from './output/errors';
import { outputItems } from './output/outputItems';
import { countInCustomData, progressReporter, reportSummary } from './output/reports';
import { summarize } from './output/summary';
import { pause } from './pause';
import { keptOfCall, routedCall, type RoutedRequest } from './routing';

export interface Job {
  readonly operation: SendOperation;
  readonly drafts: Drafts;
  readonly readOptions: (given: GivenOptions) => DeliveryOptions;
  /** Why nothing can be sent, no matter what the parameters are. */
  readonly failure?: Failure | null;
  /** Why what an earlier attempt has sent is uncertain all the same. */
  readonly lost?: Failure | null;
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
  readonly outages: { readonly kept: JsonObject; readonly execution: string };
  /** Null for an item through the routing, which has no other items, and shows nothing but its output. */
  readonly inWorkflow: IExecuteFunctions | null;
}

interface Delivered {
  readonly rows: readonly Row[];
  readonly items: INodeExecutionData[];
}

/** The custom operation that sends the messages that the job makes of each item. */
export function forRun({ readDrafts, ...job }: JobOfItems) {
  return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const parameters = new ItemParameters(sourceOfRun(this));
    const drafts: Drafts = {
      items: this.getInputData().length,
      of: (item) => readDrafts(item, parameters),
    };
    return [(await sendForRun(this, { ...job, drafts })).items];
  };
}

/** Never throws when On Error is Continue: n8n would forward the input items as if they had been sent. */
export async function sendForRun(context: IExecuteFunctions, job: Job): Promise<Delivered> {
  const source = sourceOfRun(context);
  const options = new GivenOptions(
    (path, ...read) => source.valueOf(path, 0, ...read),
    (path) => fieldsBehind(context, path),
  );
  const given = readSettings(job, options, context.getMode(), context);
  const { dryRun, testRun } = given.options;
  const endAttempt = beginAttempt(context);
  try {
    let whyNot = endAttempt === null ? failure('anotherAttempt') : null;
    // Neither sends the real messages, and n8n would take either for a successful Retry.
    if (context.getMode() === 'retry' && (dryRun || testRun !== null)) whyNot ??= failure('testInRetry');
    if (whyNot !== null && !context.continueOnFail()) throw setUpError(context.getNode(), whyNot, 0);
    const { maxWait } = given.requestOptions.limits;
    const journal = whyNot === null ? await openJournal(context, job.operation, given.options, maxWait) : journalIn({});
    // Once the journal is open, because it may take long.
    const parameters = new ItemParameters(source);
    const signal = context.getExecutionCancelSignal();
    for (const { path, label: option } of job.drafts.items > 1 ? options.added : []) {
      const item = await parameters.differingItem(path, pause, signal);
      if (item !== null) whyNot ??= failure('optionDiffers', { option, item });
    }
    const settings = { ...given, failure: whyNot ?? given.failure };
    return await sendJob({
      context,
      job,
      settings,
      journal,
      accounts: await readAccounts(context),
      callFor: (account) => httpCall(context, account, settings.requestOptions, signal),
      outages: { kept: context.getContext('node'), execution: context.getExecutionId() },
      inWorkflow: context,
    });
  } finally {
    endAttempt?.();
  }
}

/** Like {@link forRun}, but for the operation's routing, one item at a time, for sub-agents and MCP servers. */
export function forItem({ readDrafts, ...given }: JobOfItems) {
  return async function (this: IExecutePaginationFunctions, request: RoutedRequest): Promise<INodeExecutionData[]> {
    // n8n's second engine runs a workflow's node item by item, and keeps nothing that a retry could continue from.
    const unsupported = isTool(this.getNode()) ? null : failure('engineUnsupported');
    const job = { ...given, drafts: draftsOfCall(this, readDrafts), failure: unsupported };
    const kept = keptOfCall(this);
    const { items } = await sendJob({
      context: this,
      job,
      // Proxy, timeout and SSL are set by the routing itself.
      settings: readSettings(job, new GivenOptions((...read) => this.getNodeParameter(...read)), this.getMode(), null),
      accounts: await readAccountOfItem(this),
      callFor: (account) => routedCall(this, request, account),
      journal: journalIn(kept),
      // All its attempts belong to one execution.
      outages: { kept, execution: '' },
      inWorkflow: null,
    });
    return items;
  };
}

/** @param run null if n8n keeps nothing for the node beyond the execution */
function readSettings(job: Job, given: GivenOptions, mode: string, run: IExecuteFunctions | null): Settings {
  const options = job.readOptions(given);
  const settings = {
    // An evaluation compares outputs; it must reach nobody.
    options: mode === 'evaluation' ? { ...options, dryRun: true } : options,
    includesInput: given.read(includeOtherFields, booleanIn, false),
    requestOptions: readRequestOptions(given),
  };
  const needsMemory = options.duplicateMessages === 'sendOnceEver';
  const unavailable = needsMemory && (run === null || !canRemember(run)) ? failure('sendOnceUnavailable') : null;
  return { ...settings, failure: job.failure ?? given.failure ?? unavailable };
}

/**
 * From drafts to items.
 * @throws the set-up's error, if the set-up is wrong, On Error is Stop, and no earlier attempt has an outcome; the
 * run's error, if a message was not sent, and On Error is Stop
 */
async function sendJob(run: Invocation): Promise<Delivered> {
  const { context, job, settings, accounts, journal, inWorkflow } = run;
  const { options, requestOptions } = settings;
  const stopOnFailure = !context.continueOnFail();
  const senders = new Map<string, Sender>();
  let [latest, latestSender]: [NodeAccount | null, Sender | null] = [null, null];
  const senderOf = (item: number): Sender | Failure => {
    const account = accounts.of(item);
    if (account === latest && latestSender !== null) return latestSender;
    if (isFailure(account)) return account;
    // The key alone says whose messages they are, and the address where their requests go. A key has no line break.
    const name = `${account.apiKey}\n${account.baseUrl}`;
    let sender = senders.get(name);
    if (sender === undefined) {
      const { limits } = requestOptions;
      const requests = requestsOf(account, run.callFor(account), limits, context.getExecutionCancelSignal());
      const { kept, execution } = run.outages;
      const outages = outagesIn(kept, account.id, execution, Date.now);
      senders.set(name, (sender = { account: account.id, requests, outages }));
    }
    [latest, latestSender] = [account, sender];
    return sender;
  };
  const accountOf = ({ item }: Row) => {
    const sender = senderOf(item);
    return isFailure(sender) ? null : sender.account;
  };
  let rows: readonly Row[] = [];
  try {
    const broken = settings.failure ?? accounts.failure;
    // If no item has an outcome yet, none need be read.
    if (broken !== null && stopOnFailure && journal.isNew) throw setUpError(context.getNode(), broken, 0);
    const composed = await composeAll(job.drafts, options, pause);
    const kept = await keepBackBy(options, composed, Date.now, context.getTimezone(), pause);
    const [keepBack, unreadable] = kept !== null && isFailure(kept) ? [null, kept] : [kept, null];
    if (unreadable !== null && stopOnFailure && journal.isNew) throw setUpError(context.getNode(), unreadable, 0);
    rows = await deliver({
      operation: job.operation,
      rows: composed.rows,
      broken: broken ?? unreadable,
      lost: job.lost ?? null,
      options,
      batchSize: requestOptions.batchSize,
      stopOnFailure,
      senderOf,
      accountOf,
      keepBack,
      journal,
      pause,
      signal: context.getExecutionCancelSignal(),
      onProgress: progressReporter(inWorkflow),
    });
  } finally {
    await journal.finish(options.dryRun ? [] : rows, accountOf);
  }
  await pause();
  const [only, ...others] = senders.values();
  const mayAsk = inWorkflow !== null && others.length === 0;
  const isAsked = mayAsk && (options.dryRun ? options.checkCreditsFirst : rows.some((row) => row.isUnanswered));
  const credits = isAsked ? ((await only?.requests.creditsAfter()) ?? null) : null;
  const requests = [...senders.values()].reduce((sum, sender) => sum + sender.requests.made, 0);
  const message: unknown = inWorkflow?.getNodeParameter('message', 0, '', { rawExpressions: true });
  const summary = await summarize(rows, options, { requests, accounts: senders.size, message, credits });
  if (inWorkflow !== null) {
    reportSummary(inWorkflow, job.operation.maxBatchSize, summary);
    countInCustomData(inWorkflow, summary);
  }
  const error = stopOnFailure && summary.reasons.length > 0 ? runError(context.getNode(), summary) : null;
  if (error !== null) throw error;
  const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
  const inputs = settings.includesInput ? { items: inWorkflow?.getInputData() ?? [], hasErrorOutput } : null;
  return { rows, items: await outputItems(rows, job.operation, options.dryRun, inputs, summary.charged) };
}
