/** Random numbers of every country, read as numbers of another one. */
import { sample, stringMatching } from 'fast-check';
import { parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';

import { isFailure } from '../../nodes/MessagingSend/failures/failure';
import { readPhone } from '../../nodes/MessagingSend/phone/phone';
import { seededRandom } from '../../tools/random';
import { EXAMPLES, INTERNATIONAL } from '../support/phoneWritings';
import { IS_WHOLE, SEED } from './extent';

const [PER_COUNTRY, OF_OTHERS] = IS_WHOLE ? [200, 148_800] : [4, 3000];
const random = seededRandom(SEED);

/** Valid mobile numbers of each region, or landlines where these look the same. */
const NUMBERS: readonly PhoneNumber[] = EXAMPLES.flatMap(({ country = 'GB', countryCallingCode }) => {
  const [landline, mobile] = metadata.countries[country]?.[11] as unknown[];
  const pattern = [mobile, landline].flatMap((kind) => (Array.isArray(kind) ? String(kind[0]) : [])).find(Boolean);
  const matching = stringMatching(new RegExp(`^(?:${pattern ?? ''})$`));
  return sample(matching, { seed: SEED, numRuns: PER_COUNTRY }).flatMap((national) => {
    const number = parsePhoneNumberFromString(`+${countryCallingCode}${national}`);
    return number?.isValid() === true ? [number] : [];
  });
});

function anyNumber(): PhoneNumber {
  const number = NUMBERS[Math.floor(random() * NUMBERS.length)];
  if (number === undefined) throw new Error('There are no numbers');
  return number;
}

test('A number with + or 00 never reaches a stranger', () => {
  const misread = NUMBERS.flatMap((number) =>
    Object.values(INTERNATIONAL).flatMap((write) => {
      const given = write(number);
      if (!/^(?:\+|00)/.test(given)) return [];
      // With the code of another country, 001 can be the international prefix there.
      const others = given.startsWith('+') ? [anyNumber().countryCallingCode] : [];
      return [null, number.countryCallingCode, ...others].flatMap((countryCode) => {
        const read = readPhone(given, { countryCode, numberCheck: 'on' });
        return isFailure(read) || `+${read.phone}` === number.number ? [] : [[given, countryCode, read.phone]];
      });
    }),
  );
  expect(misread).toEqual([]);
});

test("As written at home, few mobile numbers of another country are read as one of 'Default Country Code'", () => {
  let [compared, strangers] = [0, 0];
  while (compared < OF_OTHERS) {
    const [number, { countryCallingCode: countryCode }] = [anyNumber(), anyNumber()];
    if (number.countryCallingCode === countryCode) continue;
    const given = random() < 0.5 ? number.formatNational() : number.nationalNumber;
    const read = readPhone(given, { countryCode, numberCheck: 'on' });
    compared += 1;
    if (!isFailure(read) && read.readAs === 'home') strangers += 1;
  }
  // Of these, 9 in 10 are valid there: only + could tell.
  expect(strangers / compared).toBeLessThan(0.14);
});
