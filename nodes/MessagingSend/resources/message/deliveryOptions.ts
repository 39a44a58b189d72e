import { textOf } from '../../delivery/compose';
import { type DeliveryOptions, TESTED } from '../../delivery/select';
import type { SendWindow } from '../../delivery/sendWindow';
import { failure, FailureError, isFailure } from '../../failures/failure';
import { fieldNames, fieldsBehind } from '../../n8n/input/itemParameters';
import {
  booleanField,
  booleanIn,
  choiceField,
  choiceIn,
  type GivenOptions,
  includeOtherFields,
  maxWait,
  numberField,
  numberIn,
  optionsField,
  requestsPerMinute,
  textField,
} from '../../n8n/input/readOptions';
import { type PhoneRules, type ReadNumber, readPhone } from '../../phone/phone';
import { MAX_TEXT } from './fields';

// The default of an option is what holds without it. The three that say "Off unless added" switch something on.

const checkCreditsFirst = booleanField('Check Credits First', 'checkCreditsFirst', {
  default: true,
  description:
    'Whether to read the balance first, and send nothing if it does not cover every message of the run. Off unless added.',
});

/** Read for each item, in `n8n/input/drafts.ts`. */
export const defaultCountryCode = textField('Default Country Code', 'defaultCountryCode', {
  placeholder: 'e.g. 44 or GB',
  description:
    'Country code for numbers that have none, such as 44 or GB for 07700 900123. Without a code, messages to such numbers are not sent.',
});

const dryRun = booleanField('Dry Run', 'dryRun', {
  default: true,
  description: 'Whether to send nothing, and only check everything and show what would be sent. Off unless added.',
});

const duplicateMessages = choiceField('Duplicate Messages', 'duplicateMessages', {
  default: 'sendOnce',
  description:
    "What to do with messages to the same person that have the same text, or the same 'Message Key'. The same text to another person is another message.",
  choices: {
    send: ['Send Every One', 'Send every message, even if the same one was sent before'],
    sendOnce: ['Send Once in This Run', 'Send each message only once in a run'],
    sendOnceEver: [
      'Send Once, Also in Later Runs',
      'Also skip what an earlier execution of this node sent. Without this choice, a Send of one item is not remembered.',
    ],
  },
});

/** Read for each item, in `n8n/input/drafts.ts`. */
const messageKey = textField('Message Key', 'messageKey', {
  placeholder: 'e.g. the order number',
  description:
    "Add it if a message's text can change between runs, as with a price or the time. Each person gets one message for each key, so one key can serve a whole list.",
});

const emptyFields = choiceField('Empty Fields', 'emptyFields', {
  default: 'doNotSend',
  description:
    "What to do with a message if a field in its text is empty, as in 'Hello ,' or 'Hello undefined'. Off unless added: the message is sent.",
  choices: {
    doNotSend: ["Don't Send", 'The message is not sent, and its item says which field is empty'],
    send: ['Send Anyway', 'The message is sent with a gap'],
  },
});

const longMessages = choiceField('Long Messages', 'longMessages', {
  default: 'fail',
  description: `What to do with texts of more than ${MAX_TEXT} characters`,
  choices: {
    fail: ["Don't Send", 'The message is not sent, and its item says how long the text is'],
    split: ['Split Into Several', 'The text is sent in several messages, and each uses 1 credit'],
    truncate: ['Truncate', `Only the first ${MAX_TEXT} characters are sent`],
  },
});

const neverSendTo = textField('Never Send To', 'neverSendTo', {
  typeOptions: { rows: 2 },
  placeholder: 'e.g. +447700900123, +447700900124',
  description:
    "Numbers of people who opted out, with country codes, separated by commas or lines, or a list from an expression. If one can't be read, nothing is sent.",
});

export const numberCheck = choiceField('Number Check', 'numberCheck', {
  default: 'on',
  description:
    'Whether to compare phone numbers with the numbering plan of their country. A number with a wrong length can reach a stranger.',
  choices: {
    mobile: ['Mobile Numbers Only', 'Accept only mobile numbers. This also finds most numbers with a digit missing.'],
    off: ['Off', 'Accept any 7 to 15 digits, if a country has changed its numbers'],
    on: ['On', 'Accept only numbers of a length that exists in their country'],
  },
});

const parallelRequests = numberField('Parallel Requests', 'parallelRequests', {
  min: 1,
  default: 4,
  description:
    'How many requests run at the same time: 4 keep 60 a minute full. With fewer, a crash of n8n or an outage of the service leaves fewer messages uncertain.',
});

const sendWindow = textField('Send Window', 'sendWindow', {
  default: '09:00–20:00',
  placeholder: 'e.g. Mon–Fri 09:00–20:00, Sat 10:00–14:00',
  description:
    "When messages may be sent, by the clock of the recipient's country. Other messages are skipped, and their items say in send_at when they can be sent.",
});

const testRun = textField('Test Run', 'testRun', {
  placeholder: 'e.g. +447700900123',
  description: `Sends to your own phone: enter its number. It gets the first ${TESTED} messages, the recipients get none; each uses a credit, but doesn't count as sent.`,
});

