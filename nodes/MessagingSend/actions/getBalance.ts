import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { nodeApiError } from '../api/nodeErrors';
import { BALANCE_FIELDS, pick } from '../api/records';
import { routedReply, type RoutedRequest } from '../api/routing';

/** GET /user/balance (API 4.1) → one item `{ credits, user_id, user_name }`. */
export async function getBalance(
  this: IExecutePaginationFunctions,
  request: RoutedRequest,
): Promise<INodeExecutionData[]> {
  const reply = await routedReply(this, request);
  const item = this.getItemIndex();
  if (reply.kind !== 'accepted') throw nodeApiError(this.getNode(), reply.failure, item);
  return [{ json: pick(reply.data, BALANCE_FIELDS), pairedItem: { item } }];
}
