import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { SEND } from '../../delivery/operation';
import { draftFromItem, draftsOf } from '../../n8n/drafts';
import { recordOfRun } from '../../n8n/executionRecord';
import { parametersOf } from '../../n8n/itemParameters';
import { routedCaller, type RoutedRequest } from '../../n8n/routing';
import { sendForItem, sendForRun } from '../../n8n/run';

/** Send in a workflow: one request and one output item for each input item. */
export async function send(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const record = recordOfRun(this);
  const parameters = parametersOf(this);
  const drafts = draftsOf(this.getInputData().length, (item) => draftFromItem(item, parameters(item)));
  return [await sendForRun(this, { operation: SEND, drafts, output: 'send' }, record)];
}

/** Send through its routing. */
export async function routedSend(
  this: IExecutePaginationFunctions,
  request: RoutedRequest,
): Promise<INodeExecutionData[]> {
  const drafts = draftFromItem(this.getItemIndex(), (name, otherwise) => this.getNodeParameter(name, otherwise));
  return await sendForItem(this, { operation: SEND, drafts, output: 'send' }, (account) =>
    routedCaller(this, request, account),
  );
}
