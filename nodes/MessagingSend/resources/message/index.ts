import type { INodeProperties } from 'n8n-workflow';

import { deliveryOptions } from './deliveryOptions';
import { optionNotices, toolNotice } from './notices';
import { send, sendFields } from './send';
import { sendAndWait, sendAndWaitFields } from './sendAndWait';
import { sendBulk, sendBulkFields } from './sendBulk';

export const messageProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['message'] } },
    options: [send, sendBulk, sendAndWait],
    default: 'send',
  },
  toolNotice,
  ...sendFields,
  ...sendBulkFields,
  ...sendAndWaitFields,
  deliveryOptions,
  ...optionNotices,
];
