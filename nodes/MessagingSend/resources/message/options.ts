import type { INodeProperties } from 'n8n-workflow';

export const longestWait: INodeProperties = {
  displayName: 'Longest Wait (Minutes)',
  name: 'longestWait',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 5,
  description:
    'How long a request waits when the service says that there are too many. After that, what is left is not sent.',
};

export const requestsPerMinute: INodeProperties = {
  displayName: 'Requests per Minute',
  name: 'requestsPerMinute',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 60,
  description:
    'How many requests the service allows this API key in a minute. Lower it if other programs use the same key.',
};

/** What a request can be told that does not send; part of `deliveryOptions`. */
export const balanceOptions: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  displayOptions: { show: { resource: ['balance'] } },
  options: [longestWait, requestsPerMinute],
};

/** What both ways of sending can be told; read by `n8n/deliveryOptions.ts`. */
export const deliveryOptions: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  displayOptions: { show: { resource: ['message'] } },
  options: [
    {
      displayName: 'Check Credits First',
      name: 'checkCreditsFirst',
      type: 'boolean',
      noDataExpression: true,
      default: false,
      description:
        'Whether to read the balance first, and send nothing at all if it does not cover every message of the run. This takes one more request.',
    },
    {
      displayName: 'Default Country Code',
      name: 'defaultCountryCode',
      type: 'string',
      default: '',
      placeholder: 'e.g. 44',
      description:
        'Put in place of the leading 0 of numbers that have no country code. Without it, such a number is an error. With an expression, each item can have its own.',
    },
    {
      displayName: 'Dry Run',
      name: 'dryRun',
      type: 'boolean',
      noDataExpression: true,
      default: false,
      description:
        'Whether to check everything, send nothing and use no credits. Each output item says what would be sent.',
    },
    {
      displayName: 'Duplicate Messages',
      name: 'duplicateMessages',
      type: 'options',
      noDataExpression: true,
      options: [
        { name: 'Send', value: 'send', description: 'Every item is sent' },
        {
          name: 'Send Once',
          value: 'sendOnce',
          description: 'The same text goes to the same number only once in a run',
        },
      ],
      default: 'send',
      description:
        'What to do with items of one run that have the same number and the same text. Runs are not compared with each other.',
    },
    {
      displayName: 'If the Outcome Is Uncertain',
      name: 'uncertain',
      type: 'options',
      noDataExpression: true,
      options: [
        {
          name: 'Report',
          value: 'report',
          description: 'The message is reported as uncertain and never sent again by itself',
        },
        {
          name: 'Send Again',
          value: 'sendAgain',
          description: 'A retry of this node sends the message again. This can send it twice, and cost twice.',
        },
      ],
      default: 'report',
      description:
        'What a retry does with a message that may have gone out, because the service failed or did not answer. Send Again can send it twice.',
    },
    {
      displayName: 'Long Messages',
      name: 'longMessages',
      type: 'options',
      noDataExpression: true,
      options: [
        {
          name: 'Fail',
          value: 'fail',
          description: 'With Send, the item fails. With Send Bulk the service decides, because its limit is not known.',
        },
        {
          name: 'Split Into Several',
          value: 'split',
          description: 'The text is sent in parts, and each uses a credit',
        },
        { name: 'Truncate', value: 'truncate', description: 'Only the first 1,000 characters are sent' },
      ],
      default: 'fail',
      description: 'What to do with texts of more than 1,000 characters',
    },
    longestWait,
    {
      displayName: 'Output',
      name: 'output',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { '/operation': ['sendBulk'] } },
      options: [
        {
          name: 'One Item per Message',
          value: 'messages',
          description: 'Message ID, phone, status and batch number of each message',
        },
        {
          name: 'One Item per Request',
          value: 'batches',
          description: 'The answer of the service to each request, linked to all its items',
        },
      ],
      default: 'messages',
      description: 'What the output items stand for. A message that fails always has an item of its own.',
    },
    {
      displayName: 'Parallel Requests',
      name: 'parallelRequests',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 16,
      description:
        'How many requests may be under way at once. Messages to one number are sent one after the other, in their order.',
    },
    requestsPerMinute,
    {
      displayName: 'When Credits Run Out',
      name: 'whenCreditsRunOut',
      type: 'options',
      noDataExpression: true,
      options: [
        {
          name: 'Send What the Credits Allow',
          value: 'sendWhatCreditsAllow',
          description: 'The credits that are left are used up first. Needs On Error set to Continue.',
        },
        {
          name: 'Stop',
          value: 'stop',
          description: 'The request that is not covered is not sent, nor anything after it',
        },
      ],
      default: 'stop',
      description: 'What to do when the service says that the credits do not cover a request',
    },
  ],
};
