import type { INodeProperties } from 'n8n-workflow';

import { get, getFields } from './get';

export const balanceProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['balance'] } },
    options: [get],
    default: 'get',
  },
  ...getFields,
];
