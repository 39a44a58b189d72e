import { type Country, countryOf, isMobileSomewhere, looksMobile, MIN_DIGITS } from './country';

// With + or 00, only a number's length decides whether it is possible. Without, its country must have given it out.

/** Whether the country's pattern knows it as a mobile number: a new range may still be missing there. */
export function hasMobilePattern({ code, mobile }: Country, number: string): boolean {
  return mobile.pattern.test(number.slice(code.length));
}

/** Whether it is such a mobile number, or a landline, as precisely as the plan knows. */
export function isGivenOut(country: Country, number: string): boolean {
  return hasMobilePattern(country, number) || country.landline.test(number.slice(country.code.length));
}

/** @param number with its country code */
export function isLandline(number: string): boolean {
  const country = countryOf(number);
  return country !== undefined && !hasMobilePattern(country, number) && isGivenOut(country, number);
}

/**
 * Whether digits without + or 00 certainly begin with a country code: they are a mobile number, or a landline and, as
 * they stand, no country's mobile number. 2015550123 is a landline in Egypt, and a number in New Jersey.
 */
export function hasCodeForSure(country: Country, number: string): boolean {
  return hasMobilePattern(country, number) || (isGivenOut(country, number) && !isMobileSomewhere(number));
}

function isMobile(country: Country | undefined, number: string): boolean {
  return country !== undefined && looksMobile(country, number.slice(country.code.length));
}

/**
 * The person that a number in its usual spelling belongs to. In Argentina, a mobile number reaches the same person with
 * or without a 9 after the country code.
 */
export function personOf(number: string): string {
  return number.length === 12 && number.startsWith('54') ? `549${number.slice(2)}` : number;
}

/** The number with its country code, if its length is possible in that country; else null. */
export function internationalNumber(digits: string): string | null {
  const country = countryOf(digits);
  if (country === undefined) return null;
  const given = digits.slice(country.code.length);
  const national = nationalNumber(country, given);
  if (national === null) return null;
  // Usually the digits stay as they are: a new string for each number makes composing a tenth slower.
  return national === given ? digits : country.code + national;
}

/** The longest international prefix. */
const MAX_EXIT_DIGITS = 8;

/**
 * The number after an international prefix of `home`, or after 00: 001 354 611 1234 is a number in Iceland when dialed
 * in Singapore, and none elsewhere.
 * @param groups the digits as they are written
 * @returns null if no country can have such a number
 */
export function numberAbroad(home: Country, digits: string, groups: readonly string[]): string | null {
  // An international prefix is never followed by the caller's own country code.
  if (digits.startsWith(`00${home.code}`)) return internationalNumber(digits.slice(2));
  const readings: Array<{ readonly phone: string; readonly start: string }> = [];
  for (let length = 1; length <= MAX_EXIT_DIGITS; length += 1) {
    const start = digits.slice(0, length);
    const phone = home.exit.test(start) ? internationalNumber(digits.slice(length)) : null;
    if (phone !== null) readings.push({ phone, start });
  }
  const asWritten = readings.find(({ start }) => groups[0] === start);
  const mobile = readings.find(({ phone }) => isMobile(countryOf(phone), phone));
  return (asWritten ?? mobile ?? readings.at(-1))?.phone ?? null;
}

/**
 * The number that digits without + or 00 mean to someone in `home`. They can include its country code, none, or another
 * country's. Of the readings with a possible length, the first mobile number counts, else the first: 3912345678 is a
 * mobile number in Italy, not its code 39 and 8 digits. It need not have been given out.
 * @param groups the digits as they are written
 * @returns null if no country can have such a number
 */
export function numberFrom(home: Country, digits: string, groups: readonly string[]): string | null {
  const withCode = digits.startsWith(home.code) ? numberAtHome(home, digits.slice(home.code.length)) : null;
  if (withCode !== null && isMobile(home, withCode)) return withCode;
  // The 8 that Russia dials begins other countries' codes, too, so Russia must have given out what follows.
  const afterPrefix = digits.startsWith('0')
    ? undefined
    : formsOf(home, digits).find((form) => form !== digits && isGivenOut(home, home.code + form));
  if (afterPrefix !== undefined) return home.code + afterPrefix;
  const national = numberAtHome(home, digits);
  if (national !== null && isMobile(home, national)) return national;
  // Without a domestic prefix, as in Czechia, a landline can look like a mobile number abroad.
  if (national !== null && withCode === null && home.trunk === '' && isGivenOut(home, national)) return national;
  const other = countryOf(digits);
  const foreign = other !== home && hasCodeAsGroup(digits, groups) ? internationalNumber(digits) : null;
  if (other === undefined || foreign === null || !hasCodeForSure(other, foreign)) return withCode ?? national;
  return isMobile(other, foreign) ? foreign : (withCode ?? national ?? foreign);
}

/**
 * Whether the digits can begin with a country code as people write it: as a group of its own, or within a long one. 612
 * 345 678 isn't a number in Australia, whose code is 61.
 */
export function hasCodeAsGroup(digits: string, groups: readonly string[]): boolean {
  const [first = '', ...others] = groups;
  // Spreadsheets write whole numbers in groups of thousands: 447.700.900.123.
  if (others.length > 2 && first.length <= 3 && others.every(({ length }) => length === 3)) return true;
  return groups.length < 2 || first.length >= MIN_DIGITS || first === countryOf(digits)?.code;
}

