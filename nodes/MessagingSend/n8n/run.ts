import {
  type IExecuteFunctions,
  type IExecutePaginationFunctions,
  type INodeExecutionData,
  NodeOperationError,
} from 'n8n-workflow';

import { unsendable } from '../delivery/compose';
import { deliver, type Delivered } from '../delivery/deliver';
import type { SendOperation } from '../delivery/operation';
import type { DeliveryOptions } from '../delivery/options';
import type { DeliveryRecord } from '../journal/deliveryRecord';
import type { Draft, Unsendable } from '../messages/message';
import { readDeliveryOptions } from './deliveryOptions';
import { progressReporter, reportSummary } from './hints';
import { type Account, type Call, caller, readAccount } from './http';
import { type Output, settle } from './outputItems';
import { readRequestOptions, type RequestOptions } from './requestOptions';
import { stopError } from './runError';
import { inSlices } from './slices';
import { summarize } from './summary';
import { recordOfCall } from './toolCall';
import { gateFor, wireFor } from './wire';

/** What an operation makes of the node's parameters. */
export interface Job {
  readonly operation: SendOperation;
  readonly drafts: Iterable<Draft | Unsendable>;
  readonly output: Output;
}

/** What a run needs besides its job; reading it can fail. */
interface Setup {
  readonly account: Account;
  readonly requestOptions: RequestOptions;
  readonly options: DeliveryOptions;
}

/**
 * Sends the messages of a whole run, for a custom operation.
 *
 * With On Error: Continue it never throws, whatever fails: n8n would then pass the input on as if it
 * had been sent.
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
      options: readDeliveryOptions(context.getNodeParameter('options', 0, {})),
    };
  } catch (error) {
    if (stopOnFailure) throw new NodeOperationError(context.getNode(), error as Error, { itemIndex: 0 });
    return await inSlices(settle(notSetUp(job.drafts, error), job.output));
  }

  const { account, requestOptions } = setup;
  const signal = context.getExecutionCancelSignal();
  const { gate, delivery } = prepare(job, setup, caller(context, account, requestOptions, signal), signal);
  const delivered = await deliver({ ...delivery, stopOnFailure, record, onReceipt: progressReporter(context) });
  const summary = await inSlices(summarize(delivered, gate.tally.requests, gate.tally.waited));
  reportSummary(context, job.operation, summary);
  return await outcome(context, job, delivered, stopOnFailure);
}

/** Sends the messages of one item through the routing of its operation, for sub-agents and MCP servers. */
export async function sendForItem(
  context: IExecutePaginationFunctions,
  job: Job,
  callerFor: (account: Account) => Call,
): Promise<INodeExecutionData[]> {
  const stopOnFailure = !context.continueOnFail();
  const setup: Setup = {
    account: await readAccount(context),
    // Proxy, time-out and SSL are set by the routing itself.
    requestOptions: readRequestOptions(context.getNodeParameter('requestOptions', {})),
    options: readDeliveryOptions(context.getNodeParameter('options', {})),
  };
  const { delivery } = prepare(job, setup, callerFor(setup.account), context.getExecutionCancelSignal());
  const delivered = await deliver({ ...delivery, stopOnFailure, record: recordOfCall(context), onReceipt: () => {} });
  return await outcome(context, job, delivered, stopOnFailure);
}

function prepare(
  { operation, drafts, output }: Job,
  { account, requestOptions, options }: Setup,
  call: Call,
  signal: AbortSignal | undefined,
) {
  // Ends waits, and only those: a request that has left is not called back.
  const halted = new AbortController();
  const endsWaits = AbortSignal.any(signal === undefined ? [halted.signal] : [signal, halted.signal]);
  const gate = gateFor(account, endsWaits, options, requestOptions.interval);
  const wire = wireFor(call, operation, gate);
  return {
    gate,
    delivery: {
      operation,
      drafts,
      options,
      batchSize: requestOptions.batchSize,
      wholeAnswers: output === 'batches',
      wire,
      signal,
      onHalt: () => halted.abort(),
    },
  };
}

async function outcome(
  context: Pick<IExecuteFunctions, 'getNode'>,
  { output }: Job,
  delivered: Delivered,
  stopOnFailure: boolean,
): Promise<INodeExecutionData[]> {
  const error = stopOnFailure ? stopError(context.getNode(), delivered) : null;
  if (error !== null) throw error;
  return await inSlices(settle(delivered, output));
}

function notSetUp(drafts: Job['drafts'], error: unknown): Delivered {
  const message = error instanceof Error ? error.message : 'The node is not set up';
  const remedy = "Check the node's credential, its options and its Request Options.";
  return {
    unsendable: Array.from(drafts, (draft) => unsendable(draft, 'NOT_SET_UP', message, remedy)),
    receipts: [],
    duplicates: [],
    planned: [],
    resumed: 0,
  };
}
