import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { BALANCE_FIELDS, pick } from '../../api/records';
import { readDeliveryOptions } from '../../n8n/deliveryOptions';
import { readAccount } from '../../n8n/http';
import { nodeApiError } from '../../n8n/nodeErrors';
import { routedCaller, type RoutedRequest } from '../../n8n/routing';
import { gateFor, readBalance } from '../../n8n/wire';

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
