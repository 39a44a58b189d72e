import { type Failure, failure, isFailure } from '../failures/failure';
import {
  type Country,
  countryName,
  countryOf,
  countryWithCode,
  dropsZero,
  hasMobilePattern,
  keepsZero,
  MAX_DIGITS,
  MIN_DIGITS,
} from './country';
import { digitsBehind, hasCodeAsGroup, internationalNumber, numberAbroad, numberFrom, withoutTrunk } from './numbering';

export interface PhoneRules {
  /** Of numbers that have none; null makes them an error. */
  readonly countryCode: string | null;
  /**
   * `on`: the number must have as many digits as numbers of its country; `mobile`: it must be a mobile number of its
   * country; `off`: 7 to 15 digits.
   */
  readonly numberCheck: 'on' | 'mobile' | 'off';
}

const UNGROUPED: readonly string[] = [];

const CLEAN = /^[1-9]\d{6,14}$/;

/** Spaces of every kind and the invisible characters that come along when a number is copied. */
const INVISIBLE =
  /[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe0e\ufe0f\ufeff]/gu;
const PUNCTUATION = /[.\p{Pd}\u2212()[\]/\\]/gu;
/** A country code with the "(0)" after it that is dialled only inside the country: "+44 (0)7700…". */
const DOMESTIC_ZERO = /^([([]?(?:\+|00)?[([]?([1-9]\d{0,2})[)\]]?[./\p{Pd}]?)[([]0[)\]]/u;
const INTERNATIONAL = /^(?:\+00|\+|00)/;

/** A day as ISO 8601, Europe or North America write it, alone or with a time: 2025-01-31, 31.01.2025, 1/31/2025. */
const DATE =
  /^(?:(?:19|20)\d\d([-./])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)\d\d)(?:[T\s,].*)?$/s;
/** What a spreadsheet makes of a number that it takes for a calculation, or finds too long: -447700900123, 4.47E+11. */
const CALCULATED = /^(?:[-\u2212]\d+|\+?\d+(?:[.,]\d+)?e[+-]?\d+)$/i;
/** A number that passed through a spreadsheet or a database as a decimal. */
const DECIMAL = /^(\+?\d{7,})[.,]00?$/;

/** Invisible characters that show what follows from right to left: somebody who reads the number reads another one. */
const BACKWARDS = /[\u202b\u202e\u2067]/;

/** Never within a number: what is on two lines is two numbers. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Digits behind a number that are not part of it: 447700900123.5, 447700900123/2, +44 7700 900123 (2). */
const EXTRA_DIGITS = [
  /(?:^|\D)\d{7,}[./\\]\d{1,4}$/,
  /^(?:\D*\d){4,}\d{3}(?:\.\d|[/\\]\d{1,2})$/,
  /^(?:\D*\d){7,}\D*[([]\d{1,4}[)\]]$/,
  // The "(0)" of a domestic number has its place behind the country code.
  /\d[([]0[)\]]/,
];

/**
 * Cleans a phone number as people have it (`+44 (0)7700 900-123`, `0044.7700.900123`, a JSON number)
 * to digits with the country code (API 4.2: no leading 0 or +).
 * @returns the digits, or what is wrong with what was given; a failure never repeats the number
 */
export function cleanPhone(given: unknown, rules: PhoneRules): string | Failure {
  const { countryCode, numberCheck } = rules;
  const home = countryCode === null ? undefined : countryWithCode(countryCode);
  if (countryCode !== null && home === undefined && numberCheck !== 'off') {
    return failure('countryCodeInvalid');
  }
  const text = asText(given);
  if (text === null) return failure('phoneNotText', { kind: kindOf(given) });
  const isClean = CLEAN.test(text);
  const written = isClean ? null : readWritten(text);
  if (written !== null && isFailure(written)) return written;
  const { digits, groups } = written ?? { digits: text, groups: UNGROUPED };
  const international = isClean ? text : digits.replace(INTERNATIONAL, '');
  const isMarked = international !== digits;
  if (numberCheck === 'off') return unchecked(isMarked ? international : withCountryCode(digits, countryCode, home));
  let phone: string | null = null;
  if (home !== undefined && !digits.startsWith('+')) phone = numberAbroad(home, digits, groups);
  if (home !== undefined && !isMarked) phone ??= numberFrom(home, digits, groups);
  else phone ??= internationalNumber(international);
  if (phone === null) {
    return home !== undefined && !isMarked ? whyImpossibleAt(home, digits) : whyImpossible(international);
  }
  if (groups.length > 1) {
    if (home === undefined && !isMarked && !hasCodeAsGroup(digits, groups)) return failure('phoneCodeUnknown');
    const behind = digitsBehind(phone, groups, isMarked ? undefined : home);
    if (behind > 0) return failure(behind < MIN_DIGITS ? 'phoneExtraDigits' : 'phoneSeveral');
  }
  if (numberCheck === 'mobile' && !hasMobilePattern(phone)) return failure('phoneNotMobile');
  // The item holds a clean text already, so that one takes no more memory.
  return phone === text ? text : phone;
}

interface Written {
  /** With the + or 00 before them. */
  readonly digits: string;
  /** The digits in groups; they can have a domestic zero that `digits` has not. */
  readonly groups: readonly string[];
}

function readWritten(text: string): Written | Failure {
  const visible = text.replace(INVISIBLE, '');
  if (visible === '') return failure('phoneEmpty');
  if (visible.length > 100) return failure('phoneLength', { digits: 'more than 100 characters', wrong: 'long' });
  if (CALCULATED.test(visible)) return failure('phoneCalculated');
  const spaced = text.replace(INVISIBLE, (character) => (/\s/.test(character) ? ' ' : '')).trim();
  if (BACKWARDS.test(text)) return failure('phoneCharacters');
  if (DATE.test(spaced.replace(/[\p{Pd}\u2212]/gu, '-'))) return failure('phoneDate');
  const whole = visible.replace(DECIMAL, '$1').replace(DOMESTIC_ZERO, (match, start: string, code: string) => {
    const country = countryWithCode(code);
    if (country === undefined) return match;
    return keepsZero(country) ? `${start}0` : start;
  });
  const digits = whole.replace(PUNCTUATION, '');
  if (digits === '') return failure('phoneEmpty');
  if (isList(spaced)) return failure('phoneSeveral');
  if (!/^(?:\+00|\+)?\d*$/.test(digits)) return failure('phoneCharacters');
  if (isSeveral(spaced) || LINE_BREAK.test(text.trim())) return failure('phoneSeveral');
  const marked = whole.replace(INTERNATIONAL, '');
  const groups = spaced
    .replace(DECIMAL, '$1')
    .split(/\D+/)
    .filter((group) => group !== '');
  const [last = '', before = ''] = groups.toReversed();
  const endsWithDigit = last.length === 1 && before.length > 1 && groups.join('').length >= MIN_DIGITS;
  if (endsWithDigit || EXTRA_DIGITS.some((extra) => extra.test(marked))) return failure('phoneExtraDigits');
  return { digits, groups };
}

/** Whether two numbers stand with something between them that no number has: a comma, an "or". */
function isList(text: string): boolean {
  const parts = text.split(/[^\d\s()[\]+./\\\p{Pd}\u2212]+/u).map((part) => part.replace(/\D/g, ''));
  return parts.filter(({ length }) => length >= MIN_DIGITS).length > 1;
}

/** Whether two parts between spaces or slashes are each long enough to be a number. */
function isSeveral(text: string): boolean {
  const parts = text.split(/[ /\\]+/).map((part) => part.replace(/\D/g, '').replace(/^00/, ''));
  return parts.filter(({ length }) => length >= 7).length > 1;
}

/** The one rule left with 'Number Check' off: a leading 0 stands for the default country code. */
function withCountryCode(digits: string, countryCode: string | null, home: Country | undefined): string {
  if (countryCode === null || !/^0[1-9]/.test(digits)) return digits;
  if (home === undefined) return countryCode + digits.slice(1);
  return dropsZero(home) ? countryCode + withoutTrunk(home, digits) : digits;
}

function unchecked(digits: string): string | Failure {
  if (CLEAN.test(digits)) return digits;
  return digits.startsWith('0') ? failure('phoneCountryCode') : wrongLength(digits.length);
}

function whyImpossible(digits: string): Failure {
  if (digits.startsWith('0')) return failure('phoneCountryCode');
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return wrongLength(digits.length);
  const country = countryOf(digits);
  if (country === undefined) return failure('phoneCodeUnknown');
  return failure('phoneImpossible', lengthIn(country, digits.slice(country.code.length)));
}

function whyImpossibleAt(home: Country, digits: string): Failure {
  if (digits.length > MAX_DIGITS + home.trunk.length) return wrongLength(digits.length);
  return failure(
    'phoneImpossible',
    lengthIn(home, digits.startsWith(home.code) ? digits.slice(home.code.length) : digits),
  );
}

function lengthIn(country: Country, national: string) {
  const bare = withoutTrunk(country, national).length;
  // One zero of several is not the reason.
  const length = country.lengths.includes(bare) ? national.length : bare;
  const name = countryName(country);
  return {
    digits: digitsText(length),
    country: name === '' ? country.code : `${country.code} (${name})`,
    lengths: lengthsText(country.lengths),
  };
}

function wrongLength(length: number): Failure {
  return failure('phoneLength', { digits: digitsText(length), wrong: length < MIN_DIGITS ? 'short' : 'long' });
}

function digitsText(length: number): string {
  return length === 1 ? '1 digit' : `${length} digits`;
}

/** Such as "7, 9 or 10", and "4 to 15" for a range without gaps. */
function lengthsText(lengths: readonly number[]): string {
  const [first = 0, last = first] = [lengths[0], lengths.at(-1)];
  if (lengths.length > 2 && last - first === lengths.length - 1) return `${first} to ${last}`;
  return lengths.length === 1 ? String(first) : `${lengths.slice(0, -1).join(', ')} or ${last}`;
}

function asText(given: unknown): string | null {
  if (typeof given === 'string') return given;
  if (typeof given === 'bigint') return given.toString();
  if (typeof given === 'number' && Number.isFinite(given)) {
    // From 10^21 on, this gives scientific notation, which is explained like that of a spreadsheet.
    return Number.isInteger(given) ? String(given) : null;
  }
  return given === null || given === undefined ? '' : null;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number')
    return Number.isNaN(value) ? 'the result of an invalid calculation' : 'a number with decimal places';
  return `a ${typeof value}`;
}
