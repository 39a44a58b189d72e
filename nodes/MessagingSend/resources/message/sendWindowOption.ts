import type { SendWindow } from '../../delivery/sendWindow';
import { failure, FailureError } from '../../failures/failure';
import { textField } from '../../n8n/input/readOptions';

export const sendWindow = textField('Send Window', 'sendWindow', {
  default: '09:00–20:00',
  placeholder: 'e.g. Mon–Fri 09:00–20:00',
  description:
    "When messages may be sent, by the clock of the recipient's country. Other messages are skipped, and their items say in send_at when they can be sent.",
});

/** @throws FailureError for anything but a window: an empty one would let every message leave */
export function sendWindowIn(value: unknown): SendWindow {
  const window = windowIn(String(value));
  if (window !== null) return window;
  const needed = 'a time span such as 09:00–20:00, Mon–Fri 09:00–20:00 or, past midnight, Sat 20:00–02:00';
  throw new FailureError(failure('optionInvalid', { option: sendWindow.displayName, needed }));
}

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

/** @returns null for a text that isn't a window */
function windowIn(text: string): SendWindow | null {
  const words = text
    .trim()
    .replace(/\s*(?:[-–—]|\bto\b)\s*/g, '-')
    .split(/[\s,]+/);
  const [from = '', to = '', ...more] = words.pop()?.split('-') ?? [];
  const span = more.length === 0 ? spanOf(from, to) : null;
  const days = words.length === 0 ? EVERY_DAY : words.flatMap(daysIn);
  return span === null || days.includes(NO_DAY) ? null : { ...span, days: new Set(days) };
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
