import { NUMBERING_PLAN } from './numberingPlan';

// Only its length decides whether a number is possible. What mobile numbers begin with decides between several possible
// readings of the same digits, and refuses none.

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
  /** What is dialled before the code of another country, where that is not 00; else empty. */
  readonly exit: string;
  /** Whether the digits after the code can begin with 0; `rarely` in special numbers alone. */
  readonly leadingZero: 'never' | 'rarely' | 'usually';
  /** Only to choose between possible readings. */
  readonly mobile: { readonly lengths: readonly number[]; readonly beginnings: ReadonlySet<string> };
  /** The same, where nothing is dialled before a landline, or an 8; else empty. */
  readonly landline: { readonly lengths: readonly number[]; readonly beginnings: ReadonlySet<string> };
}

/** What the API takes (4.2), where no country says more. */
export const MIN_DIGITS = 7;
export const MAX_DIGITS = 15;

let countries: ReadonlyMap<string, Country> | undefined;

/** By code. The table is read when a number first needs it, because n8n loads the node long before. */
function allCountries(): ReadonlyMap<string, Country> {
  countries ??= new Map(
    NUMBERING_PLAN.trim()
      .split('\n')
      .map(readLine)
      .map((country) => [country.code, country]),
  );
  return countries;
}

function readLine(line: string): Country {
  const fields = line.split('|');
  const [code = '', region = '', lengths = '', trunk = '', zero = '', mobile = '', beginnings = '', exit = ''] = fields;
  return {
    code,
    region: region.slice(0, 2),
    shared: region.endsWith('+'),
    lengths: numbersOf(lengths).filter((length) => {
      const digits = code.length + length;
      return digits >= MIN_DIGITS && digits <= MAX_DIGITS;
    }),
    trunk,
    exit,
    leadingZero: zero === 'k' ? 'usually' : zero === 'r' ? 'rarely' : 'never',
    mobile: { lengths: numbersOf(mobile === '' ? lengths : mobile), beginnings: beginningsOf(beginnings) },
    landline: { lengths: numbersOf(fields[9] ?? ''), beginnings: beginningsOf(fields[8] ?? '') },
  };
}

function beginningsOf(ranges: string): ReadonlySet<string> {
  return new Set(numbersOf(ranges).map((number) => String(number).padStart(2, '0')));
}

