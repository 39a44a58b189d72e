import { tz } from 'moment-timezone';

import { Windows } from '../../nodes/MessagingSend/delivery/sendWindow';
import { zonesOf } from '../../nodes/MessagingSend/phone/timeZones';
import { readDeliveryOptions } from '../../nodes/MessagingSend/resources/message/deliveryOptions';
import { ZONES_FILE, zonesFile } from '../../tools/numbering/zones';
import { readProjectFile } from '../../tools/project';
import { EXAMPLES } from '../support/phoneWritings';
import { givenOptions } from './samples';

const UK = '447700900123';
const US = '12125550123';
const RUSSIA = '79161234567';
const INDIA = '919876543210';
const NEPAL = '9779841234567';

const windowsIn = (sendWindow: string) => readDeliveryOptions(givenOptions({ sendWindow })).sendWindows ?? [];

/** When a message may leave: at once, or the moment in UTC. */
function leaving(windows: Windows, phone: string, now: string): string {
  const until = windows.closedUntil(phone, Date.parse(now));
  return until === null ? 'now' : new Date(until).toISOString().slice(0, 16);
}
const opening = (sendWindow: string, phone: string, now: string) =>
  leaving(new Windows(windowsIn(sendWindow), ['Europe/Berlin']), phone, now);

const DAYTIME = '09:00–20:00';
const SHOP_HOURS = 'Mon–Fri 09:00–20:00, Sat 10:00–14:00';

test.each([
  // 5.5 hours ahead of UTC.
  ['in its last second', DAYTIME, INDIA, '2026-06-10T14:29:59.999Z', 'now'],
  ['at its end', DAYTIME, INDIA, '2026-06-10T14:30:00Z', '2026-06-11T03:30'],
  // 09:00 in Honolulu and Adak is 15:00 in New York; 20:00 in Newfoundland is 18:30 there.
  ['where a part of a country is past it', DAYTIME, US, '2026-07-08T22:30:00Z', '2026-07-09T19:00'],
  ["that is never open everywhere: Moscow's clock", '10:00–18:00', RUSSIA, '2026-06-10T05:00:00Z', '2026-06-10T07:00'],
  ['on a day that has begun there alone', 'Mon 00:00–24:00', INDIA, '2026-06-07T18:30:00Z', 'now'],
  ['on Saturday after the second of two windows', SHOP_HOURS, UK, '2026-06-13T13:00:00Z', '2026-06-15T08:00'],
  ['on Saturday in the second of two windows', SHOP_HOURS, UK, '2026-06-13T12:59:00Z', 'now'],
  // Clocks in the UK are put forward on 29 March 2026 at 01:00 UTC, back on 25 October at 01:00 UTC.
  ['in an hour that a day lacks', '01:00–02:00', UK, '2026-03-29T00:59:00Z', '2026-03-30T00:00'],
  ['in an hour that a day has twice', '01:00–02:00', UK, '2026-10-25T01:59:00Z', 'now'],
  // From Saturday night to Sunday morning; Nepal is 5:45 hours ahead of UTC.
  ['that ends on the next day, on that day', 'Sat 22:00–04:00', UK, '2026-06-14T02:59:00Z', 'now'],
  ['that ends on the next day, on the day after', 'Sat 22:00–04:00', UK, '2026-06-14T03:00:00Z', '2026-06-20T21:00'],
  ['where clocks are quarters of an hour apart', DAYTIME, NEPAL, '2026-06-10T03:14:00Z', '2026-06-10T03:15'],
  ['in the hour that its only day lacks', 'Sun 01:00–02:00', UK, '2026-03-22T02:00:00Z', '2026-04-05T00:00'],
  ['on the first day with another clock', DAYTIME, UK, '2026-10-25T01:00:00Z', '2026-10-25T09:00'],
  ['past the change of half of its clocks', DAYTIME, US, '2026-03-07T23:59:00Z', '2026-03-08T19:00'],
])('A window %s', (_, window, phone, now, expected) => {
  expect(opening(window, phone, now)).toBe(expected);
});

test('An answer never depends on earlier questions', () => {
  const moments = ['2026-06-10T07:00:00Z', '2026-06-10T08:00:00Z', '2026-06-10T23:00:00Z', '2026-06-10T07:00:00Z'];
  const all = new Windows(windowsIn(DAYTIME), ['Europe/Berlin']);
  for (const phone of [UK, US, INDIA, UK])
    for (const now of moments)
      expect([phone, now, leaving(all, phone, now)]).toEqual([phone, now, opening(DAYTIME, phone, now)]);
});

const SUMMER_AND_WINTER = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/** What a zone's clock shows, in summer and in winter. */
const clockOf = (zone: string): string => SUMMER_AND_WINTER.map((moment) => tz.zone(zone)?.utcOffset(moment)).join();

test('The table of time zones matches its sources; `npm run numbering` updates it', () => {
  expect(readProjectFile(ZONES_FILE)).toBe(zonesFile());
});

test('Node knows every time zone of a number', () => {
  const zones = new Set(EXAMPLES.flatMap(({ number }) => zonesOf(number.slice(1))));
  expect(zones.size).toBeGreaterThan(250);
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
  expect(zonesOf(INDIA)).toBe(zonesOf(`${INDIA.slice(0, -1)}1`));
});