export const deliveryOptions = optionsField(
  [
    // n8n lists options in this order, and shows no descriptions there: first what a first run needs, then by the
    // alphabet, as n8n's linter asks. A key is only for duplicates.
    dryRun,
    checkCreditsFirst,
    defaultCountryCode,
    duplicateMessages,
    { ...messageKey, displayOptions: { hide: { duplicateMessages: ['send'] } } },
    { ...emptyFields, displayOptions: { hide: { '/source': ['json'] } } },
    includeOtherFields,
    longMessages,
    maxWait,
    neverSendTo,
    numberCheck,
    parallelRequests,
    requestsPerMinute,
    sendWindow,
    testRun,
  ],
  { resource: ['message'], operation: ['send', 'sendBulk'] },
);

/** Reads those of the `options` that apply to a whole run. */
export function readDeliveryOptions(given: GivenOptions): DeliveryOptions {
  const check = given.read(numberCheck, choiceIn, numberCheck.default);
  return {
    checkCreditsFirst: given.read(checkCreditsFirst, booleanIn, false),
    dryRun: given.read(dryRun, booleanIn, false),
    emptyFields: given.read(emptyFields, choiceIn, 'send'),
    duplicateMessages: given.read(duplicateMessages, choiceIn, duplicateMessages.default),
    longMessages: given.read(longMessages, choiceIn, longMessages.default),
    neverSendTo: given.read(neverSendTo, (value) => optOutsIn(value, given), null),
    numberCheck: check,
    parallelRequests: Math.floor(given.read(parallelRequests, numberIn, parallelRequests.default)),
    sendWindows: given.read(sendWindow, sendWindowsIn, null),
    testRun: given.read(testRun, (value) => testRunWith(value, check), null),
  };
}

function optOutsIn(value: unknown, { source }: GivenOptions): readonly unknown[] {
  const list: unknown = typeof value === 'string' ? value.split(/[,;\r\n]+/) : value;
  // An expression that gives nothing has failed: n8n hides some errors, and then everybody would get a message.
  if (!Array.isArray(list)) throw new FailureError(failure('optOutsNotList'));
  const found: readonly unknown[] = list.filter((number) => textOf(number)?.trim() !== '');
  if (found.length > 0 || list.length === 0) return found;
  const fields = fieldsBehind(source, `options.${neverSendTo.name}`);
  // Of an empty table, n8n can give one item without any field.
  if (list.length === 1 && fields?.names.length === 0) return found;
  const names = fieldNames(fields?.names ?? []);
  throw new FailureError(failure('optOutsEmpty', { fields: names && ` ${fields?.of} has the fields ${names}.` }));
}

/** Once the option is added, even an empty value keeps messages from the recipients. */
function testRunWith(phone: unknown, check: PhoneRules['numberCheck']): ReadNumber {
  // A landline can be somebody's own as well.
  const read = readPhone(phone, { countryCode: null, numberCheck: check === 'mobile' ? 'on' : check });
  // Told as the reason why the option can't be read.
  if (isFailure(read)) throw new Error(read.message);
  return read;
}

/** @throws FailureError for anything but windows: an empty one would let every message leave */
function sendWindowsIn(value: unknown): readonly SendWindow[] {
  const spans = String(value).trim().split(BETWEEN_WINDOWS);
  const windows = spans.map(windowIn).filter((window) => window !== null);
  // Beside a window with days, one without could be meant for the same days.
  const withDays = spans.filter((span) => /^[a-z]/i.test(span)).length;
  if (windows.length === spans.length && [0, spans.length].includes(withDays)) return windows;
  const needed =
    'time spans such as 09:00–20:00, Mon–Fri 09:00–20:00, Sat 10:00–14:00 or, past midnight and for at most 16 hours, Sat 20:00–02:00';
  throw new FailureError(failure('optionInvalid', { option: sendWindow.displayName, needed }));
}

/** Days are separated by commas, too. */
const BETWEEN_WINDOWS = /(?<=:\d\d)\s*[,;\n]\s*(?!$)/;

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const NO_DAY = -1;

/** In minutes. 9:00–5:00 is meant to end in the afternoon. */
const LONGEST_PAST_MIDNIGHT = 16 * 60;

/** @returns null for a text that isn't one window; past midnight, the end is before the start */
function windowIn(text: string): SendWindow | null {
  const words = text.trim().replace(/\s*(?:[-–—]|\bto\b)\s*/g, '-');
  const [, names = 'sun-sat', ...times] = /^(?:(.+?)[\s,]+)?(\d\d?):([0-5]\d)-(\d\d?):([0-5]\d)$/.exec(words) ?? [];
  const [fromHour = NaN, fromMinute = NaN, toHour = NaN, toMinute = NaN] = times.map(Number);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  const days = names.split(/[\s,]+/).flatMap(daysIn);
  const isSpan = from < to || to + 24 * 60 - from <= LONGEST_PAST_MIDNIGHT;
  const isWindow = from < 24 * 60 && to <= 24 * 60 && isSpan && !days.includes(NO_DAY);
  return isWindow ? { from, to, days: new Set(days) } : null;
}

/** The days of `Mon` or `Fri-Mon`; {@link NO_DAY} for a word that isn't a day. */
function daysIn(word: string): readonly number[] {
  const [first = NO_DAY, last = first, ...more] = word.split('-').map((name) => {
    return name.length < 3 ? NO_DAY : DAYS.findIndex((day) => day.startsWith(name.toLowerCase()));
  });
  if (more.length > 0 || first === NO_DAY || last === NO_DAY) return [NO_DAY];
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, days) => (first + days) % 7);
}