/** Reads `7,9-11`. */
function numbersOf(ranges: string): number[] {
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

/** Such as "United Kingdom and others"; empty for a code that belongs to no country. */
export function countryName({ region, shared }: Country): string {
  if (region === '') return '';
  return `${new Intl.DisplayNames(['en'], { type: 'region' }).of(region) ?? region}${shared ? ' and others' : ''}`;
}

/** The number with its country code, if its length is possible in that country; else null. */
export function internationalNumber(digits: string): string | null {
  const country = countryOf(digits);
  if (country === undefined) return null;
  const { code, lengths } = country;
  if (digits[code.length] === '0' || startsWithTrunk(country, digits, code.length)) {
    return numberIn(country, digits.slice(code.length));
  }
  // The usual case: no new text is made.
  return lengths.includes(digits.length - code.length) ? digits : null;
}

/** Whether the digits, from a place on, begin with what is dialled before a number inside the country. */
function startsWithTrunk({ code, trunk }: Country, digits: string, from = 0): boolean {
  // North America dials its own code; that is read as the code, and a second one is not part of a number.
  return trunk !== '' && trunk !== code && digits.startsWith(trunk, from);
}

/**
 * The number that digits without + or 00 mean to someone in `home`. They can have its code, or none, or that of another
 * country. Of the readings whose length is possible, the first that is a mobile number counts, else the first:
 * 3912345678 is one of Italy's mobile numbers, not its code 39 with 8 digits after it.
 * @returns null if no country can have such a number
 */
export function numberFrom(home: Country, digits: string): string | null {
  const dialled = home.exit !== '' && digits.startsWith(home.exit) ? digits.slice(home.exit.length) : '';
  const dialledAbroad = internationalNumber(dialled);
  if (dialledAbroad !== null) return dialledAbroad;
  const withCode = digits.startsWith(home.code) ? numberIn(home, digits.slice(home.code.length)) : null;
  if (withCode !== null && isMobile(withCode)) return withCode;
  const dialledAtHome = afterTrunk(home, digits);
  if (dialledAtHome !== null) return dialledAtHome;
  const national = numberIn(home, digits);
  if (national !== null && isMobile(national)) return national;
  // Where nothing is dialled before a landline, as in Czechia, it can look like a mobile number abroad.
  if (national !== null && withCode === null && home.trunk === '' && isLandlineIn(home, digits)) return national;
  const abroad = countryOf(digits) === home ? null : internationalNumber(digits);
  if (abroad !== null && isMobile(abroad)) return abroad;
  return withCode ?? national ?? abroad;
}

/**
 * The number behind the 8 that is dialled in Russia and some of its neighbours. Codes of other countries begin with 8,
 * too, so it counts only if a mobile number or a landline can follow.
 */
function afterTrunk(home: Country, digits: string): string | null {
  if (home.trunk !== '8' || !digits.startsWith('8')) return null;
  const rest = digits.slice(1);
  const form = [rest, rest.replace(/^0/, '')].find((each) => isMobileIn(home, each) || isLandlineIn(home, each));
  return form === undefined ? null : home.code + form;
}

/** The digits without what is dialled before them inside the country, whatever their length. */
export function withoutTrunk(country: Country, national: string): string {
  if (keepsZero(country)) return national;
  if (country.trunk !== '' && national.startsWith(country.trunk)) return national.slice(country.trunk.length);
  return dropsZero(country) ? national.replace(/^0/, '') : national;
}

/** Whether a 0 in front belongs to the number, as in Italy. */
export function keepsZero({ leadingZero, trunk }: Country): boolean {
  return leadingZero === 'usually' && trunk === '';
}

/** Whether a 0 in front may be left out. Where 1 or 8 is dialled before a number, no 0 is. */
export function dropsZero({ trunk }: Country): boolean {
  return trunk === '' || trunk.startsWith('0');
}

/** The number with its country code, without what is dialled only inside the country; null if its length is impossible. */
function numberIn(country: Country, national: string): string | null {
  const form = formsOf(country, national).find(({ length }) => country.lengths.includes(length));
  return form === undefined ? null : country.code + form;
}

/** What the digits can mean, the likeliest first. */
function formsOf(country: Country, national: string): string[] {
  const { trunk, leadingZero } = country;
  const startsWith0 = national.startsWith('0');
  const hasTrunk = startsWithTrunk(country, national);
  // Most numbers: nothing is dialled before them.
  if (!startsWith0 && !hasTrunk) return [national];
  const shorter: string[] = [];
  if (hasTrunk) {
    const rest = national.slice(trunk.length);
    shorter.push(rest);
    // Belarus dials 80 before some numbers, and 8 before others. Elsewhere, a further zero can belong to the number.
    const isExtra = (form: string) => !trunk.startsWith('0') || leadingZero === 'never' || isMobileIn(country, form);
    if (rest.startsWith('0') && isExtra(rest.slice(1))) shorter.push(rest.slice(1));
  }
  if (startsWith0 && dropsZero(country)) shorter.push(national.slice(1));
  const bare = leadingZero === 'usually' ? shorter : shorter.filter((form) => !form.startsWith('0'));
  if (!startsWith0) return [...bare.filter((form) => isMobileIn(country, form)), national, ...bare];
  if (leadingZero === 'never') return bare;
  // Where a 0 is dialled, it belongs to the number only where that is usual.
  return leadingZero === 'usually' || trunk === '' ? [national, ...bare] : [...bare, national];
}

function isLandlineIn({ landline }: Country, national: string): boolean {
  return landline.lengths.includes(national.length) && landline.beginnings.has(national.slice(0, 2));
}

function isMobile(number: string): boolean {
  const country = countryOf(number);
  return country !== undefined && isMobileIn(country, number.slice(country.code.length));
}

function isMobileIn({ mobile }: Country, national: string): boolean {
  return mobile.lengths.includes(national.length) && mobile.beginnings.has(national.slice(0, 2));
}
