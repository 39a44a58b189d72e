import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { GET_BALANCE } from '../api/endpoints';
import { balanceIn } from '../api/reply';
import { isFailure } from '../failures/failure';
import { httpCall } from '../n8n/http';
import { type NodeAccount, readAccountOfItem, readAccounts } from '../n8n/input/credential';
import { GivenOptions, maxWait, optionsField, requestsPerMinute } from '../n8n/input/readOptions';
import { readRequestOptions } from '../n8n/input/requestOptions';
import { nodeApiError, setUpError } from '../n8n/output/errors';
import { failedItem } from '../n8n/output/outputItems';
import { pause } from '../n8n/pause';
import { routedCall, type RoutedRequest, routingOf } from '../n8n/routing';
import { requestsOf } from '../requests/requests';

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

/** For each item of a run `{ credits, user_id, user_name }` (API 2.1). Each account is asked once. */
export async function getBalances(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const given = new GivenOptions((path, ...read) => this.getNodeParameter(path, 0, ...read));
  const options = readRequestOptions(given);
  const accounts = await readAccounts(this);
  const signal = this.getExecutionCancelSignal();
  const balances = new Map<string, ReturnType<typeof balanceIn>>();
  const balanceOf = async (account: NodeAccount) => {
    const known = balances.get(account.id);
    if (known !== undefined) return known;
    const call = httpCall(this, account, options, signal);
    const balance = balanceIn(await requestsOf(account, call, options.limits, signal).readBalance());
    balances.set(account.id, balance);
    return balance;
  };

  const items: INodeExecutionData[] = [];
  for (const item of this.getInputData().keys()) {
    const account = given.failure ?? accounts.of(item);
    const balance = isFailure(account) ? account : await balanceOf(account);
    if (!isFailure(balance)) items.push({ json: { ...balance }, pairedItem: { item } });
    else if (this.continueOnFail()) items.push(failedItem(item, balance));
    else if (isFailure(account)) throw setUpError(this.getNode(), account, item);
    else throw nodeApiError(this.getNode(), balance, item);
    await pause();
  }
  return [items];
}

/** The same for one item, through the routing. */
async function getBalance(this: IExecutePaginationFunctions, request: RoutedRequest): Promise<INodeExecutionData[]> {
  const [node, item] = [this.getNode(), this.getItemIndex()];
  const given = new GivenOptions((...read) => this.getNodeParameter(...read));
  // n8n's routing itself applies the Request Options.
  const { limits } = readRequestOptions(given);
  const account = given.failure ?? (await readAccountOfItem(this)).of(item);
  if (isFailure(account)) throw setUpError(node, account, item);
  const call = routedCall(this, request, account);
  const balance = balanceIn(await requestsOf(account, call, limits, this.getExecutionCancelSignal()).readBalance());
  if (isFailure(balance)) throw nodeApiError(node, balance, item);
  return [{ json: balance, pairedItem: { item } }];
}
