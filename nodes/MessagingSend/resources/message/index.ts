import type { INodeProperties } from 'n8n-workflow';

import { deliveryOptions } from './deliveryOptions';
import { optionNotices, toolNotice } from './notices';
import { sendFields, sendOperations } from './send';
import { sendAndWait, sendAndWaitFields } from './sendAndWait';

export const messageProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['message'] } },
    options: [...sendOperations, sendAndWait],
    default: 'send',
  },
  toolNotice,
  ...sendFields,
  ...sendAndWaitFields,
  deliveryOptions,
  ...optionNotices,
];
