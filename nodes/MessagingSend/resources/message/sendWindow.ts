import type { INodeProperties } from 'n8n-workflow';

import { isRecord } from '../../api/records';
import type { SendWindow } from '../../delivery/sendWindow';
import { failure, FailureError } from '../../failures/failure';
import { NOT_SET } from '../../n8n/input/drafts';
import { choiceField, type GivenOptions, readChoice, valuesIn } from '../../n8n/input/options';

export const sendWindow: INodeProperties = {
  displayName: 'Send Window',
  name: 'sendWindow',
  type: 'string',
  default: '09:00–20:00',
  placeholder: 'e.g. Mon–Fri 09:00–20:00',
  description:
    'When messages may be sent, such as Mon–Fri 09:00–20:00. Other messages are skipped, and their items say in send_at when they can be sent.',
};

/** The name of an option that the panel offers only beside 'Send Window'. */
export const sendWindowTimeZone = choiceField({
  displayName: 'Send Window Time Zone',
  name: 'sendWindowTimeZone',
  displayOptions: { show: { sendWindow: [{ _cnd: { exists: true } }] } },
  default: 'recipient',
  description: "Whose clock counts for 'Send Window'",
  choices: {
    recipient: [
      "Recipient's",
      "The time of the recipient's country. If it has several time zones, the window must be open in all of them.",
    ],
    workflow: ["Workflow's", "The time zone in the workflow's settings"],
  },
});

/** @returns null where the option isn't added */
export function readSendWindow(given: GivenOptions): SendWindow | null {
  const clock = readChoice(given, sendWindowTimeZone);
  const parse = (value: unknown): SendWindow | null => {
    if (value === NOT_SET) return null;
    const window = isRecord(value) ? oldWindowIn(valuesIn(value)) : windowIn(String(value), clock);
    if (window !== null) return window;
    const needed = 'a time span such as 09:00–20:00, Mon–Fri 09:00–20:00 or, past midnight, Sat 20:00–02:00';
    throw new FailureError(failure('optionInvalid', { option: sendWindow.displayName, needed }));
  };
  return given.get(sendWindow.name, sendWindow.displayName, null, parse, NOT_SET);
}

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

/** @returns null for a text that isn't a window */
function windowIn(text: string, clock: SendWindow['clock']): SendWindow | null {
  const words = text
    .trim()
    .replace(/\s*(?:[-–—]|\bto\b)\s*/g, '-')
    .split(/[\s,]+/);
  const [from = '', to = '', ...more] = words.pop()?.split('-') ?? [];
  const span = more.length === 0 ? spanOf(from, to) : null;
  const days = words.length === 0 ? EVERY_DAY : words.flatMap(daysIn);
  return span === null || days.includes(NO_DAY) ? null : { ...span, days: new Set(days), clock };
}

/** What workflows of 0.3 have: { from, to, days, timeZone }. */
function oldWindowIn(values: ReturnType<typeof valuesIn>): SendWindow | null {
  const { from = '09:00', to = '20:00', days = EVERY_DAY, timeZone: clock = 'recipient' } = values;
  const span = spanOf(String(from), String(to));
  const named: readonly unknown[] = Array.isArray(days) ? days : [];
  const opens = EVERY_DAY.filter((day) => named.includes(day));
  const areDays = opens.length > 0 && opens.length === new Set(named).size;
  const isClock = clock === 'recipient' || clock === 'workflow';
  return span !== null && span.from < span.to && areDays && isClock ? { ...span, days: new Set(opens), clock } : null;
}

/** In minutes of the day; past midnight, the end is before the start. */
function spanOf(start: string, end: string): Pick<SendWindow, 'from' | 'to'> | null {
  const [from, to] = [minuteOfDay(start), minuteOfDay(end)];
  return from === null || to === null || from === to || from === DAY ? null : { from, to };
}

const DAY = 24 * 60;

/** Reads 9:00, 09:00 or 24:00; null for anything else. */
function minuteOfDay(time: string): number | null {
  const [, hours, minutes] = /^(\d{1,2}):([0-5]\d)$/.exec(time.trim()) ?? [];
  const minute = Number(hours) * 60 + Number(minutes);
  return minute <= DAY ? minute : null;
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const NO_DAY = -1;

/** The days of `Mon` or `Fri-Mon`; {@link NO_DAY} for a word that isn't a day. */
function daysIn(word: string): readonly number[] {
  const [first = NO_DAY, last = first, ...more] = word.split('-').map(dayOf);
  if (more.length > 0 || first === NO_DAY || last === NO_DAY) return [NO_DAY];
  return EVERY_DAY.slice(0, ((last - first + 7) % 7) + 1).map((days) => (first + days) % 7);
}

function dayOf(word: string): number {
  const name = word.toLowerCase();
  return name.length < 3 ? NO_DAY : DAYS.findIndex((day) => day.startsWith(name));
}
