import fc from 'fast-check';
import { tz } from 'moment-timezone';

import { type SendWindow, Windows } from '../../nodes/MessagingSend/delivery/sendWindow';
import { zonesOf } from '../../nodes/MessagingSend/phone/timeZones';
import { ZONE_TABLE } from '../../nodes/MessagingSend/phone/zoneTable';
import { ZONES_FILE, zonesFile } from '../../tools/numbering/zones';
import { readProjectFile } from '../../tools/project';
import { EXAMPLES } from '../support/phoneWritings';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const MONDAY = [1];
const UK = '447700900123';
const US = '12125550123';
const RUSSIA = '79161234567';
const INDIA = '919876543210';

function windowOf(from: string, to: string, days: readonly number[] = EVERY_DAY): SendWindow {
  const [fromMinute, toMinute] = [from, to].map((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    return hours * 60 + minutes;
  });
  return { from: fromMinute ?? 0, to: toMinute ?? 0, days: new Set(days) };
}

/** When a message may leave: at once, or the moment in UTC. */
function opening(windows: SendWindow | SendWindow[], phone: string, now: string): string {
  const until = new Windows([windows].flat(), ['Europe/Berlin']).closedUntil(phone, Date.parse(now));
  return until === null ? 'now' : new Date(until).toISOString().slice(0, 16);
}

const DAYTIME = windowOf('09:00', '20:00');
const SHORT = windowOf('10:00', '18:00');
const SHOP_HOURS = [windowOf('09:00', '20:00', [1, 2, 3, 4, 5]), windowOf('10:00', '14:00', [6])];

test.each([
  // 5.5 hours ahead of UTC.
  ['in its last second', DAYTIME, INDIA, '2026-06-10T14:29:59.999Z', 'now'],
  ['at its end', DAYTIME, INDIA, '2026-06-10T14:30:00Z', '2026-06-11T03:30'],
  // 09:00 in Honolulu and Adak is 15:00 in New York; 20:00 in Newfoundland is 18:30 there.
  ['where a part of a country is past it', DAYTIME, US, '2026-07-08T22:30:00Z', '2026-07-09T19:00'],
  ["that is never open everywhere: Moscow's clock", SHORT, RUSSIA, '2026-06-10T05:00:00Z', '2026-06-10T07:00'],
  ['on a day that has begun there alone', windowOf('00:00', '24:00', MONDAY), INDIA, '2026-06-07T18:30:00Z', 'now'],
  ['on Saturday after the second of two windows', SHOP_HOURS, UK, '2026-06-13T13:00:00Z', '2026-06-15T08:00'],
  ['on Saturday in the second of two windows', SHOP_HOURS, UK, '2026-06-13T12:59:00Z', 'now'],
  // Clocks in the UK are put forward on 29 March 2026 at 01:00 UTC, back on 25 October at 01:00 UTC.
  ['in an hour that a day lacks', windowOf('01:00', '02:00'), UK, '2026-03-29T00:59:00Z', '2026-03-30T00:00'],
  ['in an hour that a day has twice', windowOf('01:00', '02:00'), UK, '2026-10-25T01:59:00Z', 'now'],
])('A window %s', (_, window, phone, now, expected) => {
  expect(opening(window, phone, now)).toBe(expected);
});

const shifts = fc.constantFrom(60_000, -60_000, -3_600_000, -12 * 3_600_000);

test("A window opens in the first minute that is inside in all zones, or else in the capital's zone", () => {
  fc.assert(
    fc.property(windows(), phones(), moments(), shifts, (window, phone, now, shift) => {
      const all = new Windows([window], ['Europe/Berlin']);
      // An answer never depends on earlier questions.
      all.closedUntil(UK, now);
      all.closedUntil(phone, now + shift);
      const until = all.closedUntil(phone, now);
      const zones = zonesOf(phone);
      const minute = now - (now % 60_000);
      const expected = firstInside(zones, window, minute) ?? firstInside(zones.slice(0, 1), window, minute);
      expect(until ?? minute).toBe(expected);
    }),
    { numRuns: 150 },
  );
}, 60_000);

