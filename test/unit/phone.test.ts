import examples from 'libphonenumber-js/examples.mobile.json';
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';

import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { cleanPhone, type PhoneRules } from '../../nodes/MessagingSend/phone/phone';
import { seededRandom } from '../../tools/random';
import { listOf, ODD_VALUES } from './samples';

const CLEAN = { kind: 'clean', phone: '447700900123' };

type PhoneCheck = { kind: 'clean'; phone: string } | { kind: 'wrong'; failure: Failure };

function check(given: unknown, rules: PhoneRules): PhoneCheck {
  const read = cleanPhone(given, rules);
  return typeof read === 'string' ? { kind: 'clean', phone: read } : { kind: 'wrong', failure: read };
}

function clean(given: unknown, countryCode: string | null = null): PhoneCheck {
  return check(given, { countryCode, numberCheck: 'on' });
}

function cleanUnchecked(given: unknown, countryCode: string | null = null): PhoneCheck {
  return check(given, { countryCode, numberCheck: 'off' });
}

function messageOf(given: unknown, countryCode: string | null = null): string {
  const check = clean(given, countryCode);
  return check.kind === 'wrong' ? check.failure.message : `accepted as ${check.phone}`;
}

describe('A phone number', () => {
  test.each([
    ['as it should be', '447700900123'],
    ['with +', '+447700900123'],
    ['with 00', '00447700900123'],
    ['with +00', '+00447700900123'],
    ['with spaces', ' +44 7700 900 123 '],
    ['with a space after +', '+ 44 7700 900123'],
    ['with tabs and line ends around it', '\t447700900123\r\n'],
    ['with dots', '44.7700.900.123'],
    ['with 00 and dots', '0044.7700.900123'],
    ['with slashes', '0044/7700/900123'],
    ['with backslashes', '44\\7700\\900123'],
    ['with round brackets', '+44 (7700) 900123'],
    ['with square brackets', '[+44] 7700 900123'],
    ['with + in brackets', '(+44) 7700 900123'],
    ['with a country code in brackets', '+(44)7700900123'],
    ['with a zero that is dialled at home', '+44 (0)7700 900123'],
    ['with a zero that is dialled at home, and spaces around it', '+44 (0) 7700 900-123'],
    ['with a zero that is dialled at home, and brackets after it', '+44 (0)(7700) 900123'],
    ['with a zero that is dialled at home, and 00', '0044 (0)7700 900123'],
    ['with a zero that is dialled at home, and without +', '44(0)7700900123'],
    ['with a dot at its end', '447700900123.'],
    ['as a JSON number', 447700900123],
    ['as a decimal JSON number', JSON.parse('447700900123.0') as unknown],
    ['as a big integer', 447700900123n],
    ['as a decimal', '447700900123.0'],
    ['as a decimal with two places', '447700900123.00'],
    ['as a decimal with a comma', '447700900123,0'],
    ['as a decimal with +', '+447700900123.0'],
  ])('is read %s', (_how, given) => expect(clean(given)).toEqual(CLEAN));

  // Hyphens, dashes and minus signs of typesetting, of Armenian, Japanese and full-width text; the first is ASCII's.
  const DASHES = [
    0x2d, 0xad, 0x58a, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0x301c, 0xfe58, 0xfe63, 0xff0d,
  ];
  test.each(DASHES)('is read with the dash of code point %i', (code) => {
    const dash = String.fromCodePoint(code);
    expect(clean(`+44${dash}7700${dash}900123`)).toEqual(CLEAN);
  });

  // Spaces of several widths, joiners, marks of direction, and the byte order mark.
  const INVISIBLE = [
    0xa0, 0x202f, 0x2007, 0x2009, 0x3000, 0x200b, 0x200c, 0x200d, 0x200e, 0x202a, 0x202c, 0x2068, 0x2060, 0xfeff, 0x61c,
  ];
  test.each(INVISIBLE)('is read with the invisible character of code point %i', (code) => {
    const character = String.fromCodePoint(code);
    expect(clean(`${character}+${character}44${character}7700 900123${character}`)).toEqual(CLEAN);
  });

  test.each([
    '(+44)(0)7700900123',
    '+44-(0)7700-900123',
    '+44.(0).7700.900123',
    '(0044) (0)7700 900123',
    '+44 [0] 7700 900123',
  ])('loses the zero that is dialled at home in %s', (given) => expect(clean(given)).toEqual(CLEAN));
});

