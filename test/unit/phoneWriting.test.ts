/** Phone numbers as people write them, in every country: what is read, and what is never sent to. */
import { duplicateKey } from '../../nodes/MessagingSend/messages/message';
import { cleanPhone, type PhoneRules } from '../../nodes/MessagingSend/phone/phone';
import { readProjectFile } from '../../tools/project';
import { BEHIND, BETWEEN, EXAMPLES, INTERNATIONAL, NATIONAL, type Writing } from '../support/phoneWritings';
import { messageAt } from './samples';

function read(given: string, countryCode: string | null, numberCheck: PhoneRules['numberCheck'] = 'on'): string {
  const phone = cleanPhone(given, { countryCode, numberCheck });
  return typeof phone === 'string' ? phone : phone.message;
}

/** What is read of each example in a way of writing, where that is another number. */
function misread(write: Writing, hasHome: boolean): string[] {
  return EXAMPLES.flatMap((example) => {
    const phone = read(write(example), hasHome ? example.countryCallingCode : null);
    return phone === example.number.slice(1) ? [] : [`${example.country} ${write(example)}: ${phone}`];
  });
}

describe('A mobile number of every country is read', () => {
  test.each(Object.entries(INTERNATIONAL))('with its code, as %s', (_way, write) => {
    expect([misread(write, false), misread(write, true)]).toEqual([[], []]);
  });

  test.each(Object.entries(NATIONAL))('as at home, as %s', (_way, write) => {
    expect(misread(write, true)).toEqual([]);
  });
});

/** What would be sent to, of numbers with something behind them that is not part of them. */
function sentTo(write: Writing, isNational: boolean): string[] {
  const homes = (example: (typeof EXAMPLES)[number]) => [example.countryCallingCode, ...(isNational ? [] : [null])];
  return EXAMPLES.flatMap((example) =>
    homes(example).flatMap((home) => {
      const phone = read(write(example), home);
      return /^\d+$/.test(phone) ? [`${example.country} ${JSON.stringify(write(example))} (${home}): ${phone}`] : [];
    }),
  );
}

function allSentTo(change: (number: string) => string): string[] {
  const ways = [...Object.values(INTERNATIONAL), ...Object.values(NATIONAL)];
  return ways.flatMap((write, index) =>
    sentTo((example) => change(write(example)), index >= Object.keys(INTERNATIONAL).length),
  );
}

describe('Nothing is sent to a mobile number of any country', () => {
  test.each(BEHIND)('with "%s" behind it', (behind) => {
    expect(allSentTo((number) => number + behind)).toEqual([]);
  });

  test.each(BETWEEN.map((between) => [JSON.stringify(between), between]))(
    'with %s and another one behind it',
    (_, between) => {
      expect(allSentTo((number) => number + between + number)).toEqual([]);
    },
  );
});

test.each([
  ['612 34 56 78 12', '34', /^The phone number has 11 digits after the country code 34 \(Spain\)/],
  ['601 123 456-123', '420', /has extra digits/],
  ['312 345\n312 346', '376', /is more than one number/],
  ['+44 7400\n123456', null, /is more than one number/],
  ['612 345 678', null, /does not begin with a known country code/],
  ['+43 664 123456-12', null, /has extra digits/],
])('%j with the default country code %s goes to nobody', (given, countryCode, message) => {
  expect(read(given, countryCode)).toMatch(message);
});

test('The page about phone numbers says how many were tried', () => {
  const { length } = EXAMPLES;
  expect(readProjectFile('docs/phone-numbers.md')).toContain(`${length} of ${length}`);
});

test.each([
  ['+43 664 1234 567', null, '436641234567'],
  ['+49 30 1234567-89', null, '4930123456789'],
  ['1 2 1 2 5 5 5 0 1 0 9', null, '12125550109'],
  ['+31 6 12 34 56 78', '34', '31612345678'],
  ['31 6 12 34 56 78', '34', '31612345678'],
  ['44207946 0018', null, '442079460018'],
])('%s with the default country code %s is one number', (given, countryCode, phone) => {
  expect(read(given, countryCode)).toBe(phone);
});

