import type {
  IExecutePaginationFunctions,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';

import { GET_BALANCE } from '../../api/endpoints';
import { BALANCE_FIELDS, pick } from '../../api/records';
import { readAccount } from '../../n8n/account';
import { openRecord } from '../../n8n/executionRecord';
import { nodeApiError } from '../../n8n/nodeErrors';
import { longestWait, readLimitOptions, requestsPerMinute } from '../../n8n/options';
import { routedCall, type RoutedRequest, routingOf } from '../../n8n/routing';
import { requestsOf } from '../../requests/requests';

export const get: INodePropertyOptions = {
  name: 'Get',
  value: 'get',
  action: 'Get credit balance',
  description: 'Get the credits that are left, and whose account it is',
  routing: routingOf(GET_BALANCE, getBalance),
};

export const getFields: INodeProperties[] = [
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: { show: { resource: ['balance'] } },
    options: [longestWait, requestsPerMinute],
  },
];

/** One item `{ credits, user_id, user_name }` (API 2.1). */
async function getBalance(this: IExecutePaginationFunctions, request: RoutedRequest): Promise<INodeExecutionData[]> {
  openRecord(this);
  const account = await readAccount(this);
  const limits = { ...readLimitOptions(this.getNodeParameter('options', {})), interval: 0 };
  const call = routedCall(this, request, account);
  const reply = await requestsOf(account, call, limits, this.getExecutionCancelSignal()).make({
    endpoint: GET_BALANCE,
  });
  const item = this.getItemIndex();
  if (reply.kind !== 'accepted') throw nodeApiError(this.getNode(), reply.failure, item);
  return [{ json: pick(reply.data, BALANCE_FIELDS), pairedItem: { item } }];
}
