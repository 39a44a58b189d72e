import type { INodeProperties } from 'n8n-workflow';

import type { DeliveryOptions } from '../../delivery/options';
import { failure, FailureError } from '../../failures/failure';
import { choiceField, type GivenOptions, valuesIn, valuesOf } from '../../n8n/input/options';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DEFAULTS = { from: '09:00', to: '20:00', days: [1, 2, 3, 4, 5, 6, 0], timeZone: 'recipient' };

const timeZone = choiceField({
  displayName: 'Time Zone',
  name: 'timeZone',
  default: 'recipient',
  description: 'Whose clock counts',
  choices: {
    recipient: [
      "Recipient's",
      "The time of the recipient's country. If it has several time zones, the window must be open in all of them.",
    ],
    workflow: ["Workflow's", "The time zone in the workflow's settings"],
  },
});

export const sendWindow: INodeProperties = {
  displayName: 'Send Window',
  name: 'sendWindow',
  type: 'fixedCollection',
  default: { values: DEFAULTS },
  description:
    'When messages may be sent. A message outside this window is skipped, and its item says in send_at when it can be sent.',
  options: valuesOf(
    {
      displayName: 'Days',
      name: 'days',
      type: 'multiOptions',
      options: DEFAULTS.days.map((value) => ({ name: DAYS[value] ?? '', value })),
      default: [1, 2, 3, 4, 5, 6, 0],
      description: 'Days on which messages may be sent',
    },
    {
      displayName: 'From',
      name: 'from',
      type: 'string',
      default: '09:00',
      placeholder: 'e.g. 09:00',
      description: 'First minute in which messages may be sent, from 00:00 to 23:59',
    },
    timeZone,
    {
      displayName: 'To',
      name: 'to',
      type: 'string',
      default: '20:00',
      placeholder: 'e.g. 20:00',
      description: 'When messages may no longer be sent, up to 24:00',
    },
  ),
};

/** @returns null where the option is not added */
export function readSendWindow(given: GivenOptions): DeliveryOptions['sendWindow'] {
  return given.get(sendWindow.name, sendWindow.displayName, null, (value) => {
    if (value === undefined || value === '') return null;
    const values = { ...DEFAULTS, ...valuesIn(value) };
    const [from, to] = [minuteOfDay(values.from), minuteOfDay(values.to)];
    const days: unknown[] = Array.isArray(values.days) ? values.days : [];
    const { timeZone: clock } = values;
    const areDays = days.length > 0 && days.every((day) => Number.isInteger(day) && DAYS[Number(day)] !== undefined);
    const isClock = clock === 'recipient' || clock === 'workflow';
    if (from !== null && to !== null && from < to && areDays && isClock) {
      return { from, to, days: new Set(days.map(Number)), clock };
    }
    const needed = 'days, a time zone, and two times (such as 09:00 and 20:00), the earlier one first';
    throw new FailureError(failure('optionInvalid', { option: sendWindow.displayName, needed }));
  });
}

/** Reads 9:00, 09:00 or 24:00; null for anything else. */
function minuteOfDay(value: unknown): number | null {
  const [, hours, minutes] = /^\s*(\d{1,2}):([0-5]\d)\s*$/.exec(String(value)) ?? [];
  const minute = Number(hours) * 60 + Number(minutes);
  return minute <= 24 * 60 ? minute : null;
}
