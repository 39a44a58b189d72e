import type { INodeProperties } from 'n8n-workflow';

import { routedSend } from '../actions/send';
import { routedSendBulk } from '../actions/sendBulk';
import { keepAnswer } from '../api/routing';
import { deliveryOptions } from './options';

const FROM_ITEMS = { resource: ['message'], operation: ['sendBulk'], source: ['items'] };
const FROM_LIST = { resource: ['message'], operation: ['sendBulk'], source: ['json'] };

/** Send and Send Bulk from items ask for the same two fields. */
function recipientAndText(show: Record<string, string[]>, textDescription: string): INodeProperties[] {
  return [
    {
      displayName: 'Phone',
      name: 'phone',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. 447700900123',
      description:
        'Number of the recipient with the country code. Spaces, dots, dashes, brackets and a leading + or 00 are removed.',
      displayOptions: { show },
    },
    {
      displayName: 'Message',
      name: 'message',
      type: 'string',
      typeOptions: { rows: 4 },
      required: true,
      default: '',
      placeholder: 'e.g. Hello {{ $json.name }}, your order is on its way.',
      description: textDescription,
      displayOptions: { show },
    },
  ];
}

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
        action: 'Send a message',
        description: 'Send one message for each input item, with one request each',
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
        action: 'Send messages in bulk',
        description: 'Send the messages of all input items, or of a list, with up to 100 in each request',
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
  ...recipientAndText({ resource: ['message'], operation: ['send'] }, 'Text to send, of at most 1,000 characters'),
  {
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
    displayOptions: { show: { resource: ['message'], operation: ['sendBulk'] } },
  },
  ...recipientAndText(FROM_ITEMS, 'Text to send; with an expression, each item can have its own'),
  {
    displayName: 'Messages',
    name: 'messages',
    type: 'json',
    required: true,
    default: '',
    placeholder: 'e.g. [{ "phone": "447700900123", "message": "Hello" }]',
    description:
      'JSON array of objects, each with "phone" (number of the recipient with the country code) and "message" (text to send)',
    displayOptions: { show: FROM_LIST },
  },
  deliveryOptions,
];