function phones(): fc.Arbitrary<string> {
  const others = ['9779841234567', '61412345678', '34612345678', '5511987654321', '6421123456', '212612345678'];
  return fc.constantFrom(UK, US, RUSSIA, INDIA, '96171123456', ...others);
}

/** Within days of a change of many clocks, or any. */
function moments(): fc.Arbitrary<number> {
  const changes = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01', '2027-02-07'];
  const nearby = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -4 * 86_400_000, max: 2 * 86_400_000 }))
    .map(([day, after]) => Date.parse(day) + after);
  return fc.oneof(nearby, fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) }));
}

function windows(): fc.Arbitrary<SendWindow> {
  const quarters = fc.tuple(fc.integer({ min: 0, max: 95 }), fc.integer({ min: 0, max: 96 }));
  const days = fc.oneof(fc.constant(EVERY_DAY), fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }));
  const spans = quarters.filter(([from, to]) => from !== to);
  return fc.tuple(spans, days).map(([[from, to], days]) => {
    return { from: from * 15, to: to * 15, days: new Set(days) };
  });
}

/** Checks each minute of two weeks on a wall clock. */
function firstInside(zones: readonly string[], window: SendWindow, from: number): number | null {
  const walls = zones.map(
    (timeZone) =>
      new Intl.DateTimeFormat('en-US', {
        timeZone,
        weekday: 'short',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
  );
  const isInside = (wall: Intl.DateTimeFormat, moment: number) => {
    const [, weekday = '', hours, minutes] = /^(\w+),? (\d+):(\d+)$/.exec(wall.format(moment)) ?? [];
    const minute = Number(hours) * 60 + Number(minutes);
    const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(weekday);
    // A window of a whole day is as long as a day; one that ends before it starts ends on the next day.
    const length = (window.to - window.from + 1440) % 1440 || 1440;
    const sinceOpening = (open: number) => ((day - open) * 1440 + minute - window.from + 2 * 7 * 1440) % (7 * 1440);
    return [...window.days].some((open) => sinceOpening(open) < length);
  };
  for (let moment = from; moment < from + 14 * 86_400_000; moment += 60_000) {
    if (walls.every((wall) => isInside(wall, moment))) return moment;
  }
  return null;
}

const SUMMER_AND_WINTER = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/** What a zone's clock shows, in summer and in winter. */
const clockOf = (zone: string): string => SUMMER_AND_WINTER.map((moment) => tz.zone(zone)?.utcOffset(moment)).join();

test('The table of time zones matches its sources; `npm run numbering` updates it', () => {
  expect(readProjectFile(ZONES_FILE)).toBe(zonesFile());
});

test('Node knows every time zone of the table', () => {
  const zones = ZONE_TABLE.match(/[A-Z]\w+\/[\w/-]+/g) ?? [];
  expect(zones.length).toBeGreaterThan(250);
  for (const timeZone of zones) expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
});

test('A number has each clock of its country, for an example of every region', () => {
  const missing = EXAMPLES.flatMap(({ number, country = '' }) => {
    const clocks = zonesOf(number.slice(1)).map(clockOf);
    const expected = country in { AC: 1, TA: 1, XK: 1 } ? [] : tz.zonesForCountry(country);
    return expected.filter((zone) => !clocks.includes(clockOf(zone))).map((zone) => `${country}: ${zone}`);
  });
  expect(missing).toEqual([]);
});

test.each([
  ['447700900123', ['Europe/London']],
  ['77011234567', ['Asia/Almaty']],
  ['18765550123', ['America/Jamaica']],
  ['38344123456', ['Europe/Belgrade']],
  ['34612345678', ['Europe/Madrid', 'Atlantic/Canary']],
])('%s is in %j', (phone, zones) => {
  expect(zonesOf(phone)).toEqual(zones);
});

test('All numbers of a country get the same array, so that answers can be kept for it', () => {
  expect(zonesOf('12125550123')).toBe(zonesOf('14165550123'));
  expect(zonesOf('18095550123')).toBe(zonesOf('18295550123'));
});
