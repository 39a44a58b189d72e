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
import { beginAttempt, isTool, pause, timeZoneOf } from './execution';
import { httpCall } from './http';
import { type Accounts, type NodeAccount, readAccounts } from './input/credential';
import type { ReadDrafts } from './input/drafts';
import { AS_STORED, ItemParameters, sourceOfItem, sourceOfRun } from './input/itemParameters';
import { booleanIn, GivenOptions, includeOtherFields } from './input/readOptions';
import { readRequestOptions } from './input/requestOptions';
import { journalIn, openJournal } from './memory/openJournal';
import { outputItems } from './output/outputItems';
import { progressReporter, reportSummary, runError, runRefused } from './output/reports';
import { summarize } from './output/summary';
import { keptOfCall, routedCall, type RoutedRequest } from './routing';

export interface Job {
  readonly operation: SendOperation;
  readonly readDrafts: ReadDrafts;
  /** How many of the input's items it is about; all by default. */
  readonly items?: number;
  readonly readOptions: (given: GivenOptions) => DeliveryOptions;
  /** Why nothing can be sent, no matter what the parameters are. */
  readonly failure?: Failure | null;
  /** Why what an earlier attempt has sent is uncertain all the same. */
  readonly lost?: Failure | null;
}

/** What differs between a run in a workflow and one item through the routing. */
interface Invocation {
  readonly context: IExecuteFunctions | IExecutePaginationFunctions;
  readonly job: Job;
  readonly drafts: Drafts;
  readonly settings: ReturnType<typeof readSettings>;
  readonly accounts: Accounts;
  readonly callFor: (account: NodeAccount) => Call;
  readonly journal: Journal;
  /** The node's context, which n8n keeps in the execution: outages are noted there. */
  readonly kept: JsonObject;
  /** Null for an item through the routing, which has no other items, and shows nothing but its output. */
  readonly inWorkflow: IExecuteFunctions | null;
}

/** The custom operation that sends the messages that the job makes of each item. */
export function forRun(job: Job) {
  return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return [(await sendForRun(this, job)).items];
  };
}

/** Never throws when On Error is Continue: n8n would forward the input items as if they had been sent. */
export async function sendForRun(context: IExecuteFunctions, job: Job) {
  const source = sourceOfRun(context);
  const options = new GivenOptions(source);
  const { id: workflow = '' } = context.getWorkflow();
  const given = readSettings(job, options, context.getMode(), workflow === '' ? failure('sendOnceUnsaved') : null);
  const { dryRun, testRun } = given.options;
  const endAttempt = beginAttempt(context);
  try {
    let whyNot = endAttempt === null ? failure('anotherAttempt') : null;
    // Neither sends the real messages, and n8n would take either for a successful Retry.
    if (context.getMode() === 'retry' && (dryRun || testRun !== null)) whyNot ??= failure('testInRetry');
    const { maxWait } = given.requestOptions.limits;
    const journal = whyNot === null ? await openJournal(context, job.operation, given.options, maxWait) : journalIn({});
    // Once the journal is open, because it may take long.
    const parameters = new ItemParameters(source);
    const signal = context.getExecutionCancelSignal();
    const items = job.items ?? source.items.length;
    for (const { path, label: option } of items > 1 ? options.added : []) {
      const item = await parameters.differingItem(path, pause, signal);
      if (item !== null) whyNot ??= failure('optionDiffers', { option, item });
    }
    const settings = { ...given, failure: whyNot ?? given.failure };
    return await sendJob({
      context,
      job,
      drafts: { items, of: (item) => job.readDrafts(item, parameters) },
      settings,
      journal,
      accounts: await readAccounts(context, source.items.length, signal),
      callFor: (account) => httpCall(context, account, settings.requestOptions, signal),
      kept: context.getContext('node'),
      inWorkflow: context,
    });
  } finally {
    endAttempt?.();
  }
}

/** Like {@link forRun}, but for the operation's routing, one item at a time, for sub-agents and MCP servers. */
export function forItem(job: Job) {
  return async function (this: IExecutePaginationFunctions, request: RoutedRequest): Promise<INodeExecutionData[]> {
    // n8n's second engine runs a workflow's node item by item, and keeps nothing that a retry could continue from.
    const unsupported = isTool(this.getNode()) ? null : failure('engineUnsupported');
    const source = sourceOfItem(this);
    const parameters = new ItemParameters(source);
    const kept = keptOfCall(this);
    const { items } = await sendJob({
      context: this,
      job,
      drafts: { items: 1, of: () => job.readDrafts(this.getItemIndex(), parameters) },
      // Proxy, timeout and SSL are set by the routing itself.
      settings: readSettings(
        { ...job, failure: unsupported },
        new GivenOptions(source),
        this.getMode(),
        failure('sendOnceUnsupported'),
      ),
      accounts: await readAccounts(this),
      callFor: (account) => routedCall(this, request, account),
      journal: journalIn(kept),
      kept,
      inWorkflow: null,
    });
    return items;
  };
}

