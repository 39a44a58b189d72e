import { tz } from 'moment-timezone';

import { zonesOf } from '../../nodes/MessagingSend/phone/timeZones';
import { ZONE_TABLE } from '../../nodes/MessagingSend/phone/zoneTable';
import { ZONES_FILE, zonesFile } from '../../tools/numbering/zones';
import { readProjectFile } from '../../tools/project';
import { EXAMPLES } from '../support/phoneWritings';

const SUMMER_AND_WINTER = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/** What a zone's clock shows, in summer and in winter. */
function clockOf(zone: string): string {
  return SUMMER_AND_WINTER.map((moment) => tz.zone(zone)?.utcOffset(moment)).join();
}

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