/** The number in this country, even if it only lacks the zero that its mobile numbers begin with. */
export function numberAtHome(home: Country, national: string): string | null {
  const number = nationalNumber(home, national);
  if (number !== null) return home.code + number;
  return home.keepsZero && looksMobile(home, `0${national}`) ? `${home.code}0${national}` : null;
}

/**
 * How many digits follow a complete mobile number in the last groups: an extension, or another number. 0 if all groups
 * can be parts of one number.
 * @param home the country in which a number without + or 00 was read
 */
export function digitsBehind(
  country: Country,
  number: string,
  groups: readonly string[],
  home: Country | undefined,
): number {
  const written = groups.join('');
  const hasHomeCode = number === written && country === home;
  let behind = 0;
  for (let last = groups.length - 1; last > 0; last -= 1) {
    behind += groups[last]?.length ?? 0;
    if (isWholeMobile(country, number.slice(0, -behind))) return behind;
    if (home === undefined) continue;
    const before = written.slice(0, -behind);
    if (!hasHomeCode && isWholeMobile(home, numberAtHome(home, before) ?? '')) return behind;
  }
  return 0;
}

/** Whether it is a mobile number of the usual length, or a longer one. */
function isWholeMobile(country: Country, number: string): boolean {
  const { code, usualLength } = country;
  const national = number.slice(code.length);
  return usualLength > 0 && national.length >= usualLength && looksMobile(country, national);
}

/** The number as it follows the country code, without a domestic prefix; null if its length is impossible. */
function nationalNumber(country: Country, given: string): string | null {
  for (const form of formsOf(country, withoutSecondCode(country, given))) {
    const national = usualSpelling(country, form);
    if (!country.lengths.includes(national.length)) continue;
    // Both the code and the prefix can be written twice, as in 049 1512 3456789 with the code 49.
    return national === given ? national : nationalNumber(country, national);
  }
  return null;
}

/** The digits after a second country code, if they are a mobile number, unless with it they are one of usual length. */
function withoutSecondCode(country: Country, national: string): string {
  const { code, mobile, usualLength } = country;
  const second = national.startsWith('00') ? national.slice(2) : national;
  const rest = second.slice(code.length);
  if (!second.startsWith(code) || !mobile.pattern.test(rest)) return national;
  return national.length <= usualLength && isGivenOut(country, code + national) ? national : rest;
}

/** Whether a number seems to have its country code twice, and it is unclear what it is without it. */
export function hasCodeTwice(country: Country, number: string, groups: readonly string[]): boolean {
  const { code, lengths } = country;
  const isPossible = number.startsWith(code, code.length) && lengths.includes(number.length - 2 * code.length);
  if (!isPossible) return false;
  const isWrittenTwice = groups.length > 1 && groups.slice(0, 2).every((group) => group.replace(/^00/, '') === code);
  return !(isWrittenTwice ? hasMobilePattern : isGivenOut)(country, number);
}

/** What the digits can mean, most likely first. */
function formsOf(country: Country, national: string): string[] {
  const { code, trunk, prefix, leadingZero } = country;
  const startsWith0 = national.startsWith('0');
  // In North America the prefix is the country code, and is read as that.
  const dialed = trunk === code ? '' : (prefix.exec(national)?.[0] ?? '');
  // Most numbers have no prefix.
  if (!startsWith0 && dialed === '') return [national];
  const shorter: string[] = [];
  // What is a carrier's code after the 0 can also be the number's own digits.
  for (const start of [dialed, trunk].filter((each) => each !== '' && national.startsWith(each))) {
    const rest = national.slice(start.length);
    shorter.push(rest);
    // Another zero after the prefix can belong to the number.
    if (rest.startsWith('0') && (leadingZero === 'never' || looksMobile(country, rest.slice(1))))
      shorter.push(rest.slice(1));
  }
  if (startsWith0 && country.dropsZero) shorter.push(national.slice(1));
  const bare = leadingZero === 'usually' ? shorter : shorter.filter((form) => !form.startsWith('0'));
  if (!startsWith0) return [...bare.filter((form) => looksMobile(country, form)), national, ...bare];
  if (leadingZero === 'never') return bare;
  // If the prefix is a 0, a 0 belongs to the number only where that is usual.
  return leadingZero === 'usually' || trunk === '' ? [national, ...bare] : [...bare, national];
}

/** The spelling that reaches a mobile number from abroad, where people also use others. */
function usualSpelling(country: Country, national: string): string {
  switch (country.code) {
    // Until 2019, mobile numbers had a 1 before them from abroad, and 044 or 045 inside Mexico.
    case '52':
      return national.replace(/^(?:1|4[45])(?=[1-9]\d{9}$)/, '');
    // Inside Argentina, a 15 after the area code replaces the 9 before it.
    case '54': {
      const forms = [2, 3, 4]
        .filter((area) => national.length === 12 && national.startsWith('15', area))
        .map((area) => `9${national.slice(0, area)}${national.slice(area + 2)}`)
        .filter((form) => country.mobile.pattern.test(form));
      return forms.length === 1 ? (forms[0] ?? national) : national;
    }
    // By 2016, Brazil's mobile numbers had got a ninth digit, a 9.
    case '55':
      return national.replace(/^([1-9]{2})(?=[689]\d{7}$)/, '$19');
    // Where landlines begin with a 0, as in Italy, some people write it before mobile numbers, too.
    default: {
      const { mobile, landline } = country;
      if (!country.keepsZero || !national.startsWith('0')) return national;
      const rest = national.slice(1);
      const isWhole = mobile.pattern.test(national) || landline.test(national);
      return !isWhole && mobile.pattern.test(rest) ? rest : national;
    }
  }
}
