import type { IExecuteFunctions, IExecutePaginationFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { poster, readAccount, type Post } from '../api/request';
import { readRequestOptions, type RequestOptions } from '../api/requestOptions';
import { unsendable } from '../delivery/compose';
import { deliver, type Delivered, type Delivery } from '../delivery/deliver';
import type { Draft, Unsendable } from '../delivery/message';
import type { SendOperation } from '../delivery/operation';
import { settle, type Output } from '../delivery/settle';
import { stopError } from './stop';

/** What an operation makes of the node's parameters. */
export interface Job {
  readonly operation: SendOperation;
  readonly drafts: ReadonlyArray<Draft | Unsendable>;
  readonly output: Output;
}

/**
 * Sends the messages of a whole run, for a custom operation.
 *
 * With On Error: Continue it never throws, whatever fails: n8n would then pass the input on as if it
 * had been sent.
 */
export async function sendForRun(context: IExecuteFunctions, job: Job): Promise<INodeExecutionData[]> {
  const stopOnFailure = !context.continueOnFail();
  const signal = context.getExecutionCancelSignal();
  let connection: { post: Post; requestOptions: RequestOptions };
  try {
    connection = await connect(context);
  } catch (error) {
    if (stopOnFailure) throw new NodeOperationError(context.getNode(), error as Error, { itemIndex: 0 });
    return settle(notSetUp(job.drafts, error), job.output);
  }
  return await run(context.getNode(), job, { ...connection, stopOnFailure, signal });
}

/** Sends the messages of one item through the routing of its operation, for agents and MCP servers. */
export async function sendForItem(
  context: IExecutePaginationFunctions,
  job: Job,
  post: Post,
): Promise<INodeExecutionData[]> {
  return await run(context.getNode(), job, {
    post,
    // Proxy, time-out and SSL are set by the routing itself.
    requestOptions: readRequestOptions(context.getNodeParameter('requestOptions', {})),
    stopOnFailure: !context.continueOnFail(),
    signal: context.getExecutionCancelSignal(),
  });
}

async function run(
  node: INode,
  { operation, drafts, output }: Job,
  how: Omit<Delivery, 'operation' | 'drafts'>,
): Promise<INodeExecutionData[]> {
  const delivered = await deliver({ operation, drafts, ...how });
  const error = how.stopOnFailure ? stopError(node, delivered, drafts.length) : null;
  if (error !== null) throw error;
  return settle(delivered, output);
}

async function connect(context: IExecuteFunctions): Promise<{ post: Post; requestOptions: RequestOptions }> {
  const requestOptions = readRequestOptions(context.getNodeParameter('requestOptions', 0, {}));
  return { post: poster(context, await readAccount(context), requestOptions), requestOptions };
}

function notSetUp(drafts: Job['drafts'], error: unknown): Delivered {
  const message = error instanceof Error ? error.message : 'The node is not set up';
  const remedy = "Check the node's credential and its Request Options.";
  return {
    unsendable: drafts.map((draft) => unsendable(draft, 'NOT_SET_UP', message, remedy)),
    receipts: [],
  };
}
