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
  /** The pattern of what is dialled before the code of another country, and of 00, which people write everywhere. */
  readonly exit: string;
  /** Whether the digits after the code can begin with 0; `rarely` in special numbers alone. */
  readonly leadingZero: 'never' | 'rarely' | 'usually';
  readonly mobile: {
    readonly lengths: readonly number[];
    /** As most mobile numbers are; 0 where that is not known. */
    readonly usualLength: number;
    readonly pattern: string;
  };
  /** The same, where nothing is dialled before a landline, or an 8; else empty. */
  readonly landline: {
    /** Their first two digits. */
    readonly beginnings: ReadonlySet<string>;
    readonly lengths: readonly number[];
    /** Empty where landlines don't begin with a 0 that belongs to them. */
    readonly pattern: string;
  };
}

/** What the API takes (4.2), where no country says more. */
export const MIN_DIGITS = 7;
export const MAX_DIGITS = 15;

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
  const [code = '', region = '', lengths = '', trunk = '', zero = '', ...more] = entry.split(';');
  const [mobile = '', pattern = '', usual = '', exit = '', ...ofLandlines] = more;
  const [landlines = '', landlineLengths = '', landlinePattern = ''] = ofLandlines;
  return {
    code,
    region: region.slice(0, 2),
    shared: region.endsWith('+'),
    lengths: numbersOf(lengths).filter((length) => {
      const digits = code.length + length;
      return digits >= MIN_DIGITS && digits <= MAX_DIGITS;
    }),
    trunk,
    exit: exit === '' ? '00' : `00|${exit}`,
    leadingZero: zero === 'k' ? 'usually' : zero === 'r' ? 'rarely' : 'never',
    mobile: {
      lengths: numbersOf(mobile === '' ? lengths : mobile),
      usualLength: Number(usual),
      pattern,
    },
    landline: {
      beginnings: beginningsOf(landlines),
      lengths: numbersOf(landlineLengths),
      pattern: landlinePattern,
    },
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

/** Whether a 0 in front belongs to the number, as in Italy. */
export function keepsZero({ leadingZero, trunk }: Country): boolean {
  return leadingZero === 'usually' && trunk === '';
}

/** Whether a 0 in front may be left out. Where 1 or 8 is dialled before a number, no 0 is. */
export function dropsZero({ trunk }: Country): boolean {
  return trunk === '' || trunk.startsWith('0');
}

/** Made once for each pattern. */
const expressions = {
  start: new Map<string, RegExp>(),
  whole: new Map<string, RegExp>(),
  beginning: new Map<string, RegExp>(),
};

export function patternAt(pattern: string, place: keyof typeof expressions): RegExp {
  const known = expressions[place].get(pattern);
  if (known !== undefined) return known;
  const source = place === 'beginning' ? ofBeginnings(pattern) : pattern;
  const made = new RegExp(`^(?:${source})${place === 'start' ? '' : '$'}`);
  expressions[place].set(pattern, made);
  return made;
}

/** What a number can begin with: each digit of its pattern may also be beyond the end. */
function ofBeginnings(pattern: string): string {
  return pattern.replace(/\{[\d,]+\}|\[[^\]]*\]|\\d|\d/g, (part) => (part.startsWith('{') ? part : `(?:${part}|$)`));
}

/** Whether a number of this pattern can begin with these digits. */
export function canBeginWith(pattern: string, digits: string): boolean {
  return pattern !== '' && patternAt(pattern, 'beginning').test(digits);
}

export function isMatch(pattern: string, digits: string): boolean {
  return pattern !== '' && patternAt(pattern, 'whole').test(digits);
}

/** Whether it is a mobile number by the pattern of its country: made-up and newly given out numbers may not be. */
export function hasMobilePattern(number: string): boolean {
  const country = countryOf(number);
  return country !== undefined && isMatch(country.mobile.pattern, number.slice(country.code.length));
}

export function isLandlineIn({ landline }: Country, national: string): boolean {
  return landline.lengths.includes(national.length) && landline.beginnings.has(national.slice(0, 2));
}

/**
 * Whether it looks like a mobile number, by its length and first two digits; only to choose between possible readings:
 * numbers are given out sooner than patterns change.
 */
export function isMobile(number: string): boolean {
  const country = countryOf(number);
  return country !== undefined && isMobileIn(country, number.slice(country.code.length));
}

export function isMobileIn({ mobile }: Country, national: string): boolean {
  return mobile.lengths.includes(national.length) && canBeginWith(mobile.pattern, national.slice(0, 2));
}
