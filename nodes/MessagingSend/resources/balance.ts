import type { IExecutePaginationFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { GET_BALANCE } from '../api/endpoints';
import { BALANCE_FIELDS, creditsOf, pick } from '../api/records';
import { failure, FailureError } from '../failures/failure';
import { type NodeAccount, readAccount } from '../n8n/input/credential';
import { GivenOptions, maxWait, optionsField, readLimitOptions, requestsPerMinute } from '../n8n/input/readOptions';
import { nodeApiError, setUpError } from '../n8n/output/errors';
import { routedCall, type RoutedRequest, routingOf } from '../n8n/routing';
import { type RequestLimits, requestsOf } from '../requests/requests';

export const balanceProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['balance'] } },
    options: [
      {
        name: 'Get',
        value: 'get',
        action: 'Get credit balance',
        description: 'Get the remaining credits and the owner of the account',
        routing: routingOf(GET_BALANCE, getBalance),
      },
    ],
    default: 'get',
  },
  optionsField([maxWait, requestsPerMinute], { resource: ['balance'] }),
];

/** One item `{ credits, user_id, user_name }` (API 2.1). */
async function getBalance(this: IExecutePaginationFunctions, request: RoutedRequest): Promise<INodeExecutionData[]> {
  const { account, limits } = await setUp(this);
  const call = routedCall(this, request, account);
  const requests = requestsOf(account, call, limits, this.getExecutionCancelSignal());
  const reply = await requests.make({ endpoint: GET_BALANCE });
  const item = this.getItemIndex();
  if (reply.kind !== 'accepted') throw nodeApiError(this.getNode(), reply.failure, item);
  const credits = creditsOf(reply.data);
  if (credits === null) throw nodeApiError(this.getNode(), failure('balanceNotReported'), item);
  return [{ json: { ...pick(reply.data, BALANCE_FIELDS), credits }, pairedItem: { item } }];
}

async function setUp(context: IExecutePaginationFunctions): Promise<{ account: NodeAccount; limits: RequestLimits }> {
  try {
    const given = new GivenOptions((path, fallback) => context.getNodeParameter(path, fallback));
    const limits = { ...readLimitOptions(given), interval: 0 };
    if (given.failure !== null) throw new FailureError(given.failure);
    return { account: await readAccount(context), limits };
  } catch (error) {
    throw setUpError(context.getNode(), error, context.getItemIndex());
  }
}
