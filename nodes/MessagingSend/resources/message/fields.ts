import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { keepAnswer } from '../../n8n/routing';
import { optionNotices, toolNotice } from './notices';
import { deliveryOptions } from './options';
import { routedSend } from './send';
import { routedSendBulk } from './sendBulk';
import { forModels, notForModels } from './toolFields';

const BULK = { resource: ['message'], operation: ['sendBulk'] };
const FROM_ITEMS = { ...BULK, source: ['items'] };
const FROM_LIST = { ...BULK, source: ['json'] };

/** Send and Send Bulk from items ask for the same two fields. */
function recipientAndText(show: NonNullable<IDisplayOptions['show']>, textHint?: string): INodeProperties[] {
  const phone: INodeProperties = {
    displayName: 'Phone',
    name: 'phone',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. 447700900123',
    hint: 'With the country code: 447700900123, not 07700 900123',
    description:
      'Number of the recipient, one for each message. Spaces, dots, dashes, brackets and a leading + or 00 are removed. For numbers without a country code, add the option Default Country Code.',
  };
  const message: INodeProperties = {
    displayName: 'Message',
    name: 'message',
    type: 'string',
    typeOptions: { rows: 4 },
    required: true,
    default: '',
    placeholder: 'e.g. Hello {{ $json.name }}, your order is on its way.',
    hint: textHint,
    description: 'Text to send. To write to each recipient by name, drag a field from the input to here.',
  };
  return [
    notForModels(phone, show),
    forModels(
      phone,
      show,
      'Phone number of one recipient, with the country code and digits only, such as 447700900123 for +44 7700 900123',
    ),
    notForModels(message, show),
    forModels(
      message,
      show,
      'Text to send, of at most 1,000 characters. Every call sends a message and uses a credit, also if the same text was sent before.',
    ),
  ];
}

const source: INodeProperties = {
  displayName: 'Source',
  name: 'source',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Input Items',
      value: 'items',
      description: 'One message for each input item',
    },
    {
      name: 'JSON List',
      value: 'json',
      description: 'A list of messages of any length, such as a webhook brings',
    },
  ],
  default: 'items',
  description: 'Where the messages come from',
};

// n8n's field for JSON shows no placeholder.
const LIST = '[{ "phone": "447700900123", "message": "Hello" }]';

const messages: INodeProperties = {
  displayName: 'Messages',
  name: 'messages',
  type: 'json',
  required: true,
  default: '',
  placeholder: `e.g. ${LIST}`,
  description:
    'List of the messages, as JSON: each has "phone" (number of the recipient, with the country code) and "message" (text to send). A list that a webhook brought can be dragged from the input to here.',
};

export const messageProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['message'] } },
    options: [
      {
        name: 'Send',
        value: 'send',
        action: 'Send text message to phone number',
        description: 'Send one message for each input item, with a request each',
        routing: {
          request: { method: 'POST', url: '/messages/send' },
          send: { paginate: true },
          operations: { pagination: routedSend },
          output: { postReceive: [keepAnswer] },
        },
      },
      {
        name: 'Send Bulk',
        value: 'sendBulk',
        action: 'Send text messages to many phone numbers',
        description: 'Send many messages with few requests, 100 in each: one for each input item, or a whole list',
        routing: {
          request: { method: 'POST', url: '/messages/send-bulk' },
          send: { paginate: true },
          operations: { pagination: routedSendBulk },
          output: { postReceive: [keepAnswer] },
        },
      },
    ],
    default: 'send',
  },
  toolNotice,
  ...recipientAndText(
    { resource: ['message'], operation: ['send'] },
    'At most 1,000 characters. For longer texts, add the option Long Messages.',
  ),
  notForModels(source, BULK),
  // A call by a model is one item, so from Input Items it could send but one message.
  { ...forModels(source, BULK), default: 'json' },
  ...recipientAndText(FROM_ITEMS),
  notForModels({ ...messages, hint: `A list such as ${LIST}. Every input item sends its list.` }, FROM_LIST),
  forModels(
    messages,
    FROM_LIST,
    `The messages to send, as a JSON array with one object for each: ${LIST}. phone is the number of the recipient, with the country code and digits only; message is the text, which should have at most 1,000 characters. Each uses a credit.`,
  ),
  deliveryOptions,
  ...optionNotices,
];
