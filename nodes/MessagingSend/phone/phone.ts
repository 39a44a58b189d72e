import { type Failure, failure, isFailure, withEscapes } from '../failures/failure';
import { type Country, countryName, countryOf, countryWithCode, MIN_DIGITS } from './country';
import {
  digitsBehind,
  hasCodeAsGroup,
  hasCodeForSure,
  hasCodeTwice,
  hasMobilePattern,
  internationalNumber,
  isGivenOut,
  numberAbroad,
  numberAtHome,
  numberFrom,
  personOf,
} from './numbering';

export interface PhoneRules {
  /** For numbers that have none; with null, such a number is an error. */
  readonly countryCode: string | null;
  /**
   * `on`: the number must have as many digits as numbers of its country; `mobile`: it must be a mobile number of its
   * country; `off`: 7 to 15 digits.
   */
  readonly numberCheck: 'on' | 'mobile' | 'off';
}

export interface ReadNumber {
  /** Digits with the country code (API 4.2: no leading 0 or +). */
  readonly phone: string;
  /** The number in its usual spelling: the same for a person in every spelling, whether or not numbers are checked. */
  readonly person: string;
  /** Which country a number without + or 00 was read in; null if it has one of them. */
  readonly readAs: 'home' | 'abroad' | null;
}

const UNGROUPED: readonly string[] = [];

/** No number is longer, not even with brackets and dashes. */
const MAX_LENGTH = 100;

const CLEAN = /^[1-9]\d{6,14}$/;

/** Spaces of every kind, and invisible characters that are copied along with a number. */
const INVISIBLE = /[\s\p{Default_Ignorable_Code_Point}]/gu;
const PUNCTUATION = /[.\p{Pd}\u2212()[\]/\\]/gu;
/** A country code and the "(0)" that is dialed only inside the country: "+44 (0)7700…". */
const DOMESTIC_ZERO = /^([([]?(?:\+|00)?[([]?([1-9]\d{0,2})[)\]]?[./\p{Pd}]?)[([]0[)\]]/u;
const INTERNATIONAL = /^(?:\+00|\+|00)/;

/** A date in ISO 8601, of Europe, North America or JavaScript, alone or with a time: 2025-01-31, 31.01.2025, 1/31/2025. */
const DATE =
  /^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4}|\[DateTime: .*|(?:19|20)\d\d([-./])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)\d\d)(?:[T\s,].*)?$/s;
/** A number that passed through a spreadsheet or a database as a decimal. */
const DECIMAL = /^(\+?\d{7,})[.,]00?$/;

/** Invisible characters that reverse the order of digits on screen: a person would read another number. */
const BACKWARDS = /[\u202b\u202e\u2067]/;

/** Never inside a number: two lines are two numbers. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Digits after a number that don't belong to it: 447700900123.5, 447700900123/2, +44 7700 900123 (2). */
const EXTRA_DIGITS = [
  /(?:^|\D)\d{7,}[./\\]\d{1,4}$/,
  /^(?:\D*\d){4,}\d{3}(?:\.\d|[/\\]\d{1,2})$/,
  /^(?:\D*\d){7,}\D*[([]\d{1,4}[)\]]$/,
  // In a domestic number, "(0)" comes after the country code.
  /\d[([]0[)\]]/,
];

/**
 * Reads a phone number as people write it (`+44 (0)7700 900-123`, `0044.7700.900123`, a JSON number).
 * @returns what was read, or what is wrong with it; a failure never repeats the number
 */
export function readPhone(given: unknown, { countryCode, numberCheck }: PhoneRules): ReadNumber | Failure {
  const home = countryCode === null ? undefined : countryWithCode(countryCode);
  if (countryCode !== null && home === undefined && numberCheck !== 'off') return failure('countryCodeInvalid');
  if (typeof given === 'object' && given !== null) return failure('phoneNotText');
  // From 10^21 on, JavaScript writes scientific notation, which gets the same failure as a spreadsheet's.
  const text = String((given as string | number | bigint | boolean | null | undefined) ?? '');
  const written = CLEAN.test(text) ? { digits: text, groups: UNGROUPED, isDomestic: false } : readWritten(text);
  if (isFailure(written)) return written;
  const { digits, groups, isDomestic } = written;
  const international = digits.replace(INTERNATIONAL, '');
  let isMarked = international !== digits;
  if (isDomestic && countryCode === null) return failure('phoneCountryCode', { start: 'an area code in brackets' });
  if (numberCheck === 'off') {
    const all = isMarked ? international : withCountryCode(written, countryCode, home);
    if (!CLEAN.test(all)) return whyImpossible(all, groups, isMarked ? undefined : home);
    return {
      phone: all,
      person: personOf(internationalNumber(all) ?? all),
      readAs: isMarked ? null : countryOf(all) === home ? 'home' : 'abroad',
    };
  }
  let phone = home === undefined || digits.startsWith('+') ? null : numberAbroad(home, digits, groups);
  isMarked ||= phone !== null;
  if (home === undefined || isMarked) phone ??= internationalNumber(international);
  else phone = isDomestic ? numberAtHome(home, digits) : numberFrom(home, digits, groups);
  const country = phone === null ? undefined : countryOf(phone);
  if (phone === null || country === undefined)
    return isMarked ? whyImpossible(international, groups) : whyImpossible(digits, groups, home);
  if (home === undefined && !isMarked) {
    if (groups.length > 1 && !hasCodeAsGroup(digits, groups))
      return failure('phoneCountryCode', { start: 'digits that are not a country code' });
    if (!hasCodeForSure(country, phone)) return failure('phoneNotGivenOut', { country: countryName(country) });
  }
  if (hasCodeTwice(country, phone, groups)) return failure('phoneExtraDigits');
  const behind = groups.length > 1 ? digitsBehind(country, phone, groups, isMarked ? undefined : home) : 0;
  if (behind > 0) return failure(behind < MIN_DIGITS ? 'phoneExtraDigits' : 'phoneSeveral');
  if (home !== undefined && !isMarked && !isGivenOut(country, phone))
    return failure('phoneNotOfCountry', { country: countryName(country) });
  if (numberCheck === 'mobile' && !hasMobilePattern(country, phone)) return failure('phoneNotMobile');
  return { phone, person: personOf(phone), readAs: isMarked ? null : country === home ? 'home' : 'abroad' };
}

