import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { routedCaller, type RoutedRequest } from '../api/routing';
import { SEND_BULK } from '../delivery/operation';
import type { Output } from '../delivery/settle';
import { draftFromItem, draftsFromList, draftsOf } from './drafts';
import { sendForItem, sendForRun } from './sendMessages';

/** Send Bulk in a workflow: the messages of all items, packed into as few requests as possible. */
export async function sendBulk(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  // Neither depends on the item: the editor takes no expression for them.
  const read = readerFor(this.getNodeParameter('source', 0));
  const output = outputFor(this.getNodeParameter('options.output', 0, 'messages'));
  const drafts = draftsOf(this.getInputData().length, (item) => read(item, (name, otherwise) => this.getNodeParameter(name, item, otherwise)));
  return [await sendForRun(this, { operation: SEND_BULK, drafts, output })];
}

/** Send Bulk through its routing. */
export async function routedSendBulk(
  this: IExecutePaginationFunctions,
  request: RoutedRequest,
): Promise<INodeExecutionData[]> {
  const read = readerFor(this.getNodeParameter('source'));
  const output = outputFor(this.getNodeParameter('options.output', 'messages'));
  const drafts = read(this.getItemIndex(), (name, otherwise) => this.getNodeParameter(name, otherwise));
  return await sendForItem(this, { operation: SEND_BULK, drafts, output }, (account) => routedCaller(this, request, account));
}

function readerFor(source: unknown): typeof draftsFromList {
  return source === 'json' ? draftsFromList : draftFromItem;
}

function outputFor(value: unknown): Output {
  return value === 'batches' ? 'batches' : 'messages';
}
