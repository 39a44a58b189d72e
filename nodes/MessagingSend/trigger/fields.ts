import type { INodeProperties } from 'n8n-workflow';

import { REQUESTS_PER_MINUTE } from '../api/endpoints';
import { maxWait, requestsPerMinute } from '../n8n/input/options';
import { requestOptionsOfTrigger } from '../n8n/input/requestOptions';
import { notice } from '../n8n/notice';

/** For the trigger, right below Poll Times: n8n's default is every minute. */
const everyMinuteNotice = notice(
  'everyMinuteNotice',
  `Each check uses one of the ${REQUESTS_PER_MINUTE} requests per minute that the service allows this API key. Once an hour is enough for most workflows.`,
  { '/pollTimes.item[0].mode': ['everyMinute'] },
);

export const margin: INodeProperties = {
  displayName: 'Margin',
  name: 'margin',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 0,
  description:
    'How many credits above the threshold the balance must rise before the next drop starts the workflow again. This prevents repeated alerts while the balance hovers around the threshold.',
};

export const remindEvery: INodeProperties = {
  displayName: 'Remind Every (Hours)',
  name: 'remindEvery',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 24,
  description:
    'How often to start the workflow again while the balance stays low. With 0, or without this option, it starts only once.',
};

/** The parameters of Messaging Send Trigger; read by `settings.ts`. n8n puts Poll Times before them. */
export const lowBalanceProperties: INodeProperties[] = [
  everyMinuteNotice,
  {
    displayName: 'Trigger On',
    name: 'event',
    type: 'options',
    noDataExpression: true,
    options: [
      {
        name: 'Low Balance',
        value: 'lowBalance',
        description: 'When the balance drops below the threshold',
      },
    ],
    default: 'lowBalance',
  },
  {
    displayName: 'Threshold',
    name: 'threshold',
    type: 'number',
    typeOptions: { minValue: 1 },
    required: true,
    default: 100,
    description:
      'The balance is low when fewer credits than this are left. Set it above your largest list: each message uses 1 credit.',
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    options: [
      {
        ...maxWait,
        description:
          'How long a check waits when the rate limit is reached. After that, the check ends without a result, and n8n reports it.',
      },
      margin,
      remindEvery,
      requestsPerMinute,
    ],
  },
  requestOptionsOfTrigger,
];
