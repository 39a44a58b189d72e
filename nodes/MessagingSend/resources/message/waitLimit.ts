import { tryToParseDateTime, WAIT_INDEFINITELY } from 'n8n-workflow';

import { failure, FailureError } from '../../failures/failure';
import type { GivenOptions } from '../../n8n/input/readOptions';
import { textField } from '../../n8n/input/readOptions';

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
    const end = endAfter(limit) ?? endAt(limit, timezone);
    if (end !== null) return end;
    const needed = 'a time such as 45 minutes, 2 hours or 3 days, or a date and time in the future';
    throw new FailureError(failure('optionInvalid', { option, needed }));
  };
  return given.read(limitWaitTime, parse, FOREVER);
}

const MILLISECONDS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function endAfter(limit: unknown): (() => Date) | null {
  const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+?)s?\s*$/i.exec(String(limit)) ?? [];
  const milliseconds = Number(amount) * (MILLISECONDS[unit.toLowerCase()] ?? NaN);
  if (Number.isNaN(milliseconds)) return null;
  return () => new Date(Math.min(Date.now() + milliseconds, WAIT_INDEFINITELY.getTime()));
}

function endAt(limit: unknown, timezone: string): (() => Date) | null {
  // n8n reads 45 as a year.
  if (/^\s*\d{1,4}\s*$/.test(String(limit))) return null;
  try {
    const date = tryToParseDateTime(limit, timezone).toJSDate();
    return date.getTime() > Date.now() ? () => date : null;
  } catch {
    return null;
  }
}
