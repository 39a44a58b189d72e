import type { INodeProperties } from 'n8n-workflow';

import type { DeliveryOptions } from '../../delivery/options';
import {
  type GivenOptions,
  longestWait,
  readBoolean,
  readChoice,
  readLimitOptions,
  readNumber,
  requestsPerMinute,
} from '../../n8n/options';
import { MAX_TEXT } from './fields';

const checkCreditsFirst: INodeProperties = {
  displayName: 'Check Credits First',
  name: 'checkCreditsFirst',
  type: 'boolean',
  noDataExpression: true,
  default: false,
  description:
    'Whether to read the balance first, and send nothing at all if it does not cover every message of the run. This takes one more request.',
};

/** Read for each item, in `n8n/drafts.ts`. */
export const defaultCountryCode: INodeProperties = {
  displayName: 'Default Country Code',
  name: 'defaultCountryCode',
  type: 'string',
  default: '',
  placeholder: 'e.g. 44',
  description:
    'Country code of the numbers that have none, such as 07700 900123, also where a spreadsheet dropped the 0. Numbers with + or 00 keep their own, and so does one that only another country can have. Without this option, a number without a country code is not sent. With an expression, each item can have its own.',
};

const dryRun: INodeProperties = {
  displayName: 'Dry Run',
  name: 'dryRun',
  type: 'boolean',
  noDataExpression: true,
  default: false,
  description:
    'Whether to check everything, send nothing and use no credits. Each output item says what would be sent.',
};

const duplicateMessages: INodeProperties = {
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
    {
      name: 'Send Once, Across Executions',
      value: 'sendOnceEver',
      description: 'A message that this node has sent before is not sent again, in whatever execution that was',
    },
  ],
  default: 'send',
  description:
    'What to do with messages that are the same: those with the same number and text, or with the same Message Key',
};

/** Read for each item, in `n8n/drafts.ts`. */
const messageKey: INodeProperties = {
  displayName: 'Message Key',
  name: 'messageKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.orderId }}',
  description:
    'What makes two messages the same, instead of number and text: an order number, for example. In a retry, too, a message is known by it. For a JSON List, number and text count besides. To send a message again on purpose, change its key.',
};

const rememberLast: INodeProperties = {
  displayName: 'Remember the Last (Messages)',
  name: 'rememberLast',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 50_000 },
  default: 10_000,
  description:
    'How many messages Send Once, Across Executions remembers: the newest ones. With more than 10,000, each request takes noticeably longer.',
};

const uncertain: INodeProperties = {
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
};

const longMessages: INodeProperties = {
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
    { name: 'Truncate', value: 'truncate', description: `Only the first ${MAX_TEXT} characters are sent` },
  ],
  default: 'fail',
  description: `What to do with texts of more than ${MAX_TEXT} characters`,
};

export const numberCheck: INodeProperties = {
  displayName: 'Number Check',
  name: 'numberCheck',
  type: 'options',
  noDataExpression: true,
  options: [
    { name: 'Off', value: 'off', description: 'Any 7 to 15 digits are accepted' },
    {
      name: 'On',
      value: 'on',
      description: 'A number must have as many digits as numbers of its country have',
    },
  ],
  default: 'on',
  description:
    'Whether phone numbers are compared with the numbering plan of their country. Switch it off only if a country has changed its numbers: a number with a digit too many or too few can reach a stranger.',
};

/** Read in `sendBulk.ts`: Send has no choice. */
export const output: INodeProperties = {
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
};

const parallelRequests: INodeProperties = {
  displayName: 'Parallel Requests',
  name: 'parallelRequests',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 16,
  description:
    'How many requests may be under way at once. Messages to one number are sent one after the other, in their order.',
};

const whenCreditsRunOut: INodeProperties = {
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
};

/** The options of both ways of sending. */
export const deliveryOptions: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  displayOptions: { show: { resource: ['message'], operation: ['send', 'sendBulk'] } },
  options: [
    checkCreditsFirst,
    defaultCountryCode,
    dryRun,
    duplicateMessages,
    uncertain,
    longMessages,
    longestWait,
    messageKey,
    numberCheck,
    output,
    parallelRequests,
    rememberLast,
    requestsPerMinute,
    whenCreditsRunOut,
  ],
};

export function readNumberCheck(given: GivenOptions): DeliveryOptions['numberCheck'] {
  return readChoice(given, numberCheck, ['on', 'off']);
}

/** Reads the collection `options`, as far as it holds for a whole run. */
export function readDeliveryOptions(given: GivenOptions): DeliveryOptions {
  return {
    ...readLimitOptions(given),
    checkCreditsFirst: readBoolean(given, checkCreditsFirst),
    dryRun: readBoolean(given, dryRun),
    duplicateMessages: readChoice(given, duplicateMessages, ['send', 'sendOnce', 'sendOnceEver']),
    longMessages: readChoice(given, longMessages, ['fail', 'truncate', 'split']),
    numberCheck: readNumberCheck(given),
    parallelRequests: Math.floor(readNumber(given, parallelRequests)),
    rememberLast: Math.floor(readNumber(given, rememberLast)),
    uncertain: readChoice(given, uncertain, ['report', 'sendAgain']),
    whenCreditsRunOut: readChoice(given, whenCreditsRunOut, ['stop', 'sendWhatCreditsAllow']),
  };
}