describe('What is dialled before the code of another country', () => {
  test.each([
    ['234', '009 1 212 555 0109', '12125550109', 'Nigeria'],
    ['65', '001 354 611 1234', '3546111234', 'Singapore'],
    ['592', '001 44 7400 123456', '447400123456', 'Guyana'],
    ['976', '001 44 7400 123456', '447400123456', 'Mongolia'],
    ['852', '001 44 7400 123456', '447400123456', 'Hong Kong'],
    ['82', '00700 44 7400 123456', '447400123456', 'South Korea'],
    ['66', '009 44 7400 123456', '447400123456', 'Thailand'],
    ['61', '0011 44 7400 123456', '447400123456', 'Australia'],
    ['65', '00447400123456', '447400123456', 'Singapore, with 00'],
    ['65', '0012125550109', '12125550109', 'Singapore, with 00 and one digit more'],
    ['55', '0055 11 96123 4567', '5511961234567', 'Brazil, before its own code'],
    ['254', '000 44 7400 123456', '447400123456', 'Kenya'],
  ])('with the default country code %s: %s is %s (%s)', (countryCode, given, phone) => {
    expect(read(given, countryCode)).toBe(phone);
  });
});

describe('A zero that belongs to the number', () => {
  test.each([
    ['225', '708091011', '2250708091011'],
    ['225', '225708091011', '2250708091011'],
    ['225', '7 08 09 10 11', '2250708091011'],
    ['229', '195123456', '2290195123456'],
    ['242', '66123456', '242066123456'],
    ['241', '62123456', '24162123456'],
  ])('comes back where a spreadsheet dropped it, with the default country code %s: %s', (countryCode, given, phone) => {
    expect(read(given, countryCode)).toBe(phone);
  });

  test('comes back in each of 2,000 numbers of Ivory Coast', () => {
    for (let index = 0; index < 2_000; index += 1) {
      const national = `7${String(1e7 + index * 49_999).padStart(8, '0')}`.slice(0, 9);
      expect(read(national, '225')).toBe(`2250${national}`);
    }
  });
});

describe('One person in several spellings', () => {
  test.each([
    [
      '525512345678',
      ['+52 1 55 1234 5678', '5215512345678', '+52 55 1234 5678', '044 55 1234 5678', '55 1234 5678'],
      '52',
    ],
    ['5491123456789', ['+54 9 11 2345-6789', '+54 11 15-2345-6789', '011 15-2345-6789', '11 15 2345 6789'], '54'],
    ['5492214567890', ['0221 15 456-7890', '+54 9 221 456 7890'], '54'],
    ['5511987654321', ['+55 11 98765-4321', '+55 11 8765-4321', '11 8765 4321', '(011) 98765-4321'], '55'],
    ['393331234567', ['+39 333 1234567', '+39 0333 1234567', '0333 1234567', '0039 0333 1234567'], '39'],
  ])('is %s', (phone, spellings, countryCode) => {
    expect(spellings.map((given) => read(given, countryCode))).toEqual(spellings.map(() => phone));
  });

  test('is one for duplicates, too, where only the service can tell which one arrives', () => {
    const [withNine, without] = ['5491123456789', '541123456789'].map((phone) => duplicateKey(messageAt(0, { phone })));
    expect(withNine).toBe(without);
    expect(read('+54 11 2345 6789', null)).toBe('541123456789');
  });

  test('leaves landlines as they are', () => {
    for (const [given, phone] of [
      ['+55 11 3765-4321', '551137654321'],
      ['+39 0331 1234567', '3903311234567'],
      ['+39 06 698 12345', '390669812345'],
    ] as const) {
      expect(read(given, null)).toBe(phone);
    }
  });
});

describe("'Mobile Numbers Only'", () => {
  const NOT_MOBILE = 'The phone number is not a mobile number of its country';

  test('accepts a mobile number of every country', () => {
    const refused = EXAMPLES.filter(({ number }) => read(number, null, 'mobile') !== number.slice(1));
    expect(refused.map(({ number }) => number)).toEqual([]);
  });

  test('refuses nearly every number with its last digit missing', () => {
    const short = EXAMPLES.map(({ number }) => number.slice(0, -1));
    const accepted = short.filter((number) => /^\d/.test(read(number, null, 'mobile')));
    expect(accepted.length).toBeLessThan(short.filter((number) => /^\d/.test(read(number, null))).length / 3);
  });

  test.each(['+44 20 7946 0018', '+49 30 123456', '+800 1234 5678'])('refuses %s', (given) => {
    expect(read(given, null, 'mobile')).toBe(NOT_MOBILE);
  });

  test('needs a known default country code, as On does', () => {
    expect(read('07400 123456', '999', 'mobile')).toMatch(/not a known country code/);
    expect(read('07400 123456', '44', 'mobile')).toBe('447400123456');
  });
});

test.each(['\u202e', '\u202b', '\u2067'])('A number that %j shows in another order is refused', (mark) => {
  expect(read(`+44 7400 12${mark}3456`, null)).toMatch(/shows its digits in another order/);
  expect(read(`${mark}447400123456`, null, 'off')).toMatch(/shows its digits in another order/);
});
