import type { INodeProperties } from 'n8n-workflow';

import { textOf } from '../../delivery/compose';
import type { DeliveryOptions } from '../../delivery/options';
import { failure, FailureError } from '../../failures/failure';
import { countryCodeIn } from '../../n8n/input/drafts';
import {
  type GivenOptions,
  includeOtherFields,
  maxWait,
  optionsField,
  readBoolean,
  readChoice,
  readLimitOptions,
  readNumber,
  requestsPerMinute,
} from '../../n8n/input/options';
import { MAX_TEXT } from './fields';
import { readSendWindow, sendWindow } from './sendWindow';
import { readTestRun, testRun } from './testRun';

const checkCreditsFirst: INodeProperties = {
  displayName: 'Check Credits First',
  name: 'checkCreditsFirst',
  type: 'boolean',
  noDataExpression: true,
  default: true,
  description:
    'Whether to read the balance first, and send nothing if it does not cover every message of the run. This takes one more request.',
};

/** Read for each item, in `n8n/input/drafts.ts`. */
export const defaultCountryCode: INodeProperties = {
  displayName: 'Default Country Code',
  name: 'defaultCountryCode',
  type: 'string',
  default: '',
  placeholder: 'e.g. 44',
  description:
    'Country code for numbers that have none, such as 07700 900123, or 7700900123 where a spreadsheet dropped the 0. Numbers with + or 00 keep their own country code, as do numbers that only fit another country. Without this option, messages to numbers without a country code are not sent. An expression can set it for each item.',
};

const dryRun: INodeProperties = {
  displayName: 'Dry Run',
  name: 'dryRun',
  type: 'boolean',
  noDataExpression: true,
  default: true,
  description:
    'Whether to check everything without sending or using credits. Each output item shows the number and the text that would be used.',
};

const duplicateMessages: INodeProperties = {
  displayName: 'Duplicate Messages',
  name: 'duplicateMessages',
  type: 'options',
  noDataExpression: true,
  options: [
    { name: 'Send Every One', value: 'send', description: 'Send every message, even if the same one was sent before' },
    { name: 'Send Once in This Run', value: 'sendOnce', description: 'Send each message only once in a run' },
    {
      name: 'Send Once, Also in Later Runs',
      value: 'sendOnceEver',
      description: 'Send each message only once, even if an earlier execution of this node sent it',
    },
  ],
  default: 'sendOnce',
  description: "What to do with duplicates: messages with the same number and text, or with the same 'Message Key'",
};

const emptyFields: INodeProperties = {
  displayName: 'Empty Fields',
  name: 'emptyFields',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: "Don't Send",
      value: 'doNotSend',
      description: 'The message is not sent, and its item says which field is empty',
    },
    { name: 'Send Anyway', value: 'send', description: 'The message is sent with a gap' },
  ],
  default: 'doNotSend',
  description:
    "What to do with a message if a field in its text is empty, as in 'Hello ,' without a name. A dry run counts such messages and names the fields.",
};

/** Read for each item, in `n8n/input/drafts.ts`. */
const messageKey: INodeProperties = {
  displayName: 'Message Key',
  name: 'messageKey',
  type: 'string',
  default: '',
  placeholder: 'e.g. the order number',
  description:
    'What makes two messages the same, such as the order number, instead of number and text. Retries use it as well. In a JSON list, number and text count in addition. To send a message again on purpose, change its key.',
};

const rememberLast: INodeProperties = {
  displayName: 'Remember the Last (Messages)',
  name: 'rememberLast',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 50_000 },
  default: 10_000,
  description:
    'How many of the newest messages Send Once, Also in Later Runs remembers. Above 10,000, each request takes noticeably longer.',
};

const uncertain: INodeProperties = {
  displayName: 'On Uncertain Outcome',
  name: 'uncertain',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: "Don't Send Again",
      value: 'report',
      description: 'The message is reported as uncertain and never sent again automatically',
    },
    {
      name: 'Send Again',
      value: 'sendAgain',
      description:
        'A retry of this node sends the message again. The recipient may get it twice, and it may use credits twice.',
    },
  ],
  default: 'report',
  description:
    'What a retry does with a message that may have been sent, because the service did not confirm it. Send Again can send it twice. n8n offers Retry only for executions that did not succeed.',
};

