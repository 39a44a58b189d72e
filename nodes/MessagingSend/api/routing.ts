import type {
  DeclarativeRestApiSettings,
  IDataObject,
  IExecutePaginationFunctions,
  IExecuteSingleFunctions,
  IN8nHttpFullResponse,
  INodeExecutionData,
} from 'n8n-workflow';

import { networkReply } from './networkFailure';
import { isRecord } from './records';
import { readReply, type Reply } from './reply';
import { readAccount, type Post } from './request';

export type RoutedRequest = DeclarativeRestApiSettings.ResultOptions;

/** `postReceive` of every operation: hands on the whole answer, for `routedReply` to read. */
export async function keepAnswer(
  this: IExecuteSingleFunctions,
  items: INodeExecutionData[],
  { statusCode, body, headers }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
  return items.map((item) => ({ ...item, json: { statusCode, body: body as string, headers } }));
}

/**
 * Makes the request that the routing of an operation describes, and tells what came of it. It is
 * called from `operations.pagination`, the one hook of n8n's routing that can make several requests,
 * wait before one, and see one that failed on the network.
 */
export async function routedReply(context: IExecutePaginationFunctions, request: RoutedRequest): Promise<Reply> {
  const { apiKey } = await readAccount(context);
  try {
    const [item] = await context.makeRoutingRequest.call(context, request);
    const { statusCode, body, headers } = item?.json ?? {};
    return readReply(
      { statusCode: Number(statusCode), body, headers: isRecord(headers) ? headers : {} },
      apiKey,
    );
  } catch (error) {
    return networkReply(error);
  }
}

/** For operations that send: POSTs through the routing, with a body in place of the routing's own. */
export function routedPoster(context: IExecutePaginationFunctions, request: RoutedRequest): Post {
  return async (_path, body: IDataObject) =>
    await routedReply(context, { ...request, options: { ...request.options, body } });
}
