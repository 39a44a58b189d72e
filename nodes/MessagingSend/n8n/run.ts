import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Account } from '../api/account';
import type { Call } from '../api/endpoints';
import { deliver, type Delivered } from '../delivery/deliver';
import type { Progress } from '../delivery/dispatch';
import type { SendOperation } from '../delivery/operation';
import type { DeliveryOptions } from '../delivery/options';
import { plan } from '../delivery/plan';
import { failure } from '../failures/catalogue';
import { FailureError } from '../failures/failure';
import type { DeliveryRecord } from '../journal/deliveryRecord';
import type { OutageRecord } from '../journal/outageRecord';
import { type Draft, type Unsendable, unsendable } from '../messages/message';
import { type Requests, requestsOf } from '../requests/requests';
import { readAccount } from './account';
import { outagesOfCall, outagesOfRun, recordOfCall } from './executionRecord';
import { progressReporter, reportSummary } from './hints';
import { httpCall } from './http';
import { setUpError } from './nodeErrors';
import { type Output, outputItems } from './outputItems';
import { readRequestOptions, type RequestOptions } from './requestOptions';
import { routedCall, type RoutedRequest } from './routing';
import { runError } from './runError';
import { inSlices } from './slices';
import { summarize } from './summary';

/** What an operation makes of the node's parameters. */
export interface Job {
  readonly operation: SendOperation;
  readonly drafts: Iterable<Draft | Unsendable>;
  readonly output: Output;
  /** @throws FailureError if an option can't be used */
  readonly readOptions: (value: unknown) => DeliveryOptions;
}

/** What a run needs besides its job; reading it can fail. */
interface Setup {
  readonly account: Account;
  readonly requestOptions: RequestOptions;
  readonly options: DeliveryOptions;
}

/** What differs between a run in a workflow and one item through the routing. */
interface Run extends Setup {
  readonly job: Job;
  readonly call: Call;
  readonly record: DeliveryRecord;
  readonly outages: OutageRecord;
  /** With On Error: Stop. */
  readonly stopOnFailure: boolean;
  /** The Stop button. */
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Sends the messages of a whole run, for a custom operation.
 *
 * With On Error: Continue it never throws, whatever fails: n8n would then pass the input on as if it had been sent.
 */
export async function sendForRun(
  context: IExecuteFunctions,
  job: Job,
  record: DeliveryRecord,
): Promise<INodeExecutionData[]> {
  const stopOnFailure = !context.continueOnFail();
  let setup: Setup;
  try {
    setup = {
      account: await readAccount(context),
      requestOptions: readRequestOptions(context.getNodeParameter('requestOptions', 0, {})),
      options: job.readOptions(context.getNodeParameter('options', 0, {})),
    };
  } catch (error) {
    if (stopOnFailure) throw setUpError(context.getNode(), error, 0);
    return await inSlices(outputItems(notSetUp(job.drafts, error), job.output));
  }

  const signal = context.getExecutionCancelSignal();
  const call = httpCall(context, setup.account, setup.requestOptions, signal);
  const onProgress = progressReporter(context);
  const outages = outagesOfRun(context);
  const { delivered, requests } = await send({
    ...setup,
    job,
    call,
    record,
    outages,
    stopOnFailure,
    signal,
    onProgress,
  });
  const summary = await inSlices(summarize(delivered, requests.tally.requests, requests.tally.waited));
  reportSummary(context, job.operation.maxBatchSize, summary);
  return await itemsOrError(context, job, delivered, stopOnFailure);
}

/** Sends the messages of one item through the routing of its operation, for sub-agents and MCP servers. */
export async function sendForItem(
  context: IExecutePaginationFunctions,
  job: Job,
  request: RoutedRequest,
): Promise<INodeExecutionData[]> {
  const stopOnFailure = !context.continueOnFail();
  const account = await readAccount(context);
  const { delivered } = await send({
    account,
    // Proxy, timeout and SSL are set by the routing itself.
    requestOptions: readRequestOptions(context.getNodeParameter('requestOptions', {})),
    options: job.readOptions(context.getNodeParameter('options', {})),
    job,
    call: routedCall(context, request, account),
    record: recordOfCall(context),
    outages: outagesOfCall(context),
    stopOnFailure,
    signal: context.getExecutionCancelSignal(),
    onProgress: () => undefined,
  });
  return await itemsOrError(context, job, delivered, stopOnFailure);
}

/** From drafts to outcomes. */
async function send(run: Run): Promise<{ delivered: Delivered; requests: Requests }> {
  const { account, call, requestOptions, options, record, outages, stopOnFailure, signal, onProgress } = run;
  const { operation, drafts, output } = run.job;
  const { batchSize, interval } = requestOptions;
  const requests = requestsOf(account, call, { ...options, interval }, signal);
  const planned = await inSlices(plan({ operation, drafts, options, batchSize, stopOnFailure, record }));
  const wholeAnswers = output === 'batches';
  const delivery = { operation, options, requests, record, outages, stopOnFailure, wholeAnswers, signal, onProgress };
  return { delivered: await deliver(planned, delivery), requests };
}

async function itemsOrError(
  context: Pick<IExecuteFunctions, 'getNode'>,
  { output }: Job,
  delivered: Delivered,
  stopOnFailure: boolean,
): Promise<INodeExecutionData[]> {
  const error = stopOnFailure ? runError(context.getNode(), delivered) : null;
  if (error !== null) throw error;
  return await inSlices(outputItems(delivered, output));
}

function notSetUp(drafts: Job['drafts'], error: unknown): Delivered {
  const reason = error instanceof Error ? error.message : 'The node is not set up';
  const why = error instanceof FailureError ? error.reason : failure('notSetUp', { reason });
  return {
    unsendable: Array.from(drafts, (draft) => unsendable(draft, why)),
    receipts: [],
    duplicates: [],
    planned: [],
    resumed: 0,
  };
}
