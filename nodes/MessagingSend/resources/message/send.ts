import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { SEND } from '../../delivery/operation';
import { draftFromItem } from '../../n8n/input/drafts';
import { routingOf } from '../../n8n/routing';
import { forItem, forRun, type JobOfItems } from '../../n8n/run';
import { readDeliveryOptions } from './deliveryOptions';
import { MAX_TEXT, recipientAndText } from './fields';

const JOB: JobOfItems = {
  operation: SEND,
  readDrafts: draftFromItem,
  readOptions: readDeliveryOptions,
};

/** One request and one output item for each input item. */
export const sendAll = forRun(JOB);

export const send: INodePropertyOptions = {
  name: 'Send',
  value: 'send',
  action: 'Send text message to phone number',
  description: 'Send one message per input item, each in its own request',
  routing: routingOf(SEND.endpoint, forItem(JOB)),
};

export const sendFields: INodeProperties[] = recipientAndText(
  { resource: ['message'], operation: ['send'] },
  `At most ${MAX_TEXT} characters. For longer texts, add the option 'Long Messages'.`,
);
