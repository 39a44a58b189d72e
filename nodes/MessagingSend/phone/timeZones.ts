import { ZONE_TABLE } from './zoneTable';

interface Table {
  /** By what numbers begin with. */
  readonly zones: ReadonlyMap<string, readonly string[]>;
  readonly longestBeginning: number;
}

const NO_ZONES: readonly string[] = [];

let table: Table | undefined;

/**
 * The IANA time zones in which a number can be, one for each clock of its country, the capital's first; the same array
 * for each number of that country.
 * @param phone digits with country code
 * @returns none for a number that belongs to no country
 */
export function zonesOf(phone: string): readonly string[] {
  table ??= readTable();
  for (let length = table.longestBeginning; length > 0; length -= 1) {
    const zones = table.zones.get(phone.slice(0, length));
    if (zones !== undefined) return zones;
  }
  return NO_ZONES;
}

function readTable(): Table {
  const zones = new Map(
    ZONE_TABLE.trim()
      .split(/\s+/)
      .flatMap((entry) => {
        const [beginnings = '', names = ''] = entry.split(';');
        const zones = names.split(',');
        return beginnings.split(',').map((beginning) => [beginning, zones] as const);
      }),
  );
  return { zones, longestBeginning: Math.max(...[...zones.keys()].map(({ length }) => length)) };
}
