import { type Country, isMatch } from './country';

/** Countries where phone books have one mobile number in several spellings, none of which is dialled before it. */
export const SPELLED_APART = new Set(['52', '54', '55']);

/** The spelling that reaches a mobile number from abroad, where people have others of it, too. */
export function usualSpelling(country: Country, national: string): string {
  switch (country.code) {
    // Until 2019 a 1 stood before mobile numbers from abroad, and 044 or 045 inside Mexico.
    case '52':
      return national.replace(/^(?:1|4[45])(?=[1-9]\d{9}$)/, '');
    // Inside Argentina, a 15 stands behind the area code, in place of the 9 before it.
    case '54': {
      const forms = [2, 3, 4]
        .filter((area) => national.length === 12 && national.startsWith('15', area))
        .map((area) => `9${national.slice(0, area)}${national.slice(area + 2)}`)
        .filter((form) => isMatch(country.mobile.pattern, form));
      return forms.length === 1 ? (forms[0] ?? national) : national;
    }
    // Until 2016, Brazil's mobile numbers got a ninth digit, a 9.
    case '55':
      return national.replace(/^([1-9]{2})(?=[689]\d{7}$)/, '$19');
    // Where the 0 belongs to landlines, as in Italy, some write it before mobile numbers, too.
    default: {
      const { mobile, landline } = country;
      const isZeroTooMany =
        landline.pattern !== '' &&
        national.startsWith('0') &&
        isMatch(mobile.pattern, national.slice(1)) &&
        !isMatch(mobile.pattern, national) &&
        !isMatch(landline.pattern, national);
      return isZeroTooMany ? national.slice(1) : national;
    }
  }
}
