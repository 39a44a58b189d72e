import type {
  DeclarativeRestApiSettings,
  IExecutePaginationFunctions,
  IExecuteSingleFunctions,
  IN8nHttpFullResponse,
  INodeExecutionData,
} from 'n8n-workflow';

import { networkReply } from '../api/networkReply';
import { isRecord } from '../api/records';
import { readReply } from '../api/reply';
import type { Account, Call } from './http';

export type RoutedRequest = DeclarativeRestApiSettings.ResultOptions;

/** `postReceive` of every operation: hands on the whole answer, for `routedCaller` to read. */
export async function keepAnswer(
  this: IExecuteSingleFunctions,
  items: INodeExecutionData[],
  { statusCode, body, headers }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
  return items.map((item) => ({ ...item, json: { statusCode, body: body as string, headers } }));
}

/**
 * Makes requests through the routing of an operation. It is called from `operations.pagination`, the
 * one hook of n8n's routing that can make several requests, wait before one, and see one that failed
 * on the network.
 */
export function routedCaller(context: IExecutePaginationFunctions, request: RoutedRequest, { apiKey }: Account): Call {
  return async (method, path, body) => {
    try {
      const options = { ...request.options, method, url: path, body };
      const [item] = await context.makeRoutingRequest.call(context, { ...request, options });
      const { statusCode, body: text, headers } = item?.json ?? {};
      return readReply(
        { statusCode: Number(statusCode), body: text, headers: isRecord(headers) ? headers : {} },
        apiKey,
      );
    } catch (error) {
      return networkReply(error);
    }
  };
}
