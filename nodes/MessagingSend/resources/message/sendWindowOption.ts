import type { SendWindow } from '../../delivery/sendWindow';
import { failure, FailureError } from '../../failures/failure';
import { textField } from '../../n8n/input/readOptions';

export const sendWindow = textField('Send Window', 'sendWindow', {
  default: '09:00–20:00',
  placeholder: 'e.g. Mon–Fri 09:00–20:00, Sat 10:00–14:00',
  description:
    "When messages may be sent, by the clock of the recipient's country. Other messages are skipped, and their items say in send_at when they can be sent.",
});

/** @throws FailureError for anything but windows: an empty one would let every message leave */
export function sendWindowsIn(value: unknown): readonly SendWindow[] {
  const spans = String(value).trim().split(BETWEEN_WINDOWS);
  const windows = spans.map(windowIn).filter((window) => window !== null);
  // Beside a window with days, one without could be meant for the same days.
  const withDays = spans.filter((span) => /^[a-z]/i.test(span)).length;
  if (windows.length === spans.length && [0, spans.length].includes(withDays)) return windows;
  const needed =
    'time spans such as 09:00–20:00, Mon–Fri 09:00–20:00, Sat 10:00–14:00 or, past midnight, Sat 20:00–02:00';
  throw new FailureError(failure('optionInvalid', { option: sendWindow.displayName, needed }));
}

/** Days are separated by commas, too. */
const BETWEEN_WINDOWS = /(?<=:\d\d)\s*[,;\n]\s*(?!$)/;

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const NO_DAY = -1;

/** @returns null for a text that isn't one window; past midnight, the end is before the start */
function windowIn(text: string): SendWindow | null {
  const words = text.trim().replace(/\s*(?:[-–—]|\bto\b)\s*/g, '-');
  const [, names = 'sun-sat', ...times] = /^(?:(.+?)[\s,]+)?(\d\d?):([0-5]\d)-(\d\d?):([0-5]\d)$/.exec(words) ?? [];
  const [fromHour = NaN, fromMinute = NaN, toHour = NaN, toMinute = NaN] = times.map(Number);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  const days = names.split(/[\s,]+/).flatMap(daysIn);
  const isWindow = from < 24 * 60 && to <= 24 * 60 && from !== to && !days.includes(NO_DAY);
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
