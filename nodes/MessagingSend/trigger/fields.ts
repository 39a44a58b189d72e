import type { INodeProperties } from 'n8n-workflow';

import { REQUESTS_PER_MINUTE } from '../api/endpoints';
import { notice } from '../n8n/notice';
import { longestWait, requestsPerMinute } from '../n8n/options';
import { requestOptionsOfTrigger } from '../n8n/requestOptions';

/** For the trigger, right below Poll Times: n8n's default is every minute. */
const everyMinuteNotice = notice(
  'everyMinuteNotice',
  `Each check takes one of the ${REQUESTS_PER_MINUTE} requests a minute that the service allows this API key. Once an hour will do for most.`,
  { '/pollTimes.item[0].mode': ['everyMinute'] },
);

export const margin: INodeProperties = {
  displayName: 'Margin',
  name: 'margin',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 0,
  description:
    'By how many credits the balance has to rise above the threshold before the next fall starts the workflow again. It prevents many alerts while the balance moves around the threshold.',
};

export const remindEvery: INodeProperties = {
  displayName: 'Remind Every (Hours)',
  name: 'remindEvery',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 24,
  description:
    'How often the workflow is started again while the balance stays low. With 0, or without this option, it is not.',
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
        description: 'When the credits fall below the threshold',
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
    description: 'The balance is low when it has fewer credits than this. A message costs 1 credit.',
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    options: [
      {
        ...longestWait,
        description:
          'How long a check waits when the service says that there are too many requests. After that, the check fails.',
      },
      margin,
      remindEvery,
      requestsPerMinute,
    ],
  },
  requestOptionsOfTrigger,
];
