import { zonesOf } from '../phone/timeZones';

/** The hours in which messages may leave. */
export interface SendWindow {
  /** A minute of the day, inclusive. */
  readonly from: number;
  /** A minute of the day after `from`, exclusive; the end of the day is 1440 or 0. */
  readonly to: number;
  /** 0 is Sunday. */
  readonly days: ReadonlySet<number>;
}

/** Whose clock counts: that of the country that a number belongs to, or the workflow's. */
export type WindowClock = 'recipient' | 'workflow';

const MINUTE = 60_000;
/** These count minutes. */
const DAY = 24 * 60;
const WEEK = 7 * DAY;
const HORIZON = 2 * WEEK;

/** Tells when messages may leave. Moments are epoch milliseconds where they come in and go out, epoch minutes inside. */
export class Windows {
  private readonly window: SendWindow;
  private readonly fallback: readonly string[];
  private readonly clocks = new Map<string, ZoneClock>();
  /** The latest for each country: nearly all messages of a run ask for the same minute. */
  private readonly answers = new Map<readonly string[], Answer>();

  /** @param workflowZone for numbers that belong to no country, and with `workflow` for all */
  constructor(
    window: SendWindow,
    workflowZone: string,
    private readonly clock: WindowClock,
  ) {
    this.window = { ...window, to: window.to === 0 ? DAY : window.to };
    this.fallback = [workflowZone];
  }

  /**
   * Until when a message to this number has to wait; null if it may leave now. In a country with several clocks, it may
   * leave when all of them are inside the window; where they never are, when the capital's is.
   */
  closedUntil(phone: string, now: number): number | null {
    const own = this.clock === 'recipient' ? zonesOf(phone) : this.fallback;
    const opens = this.opensAt(own.length > 0 ? own : this.fallback, Math.floor(now / MINUTE));
    return opens * MINUTE <= now ? null : opens * MINUTE;
  }

  /** The first minute inside, from this one on. */
  private opensAt(zones: readonly string[], minute: number): number {
    const known = this.answers.get(zones);
    if (known !== undefined && known.from <= minute && minute <= known.until) return known.opens;
    const clocks = zones.map((zone) => this.clockIn(zone));
    const together = opensTogether(clocks, minute);
    // Which minute is the first stays true until then; whether there is one at all depends on the minute.
    const answer =
      together === null
        ? { from: minute, until: minute, opens: opensTogether(clocks.slice(0, 1), minute) ?? minute + HORIZON }
        : { from: minute, until: together, opens: together };
    this.answers.set(zones, answer);
    return answer.opens;
  }

  private clockIn(zone: string): ZoneClock {
    const known = this.clocks.get(zone);
    if (known !== undefined) return known;
    const made = new ZoneClock(zone, this.window);
    this.clocks.set(zone, made);
    return made;
  }
}

/** What is known for the minutes from `from` until `until`, both inclusive. */
interface Answer {
  readonly from: number;
  readonly until: number;
  readonly opens: number;
}

/** The first minute, from this one on, that is inside by all clocks; null if there is none in the next two weeks. */
function opensTogether(clocks: readonly ZoneClock[], from: number): number | null {
  const end = from + HORIZON;
  let minute = from;
  while (minute < end) {
    // No minute before the latest of these is inside by all clocks.
    const next = clocks.reduce((latest, clock) => clock.opensAt(latest, end), minute);
    if (next === minute) return minute;
    minute = next;
  }
  return null;
}

/** A time during which the clock of a zone is not changed. */
interface Period {
  /** How many minutes it is ahead of UTC. */
  readonly offset: number;
  readonly until: number;
}

type PeriodsOfDay = readonly [Period, ...Period[]];

/** The window by the clock of one zone. */
class ZoneClock {
  private readonly periods = new Map<number, PeriodsOfDay>();

  constructor(
    private readonly zone: string,
    private readonly window: SendWindow,
  ) {}

  /** The first minute inside, from this one on; `end` if there is none before it. */
  opensAt(minute: number, end: number): number {
    const { from, to, days } = this.window;
    let at = minute;
    while (at < end) {
      const { offset, until } = this.periodAt(at);
      const local = at + offset;
      const day = Math.floor(local / DAY);
      const midnight = day * DAY;
      const isOpenToday = days.has(weekdayOf(day)) && local < midnight + to;
      const next = (isOpenToday ? Math.max(local, midnight + from) : midnight + DAY) - offset;
      if (isOpenToday && next < until) return Math.min(next, end);
      at = Math.min(next, until);
    }
    return end;
  }

  private periodAt(minute: number): Period {
    const day = Math.floor(minute / DAY);
    let periods = this.periods.get(day);
    if (periods === undefined) {
      periods = this.periodsOf(day * DAY, (day + 1) * DAY);
      this.periods.set(day, periods);
    }
    return periods.find(({ until }) => minute < until) ?? periods[0];
  }

  /** A day of UTC has one, or two if the clock is changed in it. */
  private periodsOf(start: number, end: number): PeriodsOfDay {
    const [offset, later] = [offsetIn(this.zone, start), offsetIn(this.zone, end)];
    if (offset === later) return [{ offset, until: end }];
    let [before, after] = [start, end];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetIn(this.zone, middle) === offset) before = middle;
      else after = middle;
    }
    return [
      { offset, until: after },
      { offset: later, until: end },
    ];
  }
}

/** The epoch began on a Thursday. */
function weekdayOf(day: number): number {
  return (day + 4) % 7;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How many minutes the clock of a zone is ahead of UTC. */
function offsetIn(zone: string, minute: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  // Such as "3/1/2026, GMT+05:30", or GMT alone.
  const [, sign = '+', hours = 0, minutes = 0] = /GMT(?:([+-])(\d+):(\d+))?/.exec(format.format(minute * MINUTE)) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