/**
 * What applies to a whole run. A setting that can't be used has its default, and `failure` says why.
 * @param noMemory why n8n keeps nothing for the node beyond the execution; null if it does
 */
function readSettings(job: Job, given: GivenOptions, mode: string, noMemory: Failure | null) {
  const options = job.readOptions(given);
  const settings = {
    // An evaluation compares outputs; it must reach nobody.
    options: mode === 'evaluation' ? { ...options, dryRun: true } : options,
    includesInput: given.read(includeOtherFields, booleanIn, false),
    requestOptions: readRequestOptions(given),
  };
  const unavailable = options.duplicateMessages === 'sendOnceEver' ? noMemory : null;
  return { ...settings, failure: job.failure ?? given.failure ?? unavailable };
}

/**
 * From drafts to items.
 * @throws the set-up's error, if the set-up is wrong, On Error is Stop, and no earlier attempt has an outcome; the
 * run's error, if a message was not sent, and On Error is Stop
 */
async function sendJob(run: Invocation) {
  const { context, job, settings, accounts, journal, inWorkflow } = run;
  const { options, requestOptions } = settings;
  const stopOnFailure = !context.continueOnFail();
  const senders = new Map<NodeAccount, Sender>();
  const senderOf = (item: number): Sender | Failure => {
    const account = accounts.of(item);
    if (isFailure(account)) return account;
    let sender = senders.get(account);
    if (sender === undefined) {
      const { limits } = requestOptions;
      const requests = requestsOf(account, run.callFor(account), limits, context.getExecutionCancelSignal());
      const outages = outagesIn(run.kept, account.id, context.getExecutionId(), Date.now);
      senders.set(account, (sender = { account: account.id, requests, outages }));
    }
    return sender;
  };
  let rows: readonly Row[] = [];
  let isNoted = false;
  try {
    const broken = settings.failure ?? accounts.failure;
    // Without outcomes of an earlier attempt, no item need be read: all would end the same.
    if (broken !== null && stopOnFailure && journal.isNew) throw runRefused(context.getNode(), broken);
    const composed = await composeAll(run.drafts, options, pause);
    const decided = await keepBackBy(options, composed, Date.now, () => timeZoneOf(context), pause);
    const [keepBack, unreadable] = decided !== null && isFailure(decided) ? [null, decided] : [decided, null];
    if (unreadable !== null && stopOnFailure && journal.isNew) throw runRefused(context.getNode(), unreadable);
    rows = await deliver({
      operation: job.operation,
      rows: composed.rows,
      broken: broken ?? unreadable,
      lost: job.lost ?? null,
      options,
      batchSize: requestOptions.batchSize,
      stopOnFailure,
      senderOf,
      keepBack,
      journal,
      pause,
      signal: context.getExecutionCancelSignal(),
      onProgress: progressReporter(inWorkflow),
    });
  } finally {
    isNoted = await journal.finish(options.dryRun ? [] : rows, senderOf);
  }
  await pause();
  const [only, ...others] = senders.values();
  const mayAsk = inWorkflow !== null && others.length === 0;
  const isAsked = mayAsk && (options.dryRun ? options.checkCreditsFirst : rows.some((row) => row.isUnanswered));
  const credits = isAsked ? ((await only?.requests.creditsAfter()) ?? null) : null;
  const requests = [...senders.values()].reduce((sum, sender) => sum + sender.requests.made, 0);
  const message: unknown = inWorkflow?.getNodeParameter('message', 0, '', AS_STORED);
  const summary = await summarize(rows, options, { requests, accounts: senders.size, message, credits });
  if (inWorkflow !== null) reportSummary(inWorkflow, summary, isNoted);
  const error = stopOnFailure && summary.reasons.length > 0 ? runError(context.getNode(), summary) : null;
  if (error !== null) throw error;
  const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
  const items = inWorkflow?.getInputData() ?? [];
  const inputs = settings.includesInput ? { items, hasErrorOutput } : null;
  const isOnly = items.length === 1;
  return { rows, items: await outputItems(rows, job.operation, options.dryRun, isOnly, inputs, summary.charged) };
}
