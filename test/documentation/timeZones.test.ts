import metadata from 'libphonenumber-js/metadata.max.json';

import { type SendWindow, Windows } from '../../nodes/MessagingSend/delivery/sendWindow';
import { zonesOf } from '../../nodes/MessagingSend/phone/timeZones';
import { asArray, asObject } from '../../tools/json';
import { table } from './pages';

const EVERY_DAY = new Set([0, 1, 2, 3, 4, 5, 6]);
const LONG: SendWindow = { from: 9 * 60, to: 20 * 60, days: EVERY_DAY, clock: 'workflow' };
const SHORT: SendWindow = { from: 10 * 60, to: 18 * 60, days: EVERY_DAY, clock: 'workflow' };

const QUARTER = 15 * 60_000;
const DAYS = Array.from({ length: 12 }, (_, month) => Date.UTC(2027, month, 15));

test('The page about phone numbers says how long a window is open in countries with several clocks', () => {
  const countries = Object.entries(metadata.country_calling_codes)
    .map(([code, regions]) => ({ name: nameOf(regions), zones: zonesOf(code) }))
    .filter(({ zones }) => zones.length > 1)
    .map(({ name, zones }) => ({ name, long: fewestHours(zones, LONG), short: fewestHours(zones, SHORT) }))
    .sort((a, b) => a.long - b.long || (a.name < b.name ? -1 : 1));
  const rows = new Map<string, string[]>();
  for (const { name, long, short } of countries) {
    const hours = `${long} h | ${short === 0 ? 'none' : `${short} h`}`;
    rows.set(hours, [...(rows.get(hours) ?? []), name]);
  }
  const written = table('docs/phone-numbers.md', 'time-zones', 'Numbers of').rows;
  expect(written.map((row) => row.map(({ text }) => text).join(' | '))).toEqual(
    [...rows].map(([hours, names]) => `${names.join(', ')} | ${hours}`),
  );
});

/** Of the countries whose numbers can't be told apart. */
function nameOf(regions: readonly string[]): string {
  const hasOwnDigits = (region: string) => asArray(asObject(metadata.countries, 'countries')[region], region)[10] !== 0;
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  const main = regions.filter((region, index) => index === 0 || !hasOwnDigits(region));
  return main.map((region) => names.of(region) ?? region).join(' + ');
}

/** On the 15th of each month. */
function fewestHours(zones: readonly string[], window: SendWindow): number {
  const clocks = zones.map((zone) => new Windows(window, zone));
  const quarters = Array.from({ length: 96 }, (_, index) => index * QUARTER);
  const isOpen = (moment: number) => clocks.every((clock) => clock.closedUntil('', moment) === null);
  return Math.min(...DAYS.map((day) => quarters.filter((quarter) => isOpen(day + quarter)).length / 4));
}