describe('A phone number is never read as another one,', () => {
  test('such as one with a zero in brackets at its end', () => {
    expect(clean('+44 7700 90012(0)')).not.toEqual({ kind: 'clean', phone: '44770090012' });
  });

  test('such as one that ends with a group of three zeros', () => {
    expect(clean('+447700900.000')).not.toEqual({ kind: 'clean', phone: '447700900' });
  });

  test('such as a JSON number with decimal places', () => {
    expect(clean(447700900123.5)).toMatchObject({ kind: 'wrong' });
    expect(clean(44.770090012)).toMatchObject({ kind: 'wrong' });
  });

  test('such as a negative number, to which a spreadsheet evaluates +44-7700900123', () => {
    expect(clean(44 - 7_700_900_123)).toMatchObject({ kind: 'wrong' });
    expect(clean(String(44 - 7_700_900_123))).toMatchObject({ kind: 'wrong' });
  });
});

describe('The default country code', () => {
  test.each(['07700 900123', '(0)7700 900123', '07700-900-123', '0 7700 900123'])('replaces the 0 of %s', (given) => {
    expect(clean(given, '44')).toEqual(CLEAN);
  });

  const WITH_CODE = ['447700900123', '+44 7700 900123', '0044 7700 900123', '+44 (0)7700 900123'];
  test.each(WITH_CODE)('does not change %s, which has a country code', (given) => {
    expect(clean(given, '39')).toEqual(CLEAN);
  });

  test.each([
    ['1', '011 44 7700 900123'],
    ['81', '010 44 7700 900123'],
    ['7', '810 44 7700 900123'],
    ['7', '8 10 44 7700 900123'],
  ])('%s does not change %s, which begins with what is dialled there before another country code', (code, given) => {
    expect(clean(given, code)).toEqual(CLEAN);
  });
});

describe('An invalid phone number', () => {
  test.each<[unknown, string]>([
    ['', 'is empty'],
    [' \u200b\u00a0\n', 'is empty'],
    [null, 'is empty'],
    [undefined, 'is empty'],
    [['447700900123'], 'is a list, not a text or a whole number'],
    [{ phone: '447700900123' }, 'is an object, not a text or a whole number'],
    [true, 'is a boolean, not a text or a whole number'],
    [NaN, 'is the result of an invalid calculation, not a text or a whole number'],
    ['+44 7700 MESSAGE', 'contains letters'],
    ['mobile: 447700900123', 'contains letters'],
    ['44770090012O', 'contains letters'],
    ...['447700900123*', '447700900123#4', '447700900123;4', '447700900123,4'].map((given): [unknown, string] => [
      given,
      'contains a character that is not allowed',
    ]),
    ['44+7700900123', 'contains a character that is not allowed'],
    ['++447700900123', 'contains a character that is not allowed'],
    ['4477009001\ud8002', 'contains a character that is not allowed'],
    ['07700 900123', 'begins with 0, so its country code is missing'],
    ['(0)7700 900123', 'begins with 0, so its country code is missing'],
    ['011 44 7700 900123', 'begins with 0, so its country code is missing'],
    ['+0 7700 900123', 'begins with 0, so its country code is missing'],
    ['+', 'has 0 digits, which is too short: it needs 7 to 15'],
    ['+4', 'has 1 digit, which is too short: it needs 7 to 15'],
    ['447700', 'has 6 digits, which is too short: it needs 7 to 15'],
    ['4477009001234567', 'has 16 digits, which is too long: it needs 7 to 15'],
  ])('in the form of %j is reported: it %s', (given, message) => {
    expect(messageOf(given)).toBe(`The phone number ${message}`);
  });

  test.each(['4.47E+11', '4.47e11', '4,47E+11', '+4.47E+11', '4E+11', 1e21, 4.477009001235e23])(
    'in scientific notation is reported as such: %s',
    (given) => {
      expect(messageOf(given)).toMatch(/^The phone number is in scientific notation/);
    },
  );

  test('is not repeated in its failure', () => {
    const wrong = listOf('0770 090 0987, +44 7700 9009876543210, 44770O900987, 4477009*00987, 98765, 9.87654E+11');
    for (const given of [...wrong, ['0987654321']]) {
      const check = clean(given);
      expect(check.kind).toBe('wrong');
      expect(JSON.stringify(check)).not.toMatch(/987|654/);
    }
  });

  test('is reported with advice', () => {
    for (const given of ['', '0770', 'x', '*', '123', '4.47E+11', {}]) {
      const advice = expect.stringMatching(/^[A-Z].{20,}\.$/) as unknown;
      expect(clean(given)).toMatchObject({ kind: 'wrong', failure: { advice } });
    }
  });
});

