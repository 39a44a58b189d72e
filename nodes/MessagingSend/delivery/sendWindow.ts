import { zonesOf } from '../phone/timeZones';

/** Hours in which messages may leave, by the recipient's clock. */
export interface SendWindow {
  /** A minute of the day, inclusive. */
  readonly from: number;
  /** A minute of the day, exclusive, at most 1440; before `from`, it is on the next day. */
  readonly to: number;
  /** The days on which it opens; 0 is Sunday. */
  readonly days: ReadonlySet<number>;
}

const MINUTE = 60_000;
/** In minutes, as are the next two. */
const DAY = 24 * 60;
const HORIZON = 14 * DAY;
/** Clocks change only at full and half hours of UTC. */
const HALF_HOUR = 30;

/** Tells when messages may leave. Moments are epoch milliseconds outside this class, epoch minutes inside. */
export class Windows {
  /** The latest answer for each country: nearly all messages of a run ask for the same minute. */
  private readonly answers = new Map<readonly string[], { readonly minute: number; readonly opens: number }>();

  /** @param workflowZone a single zone, for numbers that belong to no country */
  constructor(
    private readonly windows: readonly SendWindow[],
    private readonly workflowZone: readonly string[],
  ) {}

  /**
   * Until when a message to this number has to wait; null if it may leave now. In a country with several clocks, a
   * window must be open on all of them; if it never is, on the capital's.
   */
  closedUntil(phone: string, now: number): number | null {
    const own = zonesOf(phone);
    const zones = own.length > 0 ? own : this.workflowZone;
    const minute = Math.floor(now / MINUTE);
    let answer = this.answers.get(zones);
    if (answer?.minute !== minute) {
      const opens = this.firstInside(zones, minute) ?? this.firstInside(zones.slice(0, 1), minute) ?? minute + HORIZON;
      this.answers.set(zones, (answer = { minute, opens }));
    }
    return answer.opens <= minute ? null : answer.opens * MINUTE;
  }

  /** The first minute, from this one on, inside by all clocks; null if there is none in the next two weeks. */
  private firstInside(zones: readonly string[], from: number): number | null {
    let offsets: number[] = [];
    for (let minute = from; minute < from + HORIZON; minute += 1) {
      if (minute === from || minute % HALF_HOUR === 0) offsets = zones.map((zone) => offsetIn(zone, minute * MINUTE));
      if (offsets.every((offset) => this.isInside(minute + offset))) return minute;
    }
    return null;
  }

  /** @param local a minute of a clock */
  private isInside(local: number): boolean {
    const time = local % DAY;
    // The epoch began on a Thursday.
    const day = (Math.floor(local / DAY) + 4) % 7;
    return this.windows.some(({ from, to, days }) => {
      if (from < to) return from <= time && time < to && days.has(day);
      return (from <= time && days.has(day)) || (time < to && days.has((day + 6) % 7));
    });
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How many minutes a zone's clock is ahead of UTC. @param moment in milliseconds since 1970 */
function offsetIn(timeZone: string, moment: number): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  // Such as "3/1/2026, GMT+05:30"; GMT alone for 0.
  const [, sign = '+', hours = 0, minutes = 0] = /GMT(?:([+-])(\d+):(\d+))?/.exec(format.format(moment)) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
