import { tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { asText } from '../../api/objects';
import { failure, FailureError } from '../../failures/failure';
import { type GivenOptions, textField } from '../../n8n/input/readOptions';

/** With the name that it has in n8n's own nodes. */
export const limitWaitTime = textField('Limit Wait Time', 'limitWaitTime', {
  default: '45 minutes',
  placeholder: 'e.g. 45 minutes, 2 hours, 3 days or 2027-01-31 18:00',
  description:
    'How long to wait for an answer, such as 45 minutes or 3 days, or until when. Then the execution continues with the input items of this node.',
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
    const needed = 'a time such as 45 minutes, 2 hours or 3 days, or a date in the future such as 2027-01-31 18:00';
    throw new FailureError(failure('optionInvalid', { option, needed }));
  };
  return given.read(limitWaitTime, parse, FOREVER);
}

const MILLISECONDS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Nobody knows which month 01/02/2027 means, and n8n reads 45 as a year. */
const ISO = /^\s*\d{4}-\d\d-\d\d(?:[T ]|\s*$)/;

function dateIn(limit: unknown, timezone: string): Date | null {
  try {
    const isGuess = typeof limit !== 'object' && !ISO.test(asText(limit));
    return isGuess ? null : tryToParseDateTime(limit, timezone).toJSDate();
  } catch {
    return null;
  }
}