describe('Reading a phone number', () => {
  test.each(ODD_VALUES)('refuses %s', (_name, value) => {
    expect(clean(value).kind).toBe('wrong');
  });

  test('always gives 7 to 15 digits without a leading 0, which are read unchanged', () => {
    const wrong: unknown[] = [];
    const seed = Date.now();
    const random = seededRandom(seed);
    const characters = '0123456789+-.()[]/\\ ,eE\u200b\u00a0x';
    const homes = [null, '44', '39', '1', '49', '7'];
    for (let run = 0; run < 60_000; run++) {
      const given = Array.from(
        { length: 1 + Math.floor(random() * 20) },
        // Digits come more often than others, so that many are numbers.
        () => characters[Math.floor((random() < 0.5 ? 10 : characters.length) * random())],
      ).join('');
      const home = homes[Math.floor(random() * homes.length)] ?? null;
      const numberCheck = random() < 0.5 ? 'on' : 'off';
      const phone = cleanPhone(given, { countryCode: home, numberCheck });
      if (typeof phone !== 'string') continue;
      const again = cleanPhone(phone, { countryCode: null, numberCheck });
      if (again !== phone || !/^[1-9]\d{6,14}$/.test(phone)) wrong.push({ given, phone, again });
    }
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  });

  test.each(['4', '4.', '+', '(0)', '4(0)', ' ', '-', '4e', ',0', '\ud800'])('refuses 10 MB of %j', (part) => {
    expect(clean(part.repeat(10_000_000 / part.length)).kind).toBe('wrong');
  });
});

describe('With the default country code', () => {
  test.each([
    ['44', '7700900123', '447700900123', 'has lost its 0 in a spreadsheet'],
    ['44', '447700900123', '447700900123', 'has the code'],
    ['44', '4407700900123', '447700900123', 'has the code and the 0'],
    ['1', '(212) 555-0109', '12125550109', 'is written as at home'],
    ['1', '1 212 555 0109', '12125550109', 'has the 1 that is both the code and what is dialled at home'],
    ['34', '612 345 678', '34612345678', 'looks like one of Australia'],
    ['39', '333 123 4567', '393331234567', 'looks like one of France'],
    ['39', '393331234567', '393331234567', 'has the code'],
    ['39', '391 234 5678', '393912345678', 'begins like the code'],
    ['91', '91234 56789', '919123456789', 'begins like the code'],
    ['91', '919123456789', '919123456789', 'has the code'],
    ['55', '(55) 99123-4567', '5555991234567', 'begins like the code'],
    ['49', '1512 3456789', '4915123456789', 'looks like one of the United States'],
    ['49', '49 30 1234567', '49301234567', 'has the code, and is no mobile number'],
    ['49', '447700900123', '447700900123', 'is one of another country'],
    ['43', '447700900123', '447700900123', 'is one of another country, though Austria has numbers of this length'],
    ['36', '20 123 4567', '36201234567', 'has no code'],
    ['7', '8 912 345-67-89', '79123456789', 'begins with the 8 that Russia dials'],
    ['7', '7001234567', '77001234567', 'begins like the code, in Kazakhstan'],
    ['7', '800 123-45-67', '78001234567', 'begins with an 8 that belongs to it'],
    ['375', '8 029 491-19-11', '375294911911', 'begins with the 80 that Belarus dials'],
    ['52', '55 1234 5678', '525512345678', 'has no code'],
    ['54', '011 2345-6789', '541123456789', 'begins with 0'],
    ['55', '(011) 91234-5678', '5511912345678', 'begins with 0'],
    ['225', '07 08 09 10 11', '2250708091011', 'keeps its 0'],
    ['36', '06 30 123 4567', '36301234567', 'begins with the 06 that Hungary dials'],
    ['242', '06 612 3456', '242066123456', 'keeps its 0'],
    ['241', '06 03 12 34', '24106031234', 'keeps its 0'],
    ['241', '077 12 34 56', '24177123456', 'does not keep its 0'],
    ['378', '0549 886377', '3780549886377', 'keeps its 0'],
    ['378', '66 66 12 12', '37866661212', 'has no 0'],
    ['39', '06 698 12345', '390669812345', 'keeps its 0, as the Vatican does'],
    ['81', '090 1234 5678', '819012345678', 'begins with 0'],
    ['44', '+1 (212) 555-0109', '12125550109', 'is marked as one of another country'],
    ['34', '0034 612 345 678', '34612345678', 'is marked with 00'],
  ])('%s, the number %s is sent to %s: it %s', (countryCode, given, phone) => {
    expect(clean(given, countryCode)).toEqual({ kind: 'clean', phone });
  });

  test('a national number may begin like what is dialled before another country code', () => {
    expect(clean('810 12 3456', '992')).toEqual({ kind: 'clean', phone: '992810123456' });
  });

  test('a number that is possible nowhere is refused with the lengths of that country', () => {
    const lengths = (given: string, code: string) => messageOf(given, code).replace('The phone number has ', '');
    expect(messageOf('7700 90012', '44')).toBe('accepted as 44770090012');
    for (const given of ['7700 9001', '07700 9001'])
      expect(lengths(given, '44')).toBe(
        '8 digits after the country code 44 (United Kingdom and others), which needs 7, 9 or 10',
      );
    expect(lengths('555-0109', '1')).toBe(
      '7 digits after the country code 1 (United States and others), which needs 10',
    );
    expect(lengths('0117 496 0123', '1')).toMatch(/^11 digits after the country code 1 /);
    expect(messageOf('+49 1', '44')).toMatch(/^The phone number has 3 digits, which is too short/);
  });

  test.each(['999', '0', '210', '1868'])('no number is sent if the code is %s, that of no country', (code) => {
    const message = `'Default Country Code' is ${code}, which is not a known country code`;
    for (const given of ['447700900123', '+447700900123', '07700 900123', ''])
      expect(messageOf(given, code)).toBe(message);
  });
});

