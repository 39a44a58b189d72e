import { type INodeProperties, tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { failure, FailureError } from '../../failures/failure';
import { choiceField, type GivenOptions, readChoice, readNumber, valuesOf } from '../../n8n/input/options';

// The option Limit Wait Time, with the names that it has in n8n's own nodes.

const limitType = choiceField({
  displayName: 'Limit Type',
  name: 'limitType',
  type: 'options',
  noDataExpression: true,
  options: [
    {
      name: 'After Time Interval',
      value: 'afterTimeInterval',
      description: 'Wait for a certain time after the message was sent',
    },
    { name: 'At Specified Time', value: 'atSpecifiedTime', description: 'Wait until a certain date and time' },
  ],
  default: 'afterTimeInterval',
});

const resumeAmount: INodeProperties = {
  displayName: 'Amount',
  name: 'resumeAmount',
  type: 'number',
  displayOptions: { show: { limitType: ['afterTimeInterval'] } },
  typeOptions: { minValue: 0, numberPrecision: 2 },
  default: 1,
};

const MILLISECONDS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

const resumeUnit = choiceField({
  displayName: 'Unit',
  name: 'resumeUnit',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { limitType: ['afterTimeInterval'] } },
  options: [
    { name: 'Minutes', value: 'minutes' },
    { name: 'Hours', value: 'hours' },
    { name: 'Days', value: 'days' },
  ],
  default: 'hours',
});

const maxDateAndTime: INodeProperties = {
  displayName: 'Max Date and Time',
  name: 'maxDateAndTime',
  type: 'dateTime',
  displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
  default: '',
};

export const limitWaitTime: INodeProperties = {
  displayName: 'Limit Wait Time',
  name: 'limitWaitTime',
  type: 'fixedCollection',
  default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
  description: 'How long to wait for an answer. After that, the execution continues with the input items of this node.',
  options: valuesOf(limitType, resumeAmount, resumeUnit, maxDateAndTime),
};

/**
 * Reads the option.
 * @param timezone of a date that names none
 * @returns when a wait that begins now ends
 */
export function readWaitLimit(given: GivenOptions, timezone: string): WaitLimit {
  switch (readChoice(given, within(limitType), 'never')) {
    case 'never':
      return FOREVER;
    case 'afterTimeInterval': {
      const unit = readChoice(given, within(resumeUnit));
      const milliseconds = readNumber(given, within(resumeAmount)) * MILLISECONDS[unit];
      return () => new Date(Math.min(Date.now() + milliseconds, WAIT_INDEFINITELY.getTime()));
    }
    case 'atSpecifiedTime':
      return given.get(within(maxDateAndTime).name, maxDateAndTime.displayName, FOREVER, (value) => {
        const date = futureDate(value, timezone);
        return () => date;
      });
  }
}

/** When a wait that begins now ends. */
export type WaitLimit = () => Date;

export const FOREVER: WaitLimit = () => WAIT_INDEFINITELY;

/** The field by its path within the options. */
function within<Field extends INodeProperties>(field: Field): Field {
  return { ...field, name: `${limitWaitTime.name}.values.${field.name}` };
}

function futureDate(value: unknown, timezone: string): Date {
  try {
    const date = readDate(value, timezone);
    if (date.getTime() > Date.now()) return date;
  } catch {
    // It is no date at all.
  }
  throw new FailureError(
    failure('optionInvalid', { option: maxDateAndTime.displayName, needed: 'a date and time in the future' }),
  );
}

/** What follows a time in a date with a time zone. */
const TIMEZONE = /:\d\d(\.\d+)?(\s*[ap]m)?\s*(z|ut|utc|gmt|[ecmp][sd]t|[+-]\d)/i;

/**
 * n8n takes a text that is no standard date, such as "June 1, 2027 12:00", as a time of its server's zone.
 * @throws for what is no date
 */
function readDate(value: unknown, timezone: string): Date {
  const date = tryToParseDateTime(value, timezone).toJSDate();
  if (typeof value !== 'string' || TIMEZONE.test(value) || date.getTime() !== Date.parse(value)) return date;
  const wallClock = new Date(`${value} UTC`);
  if (Number.isNaN(wallClock.getTime())) return date;
  return tryToParseDateTime(wallClock.toISOString().slice(0, -1), timezone).toJSDate();
}
