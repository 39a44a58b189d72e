import type { INodeProperties } from 'n8n-workflow';

import { keepAnswer } from '../../n8n/routing';
import { balanceOptions } from '../message/options';
import { getBalance } from './getBalance';

export const balanceProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['balance'] } },
    options: [
      {
        name: 'Get',
        value: 'get',
        action: 'Get credit balance',
        description: 'Get the credits that are left, and whose account it is',
        routing: {
          request: { method: 'GET', url: '/user/balance' },
          send: { paginate: true },
          operations: { pagination: getBalance },
          output: { postReceive: [keepAnswer] },
        },
      },
    ],
    default: 'get',
  },
  balanceOptions,
];