describe('Without a default country code', () => {
  test.each([
    ['(212) 555-0109', 'has 7 digits after the country code 212 (Morocco and others), which needs 9'],
    ['7700900123', 'has 9 digits after the country code 7 (Russia and others), which needs 10 or 14'],
    ['333 123 4567', 'has 8 digits after the country code 33 (France), which needs 9'],
    ['11 212 555 0109', 'has 11 digits after the country code 1 '],
    ['999 123 4567', 'does not begin with a known country code'],
  ])('%s is refused, because no country has such a number', (given, reason) => {
    const advice = expect.stringMatching(/'Default Country Code'/) as unknown;
    expect(clean(given)).toMatchObject({ failure: { advice } });
    expect(messageOf(given).startsWith(`The phone number ${reason}`)).toBe(true);
  });

  test.each([
    ['+44 07700 900123', '447700900123'],
    ['0044 07700 900123', '447700900123'],
    ['44 07700 900123', '447700900123'],
    ['+49 0170 1234567', '491701234567'],
    ['+34 (0)612 345 678', '34612345678'],
    ['+36 06 30 123 4567', '36301234567'],
    ['+36 (0)62 123 456', '3662123456'],
    ['+36 (06) 30 123 4567', '36301234567'],
    ['+7 8 912 345-67-89', '79123456789'],
    ['+7 (0)912 345-67-89', '79123456789'],
    ['+7 800 123-45-67', '78001234567'],
    ['+375 8 029 491-19-11', '375294911911'],
    ['+241 077 12 34 56', '24177123456'],
    ['+81 090 1234 5678', '819012345678'],
    ['+81 0090 1234 5678', '819012345678'],
    ['+91 0098765 43210', '919876543210'],
    ['+44 007911 123456', '447911123456'],
  ])('%s loses what is dialled only inside its country, and is sent to %s', (given, phone) => {
    expect(clean(given)).toEqual({ kind: 'clean', phone });
  });

  test.each([
    ['+39 06 698 12345', '390669812345'],
    ['+39 (0)331 1234567', '3903311234567'],
    ['+378 0549 886377', '3780549886377'],
    ['+225 07 08 09 10 11', '2250708091011'],
    ['+242 06 612 3456', '242066123456'],
    ['+241 06 03 12 34', '24106031234'],
    ['+229 01 95 12 34 56', '2290195123456'],
    ['+47 02580', '4702580'],
    ['+800 0012 3456', '80000123456'],
    ['+81 00379 4532388', '81003794532388'],
  ])('%s keeps the 0 behind its country code', (given, phone) => {
    expect(clean(given)).toEqual({ kind: 'clean', phone });
  });

  test('a number with + is checked by its own country, and the way out is named', () => {
    const message =
      'The phone number has 12 digits after the country code 44 (United Kingdom and others), which needs 7, 9 or 10';
    const advice = expect.stringMatching(/'Number Check'/) as unknown;
    expect(clean('+44 7700 90012345')).toMatchObject({ failure: { message, advice } });
    // In North America 1 is the code as well as what is dialled at home; Australia dials 0011 for 00.
    expect(messageOf('+1 1 212 555 0109')).toMatch(/^The phone number has 11 digits after the country code 1 /);
    expect(messageOf('0011 65 8123 4567')).toMatch(/^The phone number has 11 digits after the country code 1 /);
    expect(messageOf('+883 12345')).toBe(
      'The phone number has 5 digits after the country code 883, which needs 8 to 12',
    );
  });
});

