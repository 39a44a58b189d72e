import { tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { failure, FailureError } from '../../failures/failure';
import { type GivenOptions, textField } from '../../n8n/input/readOptions';

/** With the name that it has in n8n's own nodes. */
export const limitWaitTime = textField('Limit Wait Time', 'limitWaitTime', {
  default: '45 minutes',
  placeholder: 'e.g. 45 minutes, 2 hours, 3 days or 2027-01-31 18:00',
  description:
    'How long to wait for an answer, such as 45 minutes or 3 days, or a date and time. Then the execution continues with the input items of this node.',
});

export const FOREVER = () => WAIT_INDEFINITELY;

/**
 * @param timezone of a date that names none
 * @returns when a wait that begins now ends
 */
export function readWaitLimit(given: GivenOptions, timezone: string): () => Date {
  const parse = (limit: unknown, _field: unknown, option: string) => {
    const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+?)s?\s*$/i.exec(String(limit)) ?? [];
    const milliseconds = Number(amount) * (MILLISECONDS[unit.toLowerCase()] ?? NaN);
    if (!Number.isNaN(milliseconds))
      return () => new Date(Math.min(Date.now() + milliseconds, WAIT_INDEFINITELY.getTime()));
    const date = dateIn(limit, timezone);
    if (date !== null && date.getTime() > Date.now()) return () => date;
    const needed = 'a time such as 45 minutes, 2 hours or 3 days, or a date and time in the future';
    throw new FailureError(failure('optionInvalid', { option, needed }));
  };
  return given.read(limitWaitTime, parse, FOREVER);
}

const MILLISECONDS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function dateIn(limit: unknown, timezone: string): Date | null {
  try {
    // n8n reads 45 as a year.
    return /^\s*\d{1,4}\s*$/.test(String(limit)) ? null : tryToParseDateTime(limit, timezone).toJSDate();
  } catch {
    return null;
  }
}
