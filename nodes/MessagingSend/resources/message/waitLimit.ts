import { type INodeProperties, tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { failure, FailureError } from '../../failures/failure';
import { choiceField, type GivenOptions, readChoice, readNumber, valuesOf, within } from '../../n8n/input/options';

// The option Limit Wait Time, with the names that it has in n8n's own nodes.

const limitType = choiceField({
  displayName: 'Limit Type',
  name: 'limitType',
  default: 'afterTimeInterval',
  choices: {
    afterTimeInterval: ['After Time Interval', 'Wait for a certain time after the message was sent'],
    atSpecifiedTime: ['At Specified Time', 'Wait until a certain date and time'],
  },
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
  displayOptions: { show: { limitType: ['afterTimeInterval'] } },
  default: 'hours',
  choices: { minutes: ['Minutes'], hours: ['Hours'], days: ['Days'] },
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

export const FOREVER = () => WAIT_INDEFINITELY;

/**
 * @param timezone of a date that names none
 * @returns when a wait that begins now ends
 */
export function readWaitLimit(given: GivenOptions, timezone: string): () => Date {
  const inOption = <Field extends INodeProperties>(field: Field) => within(`${limitWaitTime.name}.values`, field);
  switch (readChoice(given, inOption(limitType), 'never')) {
    case 'never':
      return FOREVER;
    case 'afterTimeInterval': {
      const unit = readChoice(given, inOption(resumeUnit));
      const milliseconds = readNumber(given, inOption(resumeAmount)) * MILLISECONDS[unit];
      return () => new Date(Math.min(Date.now() + milliseconds, WAIT_INDEFINITELY.getTime()));
    }
    case 'atSpecifiedTime': {
      const { name, displayName } = inOption(maxDateAndTime);
      return given.get(name, displayName, FOREVER, (value) => {
        const date = futureDate(value, timezone);
        return () => date;
      });
    }
  }
}

function futureDate(value: unknown, timezone: string): Date {
  try {
    const date = tryToParseDateTime(value, timezone).toJSDate();
    if (date.getTime() > Date.now()) return date;
  } catch {
    // It is no date at all.
  }
  const option = maxDateAndTime.displayName;
  throw new FailureError(failure('optionInvalid', { option, needed: 'a date and time in the future' }));
}
