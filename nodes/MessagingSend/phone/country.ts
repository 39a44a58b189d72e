import { NUMBERING_PLAN } from './numberingPlan';

/** What is known of the phone numbers of one country code. */
export interface Country {
  readonly code: string;
  /** Two letters; empty for a code that belongs to no country. */
  readonly region: string;
  /** Whether other regions have the same code. */
  readonly shared: boolean;
  /** How many digits can follow the code, as far as the API takes them. */
  readonly lengths: readonly number[];
  /** What is dialled before a number inside the country; empty where nothing is. */
  readonly trunk: string;
  /** What is dialled before the code of another country; 00 as well, which people write everywhere. */
  readonly exit: RegExp;
  /** Whether the digits after the code can begin with 0; `rarely` in special numbers alone. */
  readonly leadingZero: 'never' | 'rarely' | 'usually';
  /** As most mobile numbers are; 0 where that is not known. */
  readonly usualLength: number;
  readonly mobile: KindOfNumber;
  /** Known where nothing is dialled before a landline, or an 8; the pattern where landlines begin with a 0 of their own. */
  readonly landline: KindOfNumber;
}

interface KindOfNumber {
  readonly lengths: readonly number[];
  /** What the first two digits can be. */
  readonly beginnings: readonly number[];
  readonly pattern: RegExp;
}

/** What the API takes (4.2), where no country says more; at most 15. */
export const MIN_DIGITS = 7;

let countries: ReadonlyMap<string, Country> | undefined;

/** By code. The table is read when a number first needs it, because n8n loads the node long before. */
function allCountries(): ReadonlyMap<string, Country> {
  countries ??= new Map(
    NUMBERING_PLAN.trim()
      .split(/\s+/)
      .map(readEntry)
      .map((country) => [country.code, country]),
  );
  return countries;
}

function readEntry(entry: string): Country {
  const [code = '', region = '', lengths, trunk = '', zero, exit = '', usualLength = '', ...kinds] = entry.split(';');
  return {
    code,
    region: region.slice(0, 2),
    shared: region.endsWith('+'),
    lengths: numbersOf(lengths),
    trunk,
    exit: wholly(exit === '' ? '00' : `00|${exit}`),
    leadingZero: zero === 'k' ? 'usually' : zero === 'r' ? 'rarely' : 'never',
    usualLength: Number(usualLength),
    mobile: kindOfNumber(kinds),
    landline: kindOfNumber(kinds.slice(3)),
  };
}

function kindOfNumber([lengths, beginnings, pattern = '']: readonly string[]): KindOfNumber {
  return { lengths: numbersOf(lengths), beginnings: numbersOf(beginnings), pattern: wholly(pattern) };
}

function wholly(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

/** Reads `7,9-11`. */
function numbersOf(ranges = ''): number[] {
  if (ranges === '') return [];
  return ranges.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

export function countryWithCode(code: string): Country | undefined {
  return allCountries().get(code);
}

/** The country whose code the digits begin with. No code begins with another one. */
export function countryOf(digits: string): Country | undefined {
  const all = allCountries();
  return all.get(digits.slice(0, 1)) ?? all.get(digits.slice(0, 2)) ?? all.get(digits.slice(0, 3));
}

/** Such as "44 (United Kingdom and others)"; the code alone where it belongs to no country. */
export function countryName({ code, region, shared }: Country): string {
  if (region === '') return code;
  const name = new Intl.DisplayNames(['en'], { type: 'region' }).of(region) ?? region;
  return `${code} (${name}${shared ? ' and others' : ''})`;
}

/** Whether a 0 in front belongs to the number, as in Italy. */
export function keepsZero({ leadingZero, trunk }: Country): boolean {
  return leadingZero === 'usually' && trunk === '';
}

/** Whether a 0 in front may be left out. Where 1 or 8 is dialled before a number, no 0 is. */
export function dropsZero({ trunk }: Country): boolean {
  return trunk === '' || trunk.startsWith('0');
}

/** Whether it is a mobile number by the pattern of its country: made-up and newly given out numbers may not be. */
export function hasMobilePattern(number: string): boolean {
  const country = countryOf(number);
  return country?.mobile.pattern.test(number.slice(country.code.length)) === true;
}

/**
 * Whether it looks like a mobile number, by its length and first two digits; only to choose between possible readings:
 * numbers are given out sooner than patterns change.
 */
export function isMobile(number: string): boolean {
  const country = countryOf(number);
  return country !== undefined && looksLike(country.mobile, number.slice(country.code.length));
}

export function looksLike({ lengths, beginnings }: KindOfNumber, national: string): boolean {
  return lengths.includes(national.length) && beginnings.includes(Number(national.slice(0, 2)));
}
