import { countryOf } from './country';
import { ZONE_TABLE } from './zoneTable';

/** A country code and five digits after it: no beginning in the table is longer. */
const LONGEST_BEGINNING = 8;

let table: Map<string, readonly string[]> | undefined;

/**
 * The IANA time zones in which a number can be: one for each clock of its country, the capital's first. All numbers of
 * a country share one array.
 * @param phone digits with country code
 * @returns none if the number belongs to no country
 */
export function zonesOf(phone: string): readonly string[] {
  table ??= new Map(
    ZONE_TABLE.trim()
      .split(/\s+/)
      .flatMap((entry) => {
        const [beginnings = '', names = ''] = entry.split(';');
        const zones = names.split(',');
        return beginnings.split(',').map((beginning) => [beginning, zones] as const);
      }),
  );
  for (let length = LONGEST_BEGINNING; length > 0; length -= 1) {
    const zones = table.get(phone.slice(0, length));
    if (zones !== undefined) return zones;
  }
  const { code = '', regions: [region] = [] } = countryOf(phone) ?? {};
  const zones = region === undefined ? [] : zonesIn(region).slice(0, 1);
  table.set(code, zones);
  return zones;
}

/** What the JavaScript engine knows: before Node 23, a property has it, then a method. */
function zonesIn(region: string): readonly string[] {
  const locale: Intl.Locale & { readonly getTimeZones?: () => string[]; readonly timeZones?: string[] } =
    new Intl.Locale(`und-${region}`);
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}
