import { tz } from 'moment-timezone';

import { CAPITALS, TOO_NEW, WITHOUT_ENTRY } from './capitals';
import { byFirstDigit, METADATA } from './plan';

/** The time zones of numbers, where JavaScript alone doesn't know them. */
export const ZONES_FILE = 'nodes/MessagingSend/phone/zoneTable.ts';

/** The contents of ZONES_FILE, made from libphonenumber-js's metadata and the time zones in moment-timezone. */
export function zonesFile(): string {
  const lines = Object.entries(METADATA.country_calling_codes).flatMap(([code, names]) =>
    linesOf(code, names.map(regionNamed)),
  );
  return `${HEADER}export const ZONE_TABLE = \`\n${byFirstDigit(lines)}\n\`;\n`;
}

const HEADER = `// Written by \`npm run numbering\` from libphonenumber-js's metadata and moment-timezone's time zones.

/**
 * For each country code with several clocks or unknown to JavaScript, and each region with other clocks that its first
 * digits identify: those digits; the time zones, one for each clock, the capital's first. JavaScript knows the rest.
 */
`;

type Region = ReturnType<typeof regionNamed>;

function regionNamed(name: string) {
  const digits = METADATA.countries[name]?.[10];
  /** `leadingDigits`: the pattern of the first digits after the country code; empty if other regions share them. */
  return { name, leadingDigits: typeof digits === 'string' ? digits : '' };
}

function linesOf(code: string, regions: readonly Region[]): string[] {
  const main = regions.filter(({ leadingDigits }, index) => index === 0 || leadingDigits === '');
  const zones = oneForEachClock(main.map(({ name }) => name));
  const others = regions.flatMap(({ name, leadingDigits }) => {
    const own = oneForEachClock([name]);
    const isOther = leadingDigits !== '' && clocksOf(own) !== clocksOf(zones);
    return isOther ? [`${beginningsOf(code, leadingDigits).join(',')};${own.join(',')}`] : [];
  });
  const isKnownToEngine = zones.length === 1 && regions.every(({ name }) => !(name in WITHOUT_ENTRY));
  return isKnownToEngine ? others : [`${code};${zones.join(',')}`, ...others];
}

/** @param regions the main one first */
function oneForEachClock(regions: readonly string[]): string[] {
  const all = regions.flatMap(zonesOf);
  const capital = capitalOf(regions[0] ?? '');
  const others = [...new Set(all.map(clockOf))]
    .filter((clock) => clock !== clockOf(capital))
    .map((clock) => mainOf(all.filter((zone) => clockOf(zone) === clock)));
  return [capital, ...others.sort()];
}

/** The capital's zone, or any zone of a region with one clock. */
function capitalOf(region: string): string {
  const zones = zonesOf(region);
  if (new Set(zones.map(clockOf)).size === 1) return mainOf(zones);
  const capital = CAPITALS[region];
  if (capital === undefined || !zones.includes(capital))
    throw new Error(`${region} has several clocks: name its capital's`);
  return capital;
}

function zonesOf(region: string): string[] {
  const without = WITHOUT_ENTRY[region];
  const zones = without === undefined ? tz.zonesForCountry(region) : [without];
  if (zones.length === 0) throw new Error(`${region} has no time zone`);
  return zones;
}

/** Of zones with the same clock, the one with most people, then the one in the fewest other countries. */
function mainOf(zones: readonly string[]): string {
  const known = zones.filter((name) => !TOO_NEW.has(name)).map(zoneNamed);
  const [main] = known.sort(
    (a, b) => b.population - a.population || a.countries().length - b.countries().length || (a.name < b.name ? -1 : 1),
  );
  if (main === undefined) throw new Error(`No version of Node knows ${zones.join(', ')}`);
  return main.name;
}

function zoneNamed(name: string): NonNullable<ReturnType<typeof tz.zone>> {
  const zone = tz.zone(name);
  if (zone === null) throw new Error(`There is no time zone ${name}`);
  return zone;
}

/** Zones whose clocks agree in these years count as one. Taken from the data, so that every build is the same. */
const FIRST_YEAR = Number.parseInt(tz.dataVersion, 10);
const YEARS = { from: Date.UTC(FIRST_YEAR, 0, 1), until: Date.UTC(FIRST_YEAR + 3, 0, 1) };

function clockOf(name: string): string {
  const { untils, offsets } = zoneNamed(name);
  const isRelevant = (_: unknown, index: number) =>
    (untils[index] ?? Infinity) > YEARS.from && (untils[index - 1] ?? -Infinity) < YEARS.until;
  const periods = offsets.map((offset, index) => ({ offset, from: Math.max(untils[index - 1] ?? 0, YEARS.from) }));
  const relevant = periods.filter(isRelevant);
  // A new name alone, such as EST for CST, doesn't change the clock.
  const changes = relevant.filter(({ offset }, index) => offset !== relevant[index - 1]?.offset);
  return changes.map(({ offset, from }) => `${offset}@${from}`).join();
}

function clocksOf(zones: readonly string[]): string {
  return zones.map(clockOf).sort().join(';');
}

/** The digits, with country code, that a pattern of first digits matches. */
function beginningsOf(code: string, pattern: string): string[] {
  const expression = new RegExp(`^(?:${pattern})`);
  const startingWith = (digits: string): string[] => {
    if (expression.test(digits)) return [code + digits];
    return digits.length === MAX_DIGITS ? [] : Array.from('0123456789').flatMap((next) => startingWith(digits + next));
  };
  const beginnings = startingWith('');
  if (beginnings.length === 0) throw new Error(`No digits found for ${pattern}`);
  return beginnings;
}

/** No pattern of first digits is longer. */
const MAX_DIGITS = 5;
