import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { MAX_BATCH_SIZE, SEND_MANY, SEND_ONE } from '../../api/endpoints';
import { SEND, SEND_BULK } from '../../delivery/operation';
import { draftFromItem, draftsFromSource } from '../../n8n/input/drafts';
import { choiceField } from '../../n8n/input/readOptions';
import { routingOf } from '../../n8n/routing';
import { forItem, forRun, type Job } from '../../n8n/run';
import { readDeliveryOptions } from './deliveryOptions';
import { filledIn, forPeopleAndModels, MAX_TEXT, recipientAndText } from './fields';

/** Send: one request for each input item. Send Bulk: the messages of all items, in as few requests as possible. */
const [SENDING, SENDING_BULK]: [Job, Job] = [
  { operation: SEND, readDrafts: draftFromItem, readOptions: readDeliveryOptions },
  { operation: SEND_BULK, readDrafts: draftsFromSource, readOptions: readDeliveryOptions },
];

/** The custom operations of these names. */
export const sendAll = { send: forRun(SENDING), sendBulk: forRun(SENDING_BULK) };

export const sendOperations: INodePropertyOptions[] = [
  {
    name: 'Send',
    value: 'send',
    action: 'Send text message to phone number',
    description: 'Send one message per input item, each in its own request',
    routing: routingOf(SEND_ONE, forItem(SENDING)),
  },
  {
    name: 'Send Bulk',
    value: 'sendBulk',
    action: 'Send text messages to many phone numbers',
    description: `Send one message per input item, or a whole list, with up to ${MAX_BATCH_SIZE} messages in each request`,
    builderHint: { propertyHint: 'Use this for more than a few messages: Send makes one request for each of them.' },
    routing: routingOf(SEND_MANY, forItem(SENDING_BULK)),
  },
];

const source = choiceField('Source', 'source', {
  default: 'items',
  description: 'Where the messages come from',
  choices: {
    json: ['A JSON List', 'A list of messages of any length, for example from a webhook'],
    items: ['One Message per Input Item', "Each item's own values are used for 'Phone' and 'Message'"],
  },
});

// n8n's field for JSON shows no placeholder.
const LIST = '[{ "phone": "+447700900123", "message": "Hello" }]';

const messages: INodeProperties = {
  displayName: 'Messages',
  name: 'messages',
  type: 'json',
  required: true,
  default: '',
  hint: `For example ${LIST}. Each input item sends its own list.`,
  description:
    'JSON array with one object per message, with "phone" and "message". You can drag a list from the input into this field.',
};

const BULK = { resource: ['message'], operation: ['sendBulk'] };

export const sendFields: INodeProperties[] = [
  ...recipientAndText(
    { resource: ['message'], operation: ['send'] },
    `At most ${MAX_TEXT} characters. For longer texts, add the option 'Long Messages'.`,
  ),
  // A call by a model is one item, so with one message per item it could send only one message.
  ...forPeopleAndModels(source, BULK, { default: 'json' }),
  ...recipientAndText({ ...BULK, source: ['items'] }),
  ...forPeopleAndModels(
    messages,
    { ...BULK, source: ['json'] },
    {
      hint: undefined,
      ...filledIn(
        messages,
        `The messages to send, as a JSON array with one object for each: ${LIST}. phone is the number of the recipient, with + and the country code; message is the text, at most ${MAX_TEXT} characters. Every call sends real messages, and each uses a credit: never repeat one that may have been sent.`,
      ),
    },
  ),
];
