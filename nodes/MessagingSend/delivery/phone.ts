import { failure } from '../failures/catalogue';
import type { Failure } from '../failures/failure';

/** A phone number as the API takes it, or what is wrong with what was given. */
export type PhoneCheck =
  { readonly kind: 'clean'; readonly phone: string } | { readonly kind: 'wrong'; readonly failure: Failure };

const CLEAN = /^[1-9]\d{6,14}$/;

/** Spaces of every kind and the invisible characters that come along when a number is copied. */
const INVISIBLE =
  /[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe0e\ufe0f\ufeff]/gu;
const PUNCTUATION = /[.\p{Pd}\u2212()[\]/\\]/gu;
/** A country code with the "(0)" after it that is dialled only inside the country: "+44 (0)7700…". */
const DOMESTIC_ZERO = /^([([]?(?:\+|00)?[([]?([1-9]\d{0,3})[)\]]?[./\p{Pd}]?)[([]0[)\]]/u;
/** Countries whose numbers keep their leading 0 when they are dialled from abroad: Italy, San Marino and others. */
const KEEPS_ZERO = /^(?:39|378|225|229|241|242)$/;

/**
 * Cleans a phone number as people have it (`+44 (0)7700 900-123`, `0044.7700.900123`, a JSON number)
 * to digits with the country code (API 4.2: no leading 0 or +). A failure never repeats the number.
 * @param countryCode replaces the leading 0 of a number without one; null makes it an error
 */
export function cleanPhone(given: unknown, countryCode: string | null = null): PhoneCheck {
  const text = asText(given);
  if (text === null) return wrong(failure('phoneNotText', { kind: kindOf(given) }));
  // Most are clean already.
  if (CLEAN.test(text)) return { kind: 'clean', phone: text };
  const visible = text.replace(INVISIBLE, '');
  if (visible === '') return wrong(failure('phoneEmpty'));
  if (visible.length > 100) return wrong(failure('phoneTooLong'));
  if (/^\+?\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(visible)) return wrong(failure('phoneScientific'));
  if (/^[-\u2212]\d+$/.test(visible)) return wrong(failure('phoneNegative'));
  const compact = visible
    // A number that passed through a spreadsheet or a database as a decimal.
    .replace(/^(\+?\d{7,})[.,]00?$/, '$1')
    .replace(DOMESTIC_ZERO, (_, start: string, code: string) => (KEEPS_ZERO.test(code) ? `${start}0` : start))
    .replace(PUNCTUATION, '');
  const international = compact.replace(/^(?:\+00|\+|00)/, '');
  // In North America no number begins with a 0 at home: 011 is how another country is dialled.
  const isNational = international === compact && /^0[1-9]/.test(compact) && countryCode !== '1';
  return checkDigits(
    isNational && countryCode !== null ? countryCode + withoutTrunk(compact, countryCode) : international,
  );
}

/** The number without what is dialled before it inside the country: a 0, in Hungary 06. */
function withoutTrunk(national: string, countryCode: string): string {
  if (KEEPS_ZERO.test(countryCode)) return national;
  return national.slice(countryCode === '36' && national.startsWith('06') ? 2 : 1);
}

function checkDigits(digits: string): PhoneCheck {
  if (/\p{L}/u.test(digits)) return wrong(failure('phoneLetters'));
  if (!/^\d*$/.test(digits)) return wrong(failure('phoneCharacters'));
  if (digits.startsWith('0')) return wrong(failure('phoneCountryCode'));
  const { length } = digits;
  if (length >= 7 && length <= 15) return { kind: 'clean', phone: digits };
  const size = length === 1 ? '1 digit' : `${length} digits`;
  return wrong(failure('phoneLength', { digits: size, wrong: length < 7 ? 'short' : 'long' }));
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
    return Number.isNaN(value) ? 'the result of a calculation that failed' : 'a number with decimal places';
  return `a ${typeof value}`;
}

function wrong(failure: Failure): PhoneCheck {
  return { kind: 'wrong', failure };
}
