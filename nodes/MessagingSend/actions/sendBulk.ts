import type { IExecuteFunctions, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import { routedCaller, type RoutedRequest } from '../api/routing';
import { SEND_BULK } from '../delivery/operation';
import { draftFromItem, draftsFromList, type ReadParameter } from './drafts';
import { sendForItem, sendForRun, type Job } from './sendMessages';

/** Send Bulk in a workflow: the messages of all items, packed into as few requests as possible. */
export async function sendBulk(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const readers = this.getInputData().map((_, item): ReadParameter => (name) => this.getNodeParameter(name, item));
  // Neither depends on the item: the editor takes no expression for them.
  const source = this.getNodeParameter('source', 0);
  const output = this.getNodeParameter('options.output', 0, 'messages');
  return [await sendForRun(this, bulkJob(source, output, [...readers.entries()]))];
}

/** Send Bulk through its routing. */
export async function routedSendBulk(
  this: IExecutePaginationFunctions,
  request: RoutedRequest,
): Promise<INodeExecutionData[]> {
  const read: ReadParameter = (name) => this.getNodeParameter(name);
  const job = bulkJob(read('source'), this.getNodeParameter('options.output', 'messages'), [[this.getItemIndex(), read]]);
  return await sendForItem(this, job, (account) => routedCaller(this, request, account));
}

function bulkJob(source: unknown, output: unknown, readers: ReadonlyArray<[item: number, read: ReadParameter]>): Job {
  const drafts =
    source === 'json'
      ? readers.flatMap(([item, read]) => draftsFromList(item, read))
      : readers.map(([item, read]) => draftFromItem(item, read));
  return { operation: SEND_BULK, drafts, output: output === 'batches' ? 'batches' : 'messages' };
}
