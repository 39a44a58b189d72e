import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { nodeApiError } from '../api/nodeErrors';
import { BALANCE_FIELDS, pick } from '../api/records';
import { readAccount } from '../api/request';
import { routedCaller, type RoutedRequest } from '../api/routing';
import { readDeliveryOptions } from './deliveryOptions';
import { gateFor, readBalance } from './wire';

/** GET /user/balance (API 4.1) → one item `{ credits, user_id, user_name }`. */
export async function getBalance(
  this: IExecutePaginationFunctions,
  request: RoutedRequest,
): Promise<INodeExecutionData[]> {
  const account = await readAccount(this);
  const options = readDeliveryOptions(this.getNodeParameter('options', {}));
  const gate = gateFor(account, this.getExecutionCancelSignal(), options);
  const reply = await readBalance(routedCaller(this, request, account), gate);
  const item = this.getItemIndex();
  if (reply.kind !== 'accepted') throw nodeApiError(this.getNode(), reply.failure, item);
  return [{ json: pick(reply.data, BALANCE_FIELDS), pairedItem: { item } }];
}
