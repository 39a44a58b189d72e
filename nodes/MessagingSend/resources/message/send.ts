import type {
  IExecuteFunctions,
  IExecutePaginationFunctions,
  INodeExecutionData,
  INodeProperties,
  INodePropertyOptions,
} from 'n8n-workflow';

import { SEND } from '../../delivery/operation';
import { onlyDrafts } from '../../messages/message';
import { draftFromItem } from '../../n8n/input/drafts';
import { parametersOf, type ReadParameter } from '../../n8n/input/itemParameters';
import { type RoutedRequest, routingOf } from '../../n8n/routing';
import { type Job, sendForItem, sendForRun } from '../../n8n/run';
import { MAX_TEXT, recipientAndText } from './fields';
import { readDeliveryOptions } from './options';

export const send: INodePropertyOptions = {
  name: 'Send',
  value: 'send',
  action: 'Send text message to phone number',
  description: 'Send one message per input item, each in its own request',
  routing: routingOf(SEND.endpoint, sendOne),
};

export const sendFields: INodeProperties[] = recipientAndText(
  { resource: ['message'], operation: ['send'] },
  `At most ${MAX_TEXT} characters. For longer texts, add the option 'Long Messages'.`,
);

const JOB: Omit<Job, 'drafts'> = { operation: SEND, readOutput: () => 'send', readOptions: readDeliveryOptions };

/** Send in a workflow: one request and one output item for each input item. */
export async function sendAll(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const read = parametersOf(this);
  const drafts = { items: this.getInputData().length, of: (item: number) => draftFromItem(item, read) };
  return [(await sendForRun(this, { ...JOB, drafts })).items];
}

/** Send through its routing. */
async function sendOne(this: IExecutePaginationFunctions, request: RoutedRequest): Promise<INodeExecutionData[]> {
  const read: ReadParameter = (name, _item, fallback) => this.getNodeParameter(name, fallback);
  const drafts = onlyDrafts(draftFromItem(this.getItemIndex(), read));
  return await sendForItem(this, { ...JOB, drafts }, request);
}
