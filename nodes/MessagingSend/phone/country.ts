import { NUMBERING_PLAN } from './numberingPlan';

/** What is known of the phone numbers of one country code. */
export interface Country {
  readonly code: string;
  /** Two letters each, the main one first; empty for a code that belongs to no country. */
  readonly regions: readonly string[];
  /** How many digits can follow the code, within the API's limits. */
  readonly lengths: readonly number[];
  /** The prefix dialed inside the country; empty if there is none. */
  readonly trunk: string;
  /** Matches everything that is dialed before a number inside the country, such as a carrier's code. */
  readonly prefix: RegExp;
  /** Matches the country's international prefixes, and 00, which people write everywhere. */
  readonly exit: RegExp;
  /** Whether the digits after the code can begin with 0; `rarely`: only in special numbers. */
  readonly leadingZero: 'never' | 'rarely' | 'usually';
  /** Whether a leading 0 belongs to the number, as in Italy. */
  readonly keepsZero: boolean;
  /** Whether a leading 0 may be left out, as it may unless the domestic prefix is 1 or 8. */
  readonly dropsZero: boolean;
  /** The length of most mobile numbers; 0 if it is not known. */
  readonly usualLength: number;
  readonly mobile: {
    readonly lengths: readonly number[];
    /** Matches the first two digits. */
    readonly start: RegExp;
    readonly pattern: RegExp;
  };
  readonly landline: RegExp;
}

/** The API takes 7 to 15 digits (4.2); a country can need more. */
export const MIN_DIGITS = 7;

/**
 * By code and by region; an entry of the plan until a number needs its country, because reading patterns takes long. The
 * plan is divided when a number first needs it, long after n8n has loaded the node.
 */
let countries: Map<string, Country | string> | undefined;

function dividedPlan(): Map<string, Country | string> {
  const entries = NUMBERING_PLAN.trim().split(/\s+/);
  return new Map(entries.flatMap((entry) => namesIn(entry).map((name) => [name, entry] as const)));
}

function namesIn(entry: string): string[] {
  const [code = '', regions = ''] = entry.split(';', 2);
  return [code, ...(regions.match(/../g) ?? [])];
}

function readEntry(entry: string): Country {
  const [code = '', ...regions] = namesIn(entry);
  const [, , lengths, dialed = '', zero, ownExit = '', usualLength = '', ...kinds] = entry.split(';');
  const [mobileLengths, mobileStart = '', landlineLengths, landlineStart] = kinds;
  const [trunk = '', prefix = trunk] = dialed.split('/');
  return {
    code,
    regions,
    lengths: numbersOf(lengths),
    trunk,
    prefix: new RegExp(`^(?:${prefix})`),
    exit: matchingAll(ownExit === '' ? '00' : `00|${ownExit}`),
    leadingZero: zero === 'k' ? 'usually' : zero === 'r' ? 'rarely' : 'never',
    keepsZero: zero === 'k' && trunk === '',
    dropsZero: trunk === '' || trunk.startsWith('0'),
    usualLength: Number(usualLength),
    mobile: {
      lengths: numbersOf(mobileLengths),
      start: startOf(`(?:${mobileStart})\\d\\d`),
      pattern: beginningWith(mobileStart, mobileLengths),
    },
    landline: beginningWith(landlineStart, landlineLengths),
  };
}

/** Matches numbers of these lengths with this beginning. */
function beginningWith(start = '', lengths = ''): RegExp {
  const whole = numbersOf(lengths).map((length) => `\\d{${length}}$`);
  return new RegExp(whole.length === 0 ? '(?!)' : `^(?=${whole.join('|')})(?:${start})`);
}

function matchingAll(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

/** Matches the first digits of a pattern's numbers: any digit of the pattern may be beyond their end. */
export function startOf(pattern: string): RegExp {
  return matchingAll(
    pattern.replace(/\{[\d,]+\}|\[[^\]]*\]|\\d|\d/g, (part) => (part.startsWith('{') ? part : `(?:${part}|$)`)),
  );
}

/** Reads `7,9-11`. */
function numbersOf(ranges = ''): number[] {
  if (ranges === '') return [];
  return ranges.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

/** Always the same object for a country. @param code such as 44, or the two letters of a region, such as GB */
export function countryWithCode(code: string): Country | undefined {
  countries ??= dividedPlan();
  const known = countries.get(code);
  if (typeof known !== 'string') return known;
  const country = readEntry(known);
  for (const name of namesIn(known)) countries.set(name, country);
  return country;
}

/** The country whose code the digits begin with. No code is the beginning of another. */
export function countryOf(digits: string): Country | undefined {
  return (
    countryWithCode(digits.slice(0, 1)) ?? countryWithCode(digits.slice(0, 2)) ?? countryWithCode(digits.slice(0, 3))
  );
}

/** Such as "44 (United Kingdom and others)"; only the code if it belongs to no country. */
export function countryName({ code, regions: [region, ...others] }: Country): string {
  if (region === undefined) return code;
  const name = new Intl.DisplayNames(['en'], { type: 'region' }).of(region) ?? region;
  return `${code} (${name}${others.length > 0 ? ' and others' : ''})`;
}

let all: ReadonlySet<Country> | undefined;

/** Whether digits without a country code are a mobile number in any country. */
export function isMobileSomewhere(national: string): boolean {
  all ??= new Set([...dividedPlan().keys()].flatMap((name) => countryWithCode(name) ?? []));
  for (const { mobile } of all) {
    // The pattern decides. Most countries' numbers have other lengths, which is faster to see.
    if (mobile.lengths.includes(national.length) && mobile.pattern.test(national)) return true;
  }
  return false;
}

/** Compares length and first two digits, only to choose between readings: patterns lag behind new numbers. */
export function looksMobile({ mobile: { lengths, start } }: Country, national: string): boolean {
  return lengths.includes(national.length) && start.test(national.slice(0, 2));
}
