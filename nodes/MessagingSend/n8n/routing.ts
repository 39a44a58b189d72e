import {
  type DeclarativeRestApiSettings,
  type IExecutePaginationFunctions,
  type IHttpRequestOptions,
  type INodeExecutionData,
  type INodePropertyRouting,
  NodeConnectionTypes,
  SEND_AND_WAIT_OPERATION,
} from 'n8n-workflow';

import type { Account } from '../api/account';
import type { Endpoint } from '../api/endpoints';
import { isObject, type JsonObject } from '../api/objects';
import type { Call } from '../api/reply';
import { failure } from '../failures/failure';
import { isTool } from './execution';
import { callBy } from './http';
import { failedItem } from './output/outputItems';
import { setUpError } from './output/reports';

export type RoutedRequest = DeclarativeRestApiSettings.ResultOptions;

type Operation = (this: IExecutePaginationFunctions, request: RoutedRequest) => Promise<INodeExecutionData[]>;

/**
 * The routing of an operation. n8n prepares the request (address, credential, Request Options) and passes it to
 * `operation` through `pagination`, the only hook of n8n's routing that can make several requests, wait before one, and
 * see one that failed on the network.
 */
export function routingOf({ method, path }: Endpoint, operation: Operation): INodePropertyRouting {
  return {
    request: { method, url: path },
    send: { paginate: true },
    operations: { pagination: operation },
    output: {
      postReceive: [
        // Passes on the whole answer, for `routedCall` to read. Its body is a stream, which n8n's types leave out.
        async (items, { statusCode, body, headers }) =>
          await Promise.resolve(
            items.map((item) => ({ ...item, json: { statusCode, body: body as unknown as string, headers } })),
          ),
      ],
    },
  };
}

/**
 * The routing of an operation that has none: Send and Wait, by which n8n can't wait, and what an imported workflow has in
 * place of an operation. Without it, n8n would request the service's bare address and pass on its answer.
 */
export const unavailable: INodePropertyRouting = { send: { paginate: true }, operations: { pagination: refuse } };

function refuse(this: IExecutePaginationFunctions): Promise<INodeExecutionData[]> {
  const node = this.getNode();
  const waiting = isTool(node) ? 'waitUnavailable' : 'engineUnsupported';
  const reason = failure(node.parameters.operation === SEND_AND_WAIT_OPERATION ? waiting : 'operationUnknown');
  // n8n itself would pass on an empty item to an MCP server or a sub-agent.
  if (this.continueOnFail()) return Promise.resolve([failedItem(this.getItemIndex(), reason)]);
  return Promise.reject(setUpError(node, reason, this.getItemIndex()));
}

/** Calls the service with the request that the routing has prepared. */
export function routedCall(context: IExecutePaginationFunctions, request: RoutedRequest, account: Account): Call {
  const send = async (options: IHttpRequestOptions) => {
    const [item] = await context.makeRoutingRequest.call(context, { ...request, options });
    const { statusCode, body, headers } = item?.json ?? {};
    return { statusCode: Number(statusCode), body, headers: isObject(headers) ? headers : {} };
  };
  // n8n makes the address from the first item's credential, and takes the key from this item's.
  return callBy(send, request.options as Partial<IHttpRequestOptions>, account, context.getExecutionCancelSignal());
}

/** What is kept of each call, for as long as n8n holds its arguments. */
const keptOfCalls = new WeakMap<object, JsonObject>();

/**
 * Replaces `getContext` in a call through the routing, about which n8n keeps nothing. On Retry On Fail, n8n calls again
 * with the same arguments object; any other call, even with the same text, has its own.
 */
export function keptOfCall(context: Pick<IExecutePaginationFunctions, 'getInputData'>): JsonObject {
  const { json } = context.getInputData(0, NodeConnectionTypes.AiTool);
  const kept = keptOfCalls.get(json) ?? {};
  keptOfCalls.set(json, kept);
  return kept;
}