describe('No digit is added to a phone number or left out:', () => {
  test.each(
    listOf(`447700900123.5, 491701234567.5, 491701234567.25, 44 7700 900123.5, 447700900123/2, 491701234567/2,
      +49 30 123456/78, 447700900123\\2, +44 7700 900123 (2), +49 170 1234567 (2), +49 170 1234567 [12],
      +49 170 (0) 1234567, +491701(0)234567, 4917(0)1234567`),
  )('%s is not read as one number', (given) => {
    expect(messageOf(given)).toBe('The phone number has extra digits, such as an extension or decimal places');
    expect(cleanUnchecked(given).kind).toBe('wrong');
  });

  test.each([
    '555-1234 / 555-5678',
    '555-1234/555-5678',
    '555-1234 555-5678',
    '5551234\n5555678',
    '447700900123 447700900124',
    '447700900123 / 447700900124',
    '00447700900123 00447700900124',
    '447700900123, 447700900124',
    '447700900123;447700900124',
    '447700900123/447700900124',
    '+44 7700 900123; +44 7700 900124',
    '447700900123 or 447700900124',
    '447700900123 & 447700900124',
  ])('%j is more than one number', (given) => {
    for (const countryCode of [null, '1', '49'])
      expect(messageOf(given, countryCode)).toBe('The phone number is more than one number');
    expect(cleanUnchecked(given).kind).toBe('wrong');
  });

  test.each([
    '+44 7700 900123 x12',
    '447700900123x4',
    '447700900123 ext. 5',
    '447700900123 ext 5',
    '+44 7700 900123;ext=5',
  ])('%s has an extension', (given) => expect(messageOf(given)).toBe('The phone number contains letters'));

  test.each([
    ...listOf(
      '2025-01-31, 2025/01/31, 2025.01.31, 2025-1-31, 2025\u201101\u201131, 31.01.2025, 31/01/2025, 01/31/2025',
    ),
    ...listOf('1/31/2025, 31-01-2025, 2025-01-31 10:30, 2025-01-31T10:30:00.000Z'),
    ...[' 2025-01-31 ', '\u200b2025-01-31\ufeff', '31.01.2025, 10:30'],
  ])('%s is a date', (given) => {
    for (const countryCode of [null, '49', '44'])
      expect(messageOf(given, countryCode)).toBe('The phone number is a date');
    expect(cleanUnchecked(given).kind).toBe('wrong');
  });

  test.each([
    ['0170/1234567', '49', '491701234567'],
    ['+49 30/1234567-89', null, '4930123456789'],
    ['+49 36601/12345', null, '493660112345'],
    ['06/12/34/56/78', '33', '33612345678'],
    ['06.12.34.56.78', '33', '33612345678'],
    ['0475/12.34.56', '32', '32475123456'],
    ['0032475/12.34.56', null, '32475123456'],
    ['0043664 1234567', null, '436641234567'],
    ['0043664/1234567', null, '436641234567'],
    ['+1.2125550109', null, '12125550109'],
  ])('%s is one number', (given, countryCode, phone) => {
    expect(clean(given, countryCode)).toEqual({ kind: 'clean', phone });
  });
});

