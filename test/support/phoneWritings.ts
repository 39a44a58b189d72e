/** The ways in which people write mobile numbers, to see how the node reads each. */
import examples from 'libphonenumber-js/examples.mobile.json';
import { getCountries, getExampleNumber, type PhoneNumber } from 'libphonenumber-js/max';

/** An example of a mobile number of each region that has one. */
export const EXAMPLES: readonly PhoneNumber[] = getCountries().flatMap(
  (region) => getExampleNumber(region, examples) ?? [],
);

export type Writing = (number: PhoneNumber) => string;

const international: Writing = (number) => number.formatInternational();
const national: Writing = (number) => number.formatNational();

export const INTERNATIONAL: Readonly<Record<string, Writing>> = {
  '`+447400123456`': (number) => number.number,
  '`447400123456`': (number) => number.number.slice(1),
  '`+44 7400 123456`': international,
  '`44 7400 123456`': (number) => international(number).slice(1),
  '`00` for `+`': (number) => international(number).replace('+', '00'),
  'no-break spaces': (number) => international(number).replaceAll(' ', '\u00a0'),
  dots: (number) => international(number).replaceAll(' ', '.'),
  dashes: (number) => international(number).replaceAll(' ', '-'),
  'brackets: `+44 (7400) 123456`': (number) => international(number).replace(/^(\+\d+) (\d+)/, '$1 ($2)'),
};

export const NATIONAL: Readonly<Record<string, Writing>> = {
  '`07400 123456`': national,
  '`07400.123456`': (number) => national(number).replaceAll(' ', '.'),
  '`07400123456`': (number) => national(number).replace(/\D/g, ''),
  '`7400 123456`': (number) => {
    const withoutZero = national(number).replace(/^0/, '');
    return withoutZero.replace(/\D/g, '') === number.nationalNumber ? withoutZero : number.nationalNumber;
  },
  '`7400123456`': (number) => number.nationalNumber,
};

/** What makes a number unusable if it follows the number. */
export const BEHIND: readonly string[] = ['-5', ' 5', ' - 5', '.5', '/2', '(5)', ' 12', '-12', '-123', ' 123', ' 1234'];

/** What can be between two numbers in one field. */
export const BETWEEN: readonly string[] = [' ', '  ', '\n', '/', ' / ', '-', ', ', ';', ' or '];