/** What people and programs write where there is no number. */
const NO_NUMBER =
  /^(?:n\.?\/?a\.?|none|null|undefined|nan|nil|no|unknown|tbd|true|false|#(?:n\/a|(?:ref|value|error|num|null|div\/0)!|name\?))$/i;
/** The word beside a number for its extension, or for what kind of number it is. */
const WORD =
  /(?<!\p{L})(?:(x|extn?|extension|#)|mobile|mob|cell|(?:tele)?phone|tel|fax|home|work|office|whatsapp)(?!\p{L})/iu;
const CHARACTER = /\p{RI}{2}|(?<=\d.*)\+|[^\p{N}\s+()[\]./\\\p{Pd}\u2212]/u;

/** Names what is no part of a number. An unknown word can be somebody's name, so it is not repeated. */
function whatIsWrong(text: string): Failure {
  if (/\{\{|\$json\b/.test(text)) return failure('phoneNotEvaluated');
  if (NO_NUMBER.test(text)) return failure('phoneCharacters', { wrong: `is '${text}'` });
  const hasDigits = /\d/.test(text);
  const isSpelled = /\p{L}.*\p{L}/su.test(text) || !hasDigits;
  const [word, extension] = (hasDigits ? WORD.exec(text) : null) ?? (isSpelled ? null : CHARACTER.exec(text)) ?? [];
  const what = word === undefined ? (isSpelled ? 'letters' : 'unusual digits') : `'${withEscapes(word)}'`;
  return failure('phoneCharacters', { wrong: `contains ${what}${extension === undefined ? '' : ' (an extension?)'}` });
}

interface Written {
  /** Including a + or 00 before them. */
  readonly digits: string;
  /** The digits in groups, which can include a domestic zero that `digits` doesn't. */
  readonly groups: readonly string[];
  /** Whether its first group is an area code in brackets. */
  readonly isDomestic: boolean;
}

/** In Unicode, the digits of each script are in a row. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value % 10);
}

/** The number in ASCII, without what programs add around it. WhatsApp's addresses always have the country code. */
function withoutWrapping(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/(?!\d)\p{Nd}/gu, digitOf)
    .trim()
    .replace(/[\s,;|]{1,3}$/, '')
    .replace(/^=?(["'])(.*)\1$/s, '$2')
    .replace(/^(?:['\u2019]|(?:tel|sms|smsto|whatsapp|p):(?!\/\/))+/i, '')
    .replace(WHATSAPP, '+$1$2')
    .replace(/^\+{2,}/, '+')
    .replace(/^\s*(\+?\d)[.,](\d+)e\+?(\d+)\s*$/i, (all, first: string, rest: string, exponent: string) =>
      rest.length === Number(exponent) ? first + rest : all,
    );
}

/** `https://wa.me/447700900123`, `whatsapp://send?phone=447700900123`, `447700900123:1@s.whatsapp.net`. */
const WHATSAPP =
  /^(?:\S*(?:\bwa\.me\/|\bsend\/?\?phone=)(?:\+|%2B)?(\d+)(?:[/?&#].*)?|\+?(\d+)(?::\d+)?@(?:c\.us|s\.whatsapp\.net))$/i;

/** Digits in groups, as most people write a number: few checks apply to them. */
const USUAL = /^\+?\d+(?:[ -]\d+)*$/;

function readWritten(given: string): Written | Failure {
  if (given.length <= MAX_LENGTH && USUAL.test(given)) {
    if (DATE.test(given)) return failure('phoneDate');
    const digits = given.replace(/[ -]/g, '');
    if (digits.length >= 2 * MIN_DIGITS && isSeveral(given, / /)) return failure('phoneSeveral');
    return inGroups(digits, given, false);
  }
  // Some patterns would take long, or all of V8's stack.
  if (given.length > 100 * MAX_LENGTH) return failure('phoneLength');
  const text = withoutWrapping(given);
  const visible = text.replace(INVISIBLE, '');
  if (visible === '') return failure('phoneEmpty');
  if (visible.length > MAX_LENGTH) return failure('phoneLength');
  if (/@(?:lid|g\.us|newsletter|broadcast)$/i.test(visible))
    return failure('phoneCharacters', { wrong: 'is the address of a WhatsApp group, channel or hidden contact' });
  if (/^\+?\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(visible)) return failure('phoneScientific');
  if (/^[-\u2212]\d+$/.test(visible)) return failure('phoneNegative');
  const spaced = text.replace(INVISIBLE, (character) => (/\s/.test(character) ? ' ' : '')).trim();
  if (BACKWARDS.test(text))
    return failure('phoneCharacters', { wrong: 'contains an invisible character that reverses its digits on screen' });
  if (DATE.test(spaced.replace(/[\p{Pd}\u2212]/gu, '-'))) return failure('phoneDate');
  const whole = visible.replace(DECIMAL, '$1').replace(DOMESTIC_ZERO, (match, start: string, code: string) => {
    const country = countryWithCode(code);
    if (country === undefined) return match;
    return country.keepsZero ? `${start}0` : start;
  });
  const digits = whole.replace(PUNCTUATION, '');
  if (digits === '') return failure('phoneEmpty');
  if (isSeveral(spaced, BETWEEN_NUMBERS)) return failure('phoneSeveral');
  if (!/^(?:\+00|\+)?\d*$/.test(digits)) return whatIsWrong(spaced);
  if ([/[ /\\]+/, /[/\\]/].some((mark) => isSeveral(spaced, mark)) || LINE_BREAK.test(text.trim()))
    return failure('phoneSeveral');
  const marked = whole.replace(INTERNATIONAL, '');
  if (EXTRA_DIGITS.some((extra) => extra.test(marked))) return failure('phoneExtraDigits');
  return inGroups(digits, spaced.replace(DECIMAL, '$1'), /^[([][1-9]\d*[)\]]/.test(visible));
}

/** @param spaced the number with whatever separates its groups */
function inGroups(digits: string, spaced: string, isDomestic: boolean): Written | Failure {
  const groups = spaced.match(/\d+/g) ?? [];
  const endsWithDigit =
    groups.at(-1)?.length === 1 && groups.at(-2)?.length !== 1 && groups.join('').length >= MIN_DIGITS;
  if (endsWithDigit) return failure('phoneExtraDigits');
  // No country code begins with 0.
  return { digits: digits.replace(/^\+(?=0(?!0))/, ''), groups, isDomestic };
}

/** Not part of any number: a comma, an "or", a second +. */
const BETWEEN_NUMBERS = /[^\d\s()[\]./\\\p{Pd}\u2212]+/u;

/** Whether two parts are each long enough to be a number. */
function isSeveral(text: string, between: RegExp): boolean {
  const parts = text.split(between).filter(({ length }) => length >= MIN_DIGITS);
  if (parts.length < 2) return false;
  const digits = parts.map((part) => part.replace(/\D/g, '').replace(/^00/, ''));
  return digits.filter(({ length }) => length >= MIN_DIGITS).length > 1;
}

/** With 'Number Check' off, a leading 0, or brackets around an area code, stand for the default country code. */
function withCountryCode({ digits, isDomestic }: Written, code: string | null, home: Country | undefined): string {
  const dropsIt = home?.dropsZero !== false;
  if (code === null || !(isDomestic || (dropsIt && /^0[1-9]/.test(digits)))) return digits;
  if (home?.keepsZero === true) return code + digits;
  // Another prefix, such as the 8 of Russia, can also be the number's own first digit.
  const isPrefix = (each: string) => each.startsWith('0') || home?.lengths.includes(digits.length) === false;
  const prefix = [home?.trunk, '0'].find((each) => each && digits.startsWith(each) && isPrefix(each)) ?? '';
  return code + digits.slice(prefix.length);
}

/** @param home the country in which a number without + or 00 is read */
function whyImpossible(digits: string, groups: readonly string[], home?: Country): Failure {
  if (groups.length > 1 && digits.length > 15) return failure('phoneSeveral');
  if (home === undefined && digits.startsWith('0')) return failure('phoneCountryCode', { start: '0' });
  if (home === undefined && !CLEAN.test(digits)) return failure('phoneLength');
  const country = home ?? countryOf(digits);
  if (country === undefined) return failure('phoneCodeUnknown');
  const lengths = LIST.format(country.lengths.map(String));
  return failure('phoneImpossible', { country: countryName(country), lengths });
}

/** Such as "7, 9 or 10". */
const LIST = new Intl.ListFormat('en-GB', { type: 'disjunction' });