const longMessages: INodeProperties = {
  displayName: 'Long Messages',
  name: 'longMessages',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'Do Not Shorten',
      value: 'fail',
      description:
        'Send Bulk sends the message at full length, and the service may reject it: no limit for bulk messages is known. Send does not send it.',
    },
    {
      name: 'Split Into Several',
      value: 'split',
      description: 'The text is sent in several messages, and each uses 1 credit',
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
    {
      name: 'Mobile Numbers Only',
      value: 'mobile',
      description: 'Accept only numbers that are mobile numbers in their country',
    },
    { name: 'Off', value: 'off', description: 'Accept any 7 to 15 digits' },
    { name: 'On', value: 'on', description: 'Accept only numbers of a length that exists in their country' },
  ],
  default: 'on',
  description:
    'Whether to compare phone numbers with the numbering plan of their country. Mobile Numbers Only also finds most numbers with a digit missing. Choose Off only if a country has changed its numbers: a number with a digit too many or too few can reach a stranger.',
};

const neverSendTo: INodeProperties = {
  displayName: 'Never Send To',
  name: 'neverSendTo',
  type: 'string',
  typeOptions: { rows: 2 },
  default: '',
  placeholder: 'e.g. 447700900123, 447700900124',
  description:
    'Numbers of people who opted out, separated by commas or lines, or an expression that returns a list. In any spelling; read once for all items. If one of them is no phone number, nothing is sent.',
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
      description: "The service's response to each request, linked to all items in it",
    },
  ],
  default: 'messages',
  description: 'What each output item contains. A message that was not sent always has its own item.',
};

const parallelRequests: INodeProperties = {
  displayName: 'Parallel Requests',
  name: 'parallelRequests',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 16,
  description:
    'How many requests to make at the same time. Messages to the same number are sent one after the other, in order. An outage makes the messages of all these requests uncertain.',
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
      description: 'Use up the remaining credits first. This works only with On Error set to Continue.',
    },
    {
      name: 'Stop',
      value: 'stop',
      description: 'Send neither the request that the credits do not cover nor any request after it',
    },
  ],
  default: 'stop',
  description: 'What to do when the credits do not cover a request',
};

export const deliveryOptions = optionsField(
  [
    checkCreditsFirst,
    defaultCountryCode,
    dryRun,
    duplicateMessages,
    emptyFields,
    includeOtherFields,
    longMessages,
    maxWait,
    messageKey,
    neverSendTo,
    numberCheck,
    uncertain,
    output,
    parallelRequests,
    rememberLast,
    requestsPerMinute,
    sendWindow,
    testRun,
    whenCreditsRunOut,
  ],
  { resource: ['message'], operation: ['send', 'sendBulk'] },
);

export function readNumberCheck(given: GivenOptions): DeliveryOptions['numberCheck'] {
  return readChoice(given, numberCheck, ['on', 'mobile', 'off']);
}

function readNeverSendTo(given: GivenOptions): DeliveryOptions['neverSendTo'] {
  const numbers = given.get(neverSendTo.name, neverSendTo.displayName, [], numbersIn);
  // Without numbers, it is left to the items whether theirs can be used.
  if (numbers.length === 0) return { numbers, countryCode: null };
  const { name, displayName } = defaultCountryCode;
  return { numbers, countryCode: given.get(name, displayName, null, countryCodeIn) };
}

/** An expression that gives nothing has failed: n8n hides some errors, and then everybody would get a message. */
function numbersIn(value: unknown): readonly unknown[] {
  if (typeof value === 'string' && value.includes('{{')) throw new FailureError(failure('optOutsNotEvaluated'));
  const list: unknown = typeof value === 'string' ? value.split(/[,;\r\n]+/) : value;
  if (Array.isArray(list)) return list.filter((number) => textOf(number)?.trim() !== '');
  const kind = typeof value === 'object' && value !== null ? 'an object' : 'nothing';
  throw new FailureError(failure('optOutsNotList', { kind }));
}

/** Reads the collection `options`, as far as it holds for a whole run. */
export function readDeliveryOptions(given: GivenOptions): DeliveryOptions {
  const check = readNumberCheck(given);
  return {
    ...readLimitOptions(given),
    checkCreditsFirst: readBoolean(given, checkCreditsFirst),
    dryRun: readBoolean(given, dryRun),
    emptyFields: readChoice(given, emptyFields, ['send', 'doNotSend']),
    duplicateMessages: readChoice(given, duplicateMessages, ['send', 'sendOnce', 'sendOnceEver']),
    longMessages: readChoice(given, longMessages, ['fail', 'truncate', 'split']),
    neverSendTo: readNeverSendTo(given),
    numberCheck: check,
    parallelRequests: Math.floor(readNumber(given, parallelRequests)),
    rememberLast: Math.floor(readNumber(given, rememberLast)),
    sendWindow: readSendWindow(given),
    testRun: readTestRun(given, { countryCode: null, numberCheck: check }),
    uncertain: readChoice(given, uncertain, ['report', 'sendAgain']),
    whenCreditsRunOut: readChoice(given, whenCreditsRunOut, ['stop', 'sendWhatCreditsAllow']),
  };
}