describe('Number Check', () => {
  const regions = getCountries();

  test.each(regions)('accepts an example of %s however it is written', (region) => {
    const example = getExampleNumber(region, examples);
    if (example === undefined) throw new Error(`no example for ${region}`);
    const { countryCallingCode, nationalNumber } = example;
    const phone = example.number.slice(1);
    // Argentina writes 15 inside a mobile number, where other countries write a 9 in front of it.
    const national = region === 'AR' ? `0${nationalNumber}` : example.formatNational();
    const written: Array<[string, string | null]> = [
      [phone, null],
      [`+${phone}`, null],
      [`00${phone}`, countryCallingCode === '44' ? '1' : '44'],
      [example.formatInternational(), null],
      [phone, countryCallingCode],
      [national, countryCallingCode],
      [nationalNumber, countryCallingCode],
    ];
    for (const [given, countryCode] of written) {
      expect([given, countryCode, clean(given, countryCode)]).toEqual([given, countryCode, { kind: 'clean', phone }]);
    }
  });

  test('refuses no number that is valid', () => {
    const seed = Date.now();
    const random = seededRandom(seed);
    const digits = (length: number) => Array.from({ length }, () => Math.floor(random() * 10)).join('');
    const codes = [...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)];
    let valid = 0;
    for (const code of codes) {
      for (let run = 0; run < 400; run++) {
        const phone = code + digits(4 + Math.floor(random() * 9));
        const parsed = parsePhoneNumberFromString(`+${phone}`);
        // Canada's numbers of 7 digits can't be dialled from abroad.
        const counts = phone.length >= 7 && phone.length <= 15 && (code !== '1' || phone.length > 8);
        if (!counts || parsed?.number !== `+${phone}` || !parsed.isValid()) continue;
        valid += 1;
        const read = clean(`+${phone}`);
        if (read.kind === 'wrong' || read.phone !== phone)
          throw new Error(`seed ${seed}: ${phone} was read as ${JSON.stringify(read)}`);
      }
    }
    expect(valid).toBeGreaterThan(1000);
  });

  test('reads a landline as it is written in its country', () => {
    const seed = Date.now();
    const random = seededRandom(seed);
    // Where nothing is dialled before it, and where it is the 8 that codes of other countries begin with.
    const trunks: Record<string, string> = { 7: '8', 30: '', 351: '', 372: '', 420: '', 506: '', 65: '', 852: '' };
    let landlines = 0;
    for (const [code, trunk] of Object.entries(trunks)) {
      for (let run = 0; run < 3000; run++) {
        const national = String(Math.floor(random() * 9e9) + 1e9).slice(0, 7 + Math.floor(random() * 4));
        const parsed = parsePhoneNumberFromString(`+${code}${national}`);
        if (parsed?.getType() !== 'FIXED_LINE' || parsed.nationalNumber !== national) continue;
        landlines += 1;
        const read = clean(trunk + national, code);
        if (read.kind === 'wrong' || read.phone !== code + national)
          throw new Error(`seed ${seed}: ${trunk + national} in ${code} was read as ${JSON.stringify(read)}`);
      }
    }
    expect(landlines).toBeGreaterThan(500);
  });

  test.each([
    ['352478247', '352', '352478247'],
    ['4520123456', '685', '4520123456'],
    ['85291234567', '7', '85291234567'],
    ['8 017 215-54-54', '375', '375172155454'],
    ['31008000902', '31', '318000902'],
  ])('reads %s with the default country code %s as %s', (given, countryCode, phone) => {
    expect(clean(given, countryCode)).toEqual({ kind: 'clean', phone });
  });

  test('accepts any 7 to 15 digits when it is off', () => {
    const misread: unknown[] = [];
    const seed = Date.now();
    const random = seededRandom(seed);
    for (let run = 0; run < 5000; run++) {
      const length = 7 + Math.floor(random() * 9);
      const digit = (_: unknown, at: number) => (at === 0 ? 1 + Math.floor(random() * 9) : Math.floor(random() * 10));
      const phone = Array.from({ length }, digit).join('');
      for (const given of [phone, `+${phone}`, `00${phone}`, Number(phone)]) {
        for (const countryCode of [null, '44', '9999']) {
          const read = cleanPhone(given, { countryCode, numberCheck: 'off' });
          if (read !== phone) misread.push([given, countryCode, read]);
        }
      }
    }
    expect({ seed, misread }).toEqual({ seed, misread: [] });
  });

  test.each([
    ['07700 900123', '44', '447700900123'],
    ['0331 1234567', '39', '3903311234567'],
    ['06 30 123 4567', '36', '36301234567'],
    ['0781 234 567', '250', '250781234567'],
    ['0123456', '999', '999123456'],
  ])('when it is off, replaces the 0 of %s with the default country code %s', (given, countryCode, phone) => {
    expect(cleanUnchecked(given, countryCode)).toEqual({ kind: 'clean', phone });
  });

  test.each([
    ['447700', /^The phone number has 6 digits, which is too short/],
    ['4477009001234567', /^The phone number has 16 digits, which is too long/],
    ['07700 900123', /^The phone number begins with 0/],
  ])('when it is off, still refuses %s', (given, message) => {
    expect(cleanUnchecked(given)).toMatchObject({ failure: { message: expect.stringMatching(message) as unknown } });
  });
});
