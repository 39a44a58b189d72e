import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { GET_BALANCE } from '../api/endpoints';
import { balanceIn, type Call } from '../api/reply';
import { isFailure } from '../failures/failure';
import { pause } from '../n8n/execution';
import { httpCall } from '../n8n/http';
import { type Accounts, type NodeAccount, readAccounts } from '../n8n/input/credential';
import { type ParameterSource, sourceOfItem, sourceOfRun } from '../n8n/input/itemParameters';
import { GivenOptions, maxWait, optionsField, requestsPerMinute } from '../n8n/input/readOptions';
import { readRequestOptions, type RequestOptions } from '../n8n/input/requestOptions';
import { failedItem } from '../n8n/output/outputItems';
import { nodeApiError, setUpError } from '../n8n/output/reports';
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

/** For each item of a run `{ credits, user_id, user_name }` (API 2.1). */
export async function getBalances(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const source = sourceOfRun(this);
  const signal = this.getExecutionCancelSignal();
  const call: CallFor = (account, options) => httpCall(this, account, options, signal);
  const accounts = await readAccounts(this, source.items.length, signal);
  return [await balancesOf(this, source.items.keys(), source, accounts, call)];
}

/** The same for one item, through the routing, which itself applies the Request Options. */
async function getBalance(this: IExecutePaginationFunctions, request: RoutedRequest): Promise<INodeExecutionData[]> {
  const call: CallFor = (account) => routedCall(this, request, account);
  return await balancesOf(this, [this.getItemIndex()], sourceOfItem(this), await readAccounts(this), call);
}

type CallFor = (account: NodeAccount, options: RequestOptions) => Call;

/** Each account is asked once, at each of its addresses: one of them may be wrong. */
async function balancesOf(
  context: Pick<IExecuteFunctions, 'getNode' | 'continueOnFail' | 'getExecutionCancelSignal'>,
  inputs: Iterable<number>,
  source: ParameterSource,
  accounts: Accounts,
  callFor: CallFor,
): Promise<INodeExecutionData[]> {
  const given = new GivenOptions(source);
  const options = readRequestOptions(given);
  const signal = context.getExecutionCancelSignal();
  const ask = async (account: NodeAccount) =>
    balanceIn(await requestsOf(account, callFor(account, options), options.limits, signal).readBalance());
  const balances = new Map<NodeAccount, ReturnType<typeof balanceIn>>();
  const items: INodeExecutionData[] = [];
  for (const item of inputs) {
    const account = given.failure ?? accounts.of(item);
    const balance = isFailure(account) ? account : (balances.get(account) ?? (await ask(account)));
    if (!isFailure(account)) balances.set(account, balance);
    if (!isFailure(balance)) items.push({ json: { ...balance }, pairedItem: { item } });
    else if (context.continueOnFail()) items.push(failedItem(item, balance));
    else throw (isFailure(account) ? setUpError : nodeApiError)(context.getNode(), balance, item);
    await pause();
  }
  return items;
}
