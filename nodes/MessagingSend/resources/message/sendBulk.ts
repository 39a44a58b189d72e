import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { SEND_BULK } from '../../delivery/operation';
import type { Draft, Unsendable } from '../../messages/message';
import { draftFromItem, draftsFromList, draftsOf } from '../../n8n/drafts';
import { recordOfRun } from '../../n8n/executionRecord';
import { parametersOf, type ReadParameter } from '../../n8n/itemParameters';
import type { Output } from '../../n8n/outputItems';
import { routedCaller, type RoutedRequest } from '../../n8n/routing';
import { sendForItem, sendForRun } from '../../n8n/run';

/** Send Bulk in a workflow: the messages of all items, packed into as few requests as possible. */
export async function sendBulk(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const record = recordOfRun(this);
  // Neither depends on the item: the editor takes no expression for them.
  const read = readerFor(this.getNodeParameter('source', 0));
  const output = outputFor(this.getNodeParameter('options.output', 0, 'messages'));
  const parameters = parametersOf(this);
  const drafts = draftsOf(this.getInputData().length, (item) => read(item, parameters(item)));
  return [await sendForRun(this, { operation: SEND_BULK, drafts, output }, record)];
}

/** Send Bulk through its routing. */
export async function routedSendBulk(
  this: IExecutePaginationFunctions,
  request: RoutedRequest,
): Promise<INodeExecutionData[]> {
  const read = readerFor(this.getNodeParameter('source'));
  const output = outputFor(this.getNodeParameter('options.output', 'messages'));
  const drafts = read(this.getItemIndex(), (name, otherwise) => this.getNodeParameter(name, otherwise));
  return await sendForItem(this, { operation: SEND_BULK, drafts, output }, (account) =>
    routedCaller(this, request, account),
  );
}

function readerFor(source: unknown): (item: number, read: ReadParameter) => Iterable<Draft | Unsendable> {
  return source === 'json' ? draftsFromList : draftFromItem;
}

function outputFor(value: unknown): Output {
  return value === 'batches' ? 'batches' : 'messages';
}
