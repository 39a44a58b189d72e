/** Phone numbers as people write them, in every country: what is read, and what is never sent to. */
import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';

import { type Failure, isFailure } from '../../nodes/MessagingSend/failures/failure';
import { internationalNumber } from '../../nodes/MessagingSend/phone/numbering';
import { type PhoneRules, readPhone } from '../../nodes/MessagingSend/phone/phone';
import { numberingPlanFile, PLAN_FILE } from '../../tools/numbering/plan';
import { readProjectFile } from '../../tools/project';
import { seededRandom } from '../../tools/random';
import { BEHIND, BETWEEN, EXAMPLES, INTERNATIONAL, NATIONAL, type Writing } from '../support/phoneWritings';
import { listOf, upTo } from './samples';

/** The digits of a number, or the message of its failure. */
function read(
  given: unknown,
  countryCode: string | null = null,
  numberCheck: PhoneRules['numberCheck'] = 'on',
): string {
  const number = readPhone(given, { countryCode, numberCheck });
  return isFailure(number) ? number.message : number.phone;
}

const isRead = (phone: string) => /^\d+$/.test(phone);

test("The numbering plan is that of libphonenumber-js's metadata; `npm run numbering` writes it again", () => {
  expect(readProjectFile(PLAN_FILE)).toBe(numberingPlanFile());
});

// Hyphens, dashes and minus signs of typesetting, of Armenian, Japanese and full-width text; the first is ASCII's.
const DASHES = '-\u00ad\u058a\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u301c\ufe58\ufe63\uff0d';
// Spaces of several widths, joiners, marks of direction, and the byte order mark.
const INVISIBLE = '\u00a0\u202f\u2007\u2009\u3000\u200b\u200c\u200d\u200e\u202a\u202c\u2068\u2060\ufeff\u061c';
const AROUND = listOf("tel:, sms:, whatsapp:, p:, tel:00, p:\u2019, '+, https://wa.me/, whatsapp://send?phone=%2B");

test.each<[how: string, given: unknown[]]>([
  [
    'with white space, separators and brackets, and with a zero that is dialed at home',
    listOf(`44\\7700\\900123, [+44] 7700 900123, +(44)7700900123, +44 (0)7700 900123, +44 [0] 7700 900123,
      (0044)(0)(7700) 900123, 44(0)7700900123, 447700900123., +447700900123.00, 0044/7700/900123`),
  ],
  ['as a JSON number, and with control characters', ['\t+447700900123\r\n', 447700900123, 447700900123n]],
  ['in digits of any script', listOf('+٤٤٧٧٠٠٩٠٠١٢٣, +۴۴۷۷۰۰۹۰۰۱۲۳, ＋４４（０）７７００９００１２３, ৪৪৭৭০০৯০০১২৩')],
  ['in scientific notation, and in thousands', listOf('4.47700900123E+11, 447.700.900.123, 447 700 900 123')],
  ['with a + too many, and a separator behind it', listOf('++447700900123, +++44 7700 900123, tel:++447700900123')],
  [
    'with a separator behind it',
    ['+447700900123;', '447700900123,', '+44 7700 900123 ;,', '"447700900123";', '44 7700 900123 |'],
  ],
  ['with its code twice', listOf('+44 44 7700900123, +44447700900123, +44 0044 7700 900123')],
  ['behind what programs put before it', AROUND.map((before) => `${before}447700900123`)],
  ['within quotes', ['="447700900123"', '"+44 7700 900123"']],
  ['in an address', listOf('447700900123@c.us, 447700900123:12@s.whatsapp.net, https://wa.me/447700900123?text=Hello')],
  ['with any kind of dash', Array.from(DASHES, (dash) => `+44${dash}7700${dash}900123`)],
  ['with invisible characters', Array.from(INVISIBLE, (mark) => `${mark}+${mark}44${mark}7700 900123${mark}`)],
])('A phone number is read %s', (_how, given) => {
  expect(given.filter((each) => read(each) !== '447700900123')).toEqual([]);
});

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

  test('as often as the page about phone numbers says', () => {
    expect(readProjectFile('docs/phone-numbers.md')).toContain(`${EXAMPLES.length} of ${EXAMPLES.length}`);
  });
});

/** What would be sent to, of the examples in all ways of writing, changed to what is no number. */
function allSentTo(change: (number: string) => string): string[] {
  const sentTo = (write: Writing, hasCode: boolean) =>
    EXAMPLES.flatMap((example) =>
      [example.countryCallingCode, ...(hasCode ? [null] : [])].flatMap((home) => {
        const given = change(write(example));
        const phone = read(given, home);
        return isRead(phone) ? [`${example.country} ${JSON.stringify(given)} (${home}): ${phone}`] : [];
      }),
    );
  return [
    ...Object.values(INTERNATIONAL).flatMap((write) => sentTo(write, true)),
    ...Object.values(NATIONAL).flatMap((write) => sentTo(write, false)),
  ];
}

describe('Nothing is sent to a mobile number of any country', () => {
  test.each(BEHIND)('with "%s" behind it', (behind) => {
    expect(allSentTo((number) => number + behind)).toEqual([]);
  });

  test.each(BETWEEN)('with %j and another one behind it', (between) => {
    expect(allSentTo((number) => number + between + number)).toEqual([]);
  });
});

/** With the default country code, if there is one: what is dialed before a number, and what is written into it. */
const SPELLINGS: Array<[countryCode: string | null, phone: string, spellings: string]> = [
  ['44', '447700900123', '4407700900123; +07700 900123; + (0)7700-900-123; 180020 7700 900123; 18002007700900123'],
  [null, '447911123456', '+44 007911 123456'],
  // What Japan and Russia, or Nigeria, dial before another code, and in Singapore 00.
  ['81', '447700900123', '010 44 7700 900123; +44 (0)7700 900123'],
  ['7', '447700900123', '8 10 44 7700 900123'],
  ['234', '12125550109', '009 1 212 555 0109'],
  ['65', '12125550109', '0012125550109'],
  ['1', '12125550109', '1 212 555 0109'],
  [null, '12125550109', '1 2 1 2 5 5 5 0 1 0 9'],
  // An 8 that belongs to it, one of Hong Kong, though Russia dials 8, and the 80 that Belarus dials.
  ['7', '78121234567', '812 123-45-67'],
  ['7', '85291234567', '85291234567'],
  ['375', '375172155454', '8 017 215-54-54'],
  ['375', '375291234567', '8 029 123-45-67; 80 29 123 45 67; 029 123 45 67; 029 1234567; +375 80 29 1234567'],
  ['370', '37061234567', '8 612 34567; (8-612) 34567; 861234567; 0 612 34567; +370 8 612 34567'],
  ['370', '37052123456', '8 5 212 3456; (8-5) 2123456'],
  ['31', '31201234567', '3100201234567'],
  // The code of another country in a group of its own.
  ['34', '31612345678', '31 6 12 34 56 78'],
  ['34', '34612345678', '+34 (0)612 345 678'],
  // A 0 that belongs to it, one that is dialed, and one that a spreadsheet has dropped.
  ['39', '390669812345', '+0669812345; +39 06 698 12345'],
  ['39', '393331234567', '+39 333 1234567; +39 0333 1234567; 0333 1234567; 0039 0333 1234567'],
  ['47', '4702580', '+47 02580'],
  ['225', '2250712345678', '712345678'],
  ['49', '4915123456789', '+01512 3456789; 049 1512 3456789; +49 49 15123456789'],
  ['49', '4930123456789', '+49 30/1234567-89'],
  ['43', '43664123456', '043 664 123456'],
  ['43', '436641234567', '+43 664 1234 567'],
  [null, '381601234567', '+381 0381 601234567'],
  [null, '971501234567', '+971971501234567'],
  [null, '81003794532388', '+81 00379 4532388'],
  // Landlines that are mobile numbers elsewhere, where nothing is dialed before them; and one in Russia.
  ['30', '302413645123', '2413 645 123'],
  ['351', '351278318123', '278 318 123'],
  ['372', '3726836123', '683 6123'],
  ['65', '6568272123', '6827 2123'],
  ['852', '85227838123', '2783 8123'],
  ['7', '74951234567', '8 (495) 123-45-67'],
  // All that libphonenumber's `nationalPrefixForParsing` knows, with what usually follows.
  ['55', '5511987654321', '0 15 11 98765-4321; 90 11 98765-4321; 90 21 11 98765 4321; 041 11 98765-4321'],
  ['55', '5515987654321', '(015) 98765-4321; 0 41 15 98765-4321'],
  ['591', '59171234567', '010 71234567; 0 71234567; 0 19 7123 4567'],
  ['57', '573001234567', '03 300 1234567; 0456 300 1234567'],
  ['82', '821012345678', '010-1234-5678; 082 10 1234 5678; 08501 10 1234 5678'],
  ['86', '8613812345678', '17911 138 1234 5678; 0 138 1234 5678'],
  ['61', '61412345678', '1831 0412 345 678; 1832 412 345 678'],
  ['506', '50683123456', '1904 8312 3456'],
  ['352', '352628123456', '15005 628 123 456'],
  ['298', '298211234', '1001 211234'],
  ['423', '423660123456', '1001 660 123 456'],
  ['241', '24160123456', '060 12 34 56'],
  // Mobile numbers of one person; landlines, and what only the service can tell from one, stay as they are.
  ['52', '525512345678', '+52 1 55 1234 5678; 5215512345678; 044 55 1234 5678; 55 1234 5678'],
  ['54', '5491123456789', '+54 9 11 2345-6789; +54 11 15-2345-6789; 011 15-2345-6789; 11 15 2345 6789'],
  ['54', '5492214567890', '0221 15 456-7890; +54 9 221 456 7890'],
  ['54', '541123456789', '+54 11 2345 6789'],
  ['55', '5511987654321', '+55 11 98765-4321; +55 11 8765-4321; 11 8765 4321; (011) 98765-4321'],
  ['55', '551137654321', '+55 11 3765-4321'],
];

test.each(SPELLINGS)('With the default country code %s, %s is what is read of any of: %s', (code, phone, spellings) => {
  expect(spellings.split('; ').filter((given) => read(given, code) !== phone)).toEqual([]);
});

describe('With the default country code', () => {
  test.each([
    ['44', '44 (United Kingdom and others)', '(917) 555-0123; 06 12 34 56 78; 98765 43210'],
    ['54', '54 (Argentina)', '15 2345-6789; 9876 543 210'],
    ['1', '1 (United States and others)', '1234567890; 917 123 4567'],
    ['234', '234 (Nigeria)', '(917) 555-0123; 212 555 0123'],
    ['7', '7 (Russia and others)', '(800) 123-45-67; 200 123-45-67'],
  ])('%s, a number that %s has not given out goes to nobody: %s', (countryCode, country, numbers) => {
    const message = `The phone number is not a mobile number or landline of ${country}`;
    const advice = expect.stringMatching(/with \+ and its country code/) as unknown;
    for (const given of numbers.split('; '))
      for (const numberCheck of ['on', 'mobile'] as const)
        expect(readPhone(given, { countryCode, numberCheck })).toMatchObject({ message, advice });
  });

  test.each(['999', '0', '210', '1868'])('no number is sent if the code is %s, that of no country', (code) => {
    const message = "'Default Country Code' is not a known country code, such as 44 or GB";
    for (const given of ['447700900123', '+447700900123', '07700 900123', ''])
      expect([read(given, code), read(given, code, 'mobile')]).toEqual([message, message]);
  });
});

describe('An invalid phone number', () => {
  const REVERSED = 'contains an invisible character that reverses its digits on screen';
  const SEVERAL = 'is more than one number';
  const EXTRA = 'has extra digits, such as an extension, decimal places or its country code twice';

  /** @returns the message of the failure of each number */
  const reasons = (given: readonly unknown[], code: string | null = null) => given.map((each) => read(each, code));

  test.each<[reason: string, given: unknown[]]>([
    ['is empty', ['', ' \u200b\u00a0\n', null, undefined]],
    ['is a list or an object', [['447700900123'], { phone: '447700900123' }, new Date()]],
    ['contains an expression that was not evaluated', ['{{ $json.phone }}', '$json.phone', '+{{ $json.number }}']],
    ['begins with 0, so its country code is missing', ['07700 900123', '(0)7700 900123', '+0 7700 900123']],
    ['needs 7 to 15 digits', ['+', '+4', '447700', '4477009001234567']],
  ])('goes to nobody, with or without Number Check: it %s', (reason, given) => {
    expect(reasons(given)).toEqual(given.map(() => `The phone number ${reason}`));
    for (const each of given) expect(isRead(read(each, null, 'off'))).toBe(false);
  });

  test.each<[reason: string, given: unknown[]]>([
    ['is a date', ['2025-01-31', '2025.1.31', '2025\u201101\u201131', '31.01.2025', '1/31/2025', ' 31-01-2025 ']],
    ['is a date', ['2025-01-31 10:30', '2025-01-31T10:30:00.000Z', '31.01.2025, 10:30']],
    [SEVERAL, ['555-1234 / 555-5678', '5551234\n5555678', '00447700900123 00447700900124']],
    [SEVERAL, ['447700900123, 447700900124', '447700900123 or 447700900124', '447700900123 & 447700900124']],
    [SEVERAL, listOf('+44 7700 900123 +44 7700 900124, +447700900123+447700900124, +44 7700 900123\n+44 7700 900124')],
    [SEVERAL, listOf('+44 7700 900123 / 07700 900124, 0044 7700 900123 0044 7700 900124, 07700 900123/07700 900124')],
    [EXTRA, listOf('447700900123.5, 491701234567.25, 447700900123/2, 447700900123\\2, +44 7700 900123 (2)')],
    [EXTRA, [447700900101.4, 44770090010.25]],
    [
      'is a date',
      ['Sat Nov 28 2026 10:00:00 GMT+0000 (UTC)', 'Sat Nov 28 2026', '[DateTime: 2026-11-28T10:00:00.000Z]'],
    ],
    [EXTRA, listOf('+49 30 123456/78, +49 170 1234567 [12], 4917(0)1234567, +44 7700 90012(0)')],
  ])('goes to nobody, from whichever country: it %s', (reason, given) => {
    for (const code of [null, '1', '49'])
      expect([code, reasons(given, code)]).toEqual([code, given.map(() => `The phone number ${reason}`)]);
    for (const each of given) expect(isRead(read(each, null, 'off'))).toBe(false);
  });

  test('of a spreadsheet, in scientific notation or subtracted from its code, goes to nobody', () => {
    for (const given of ['4.47E+11', '4,47e11', '+4.47E+11', 1e21, 4.477009001235e23])
      expect(read(given)).toMatch(/^The phone number is in scientific notation/);
    for (const given of [44 - 7_700_900_123, '-7700900079']) expect(read(given)).toMatch(/negative/);
  });

  const WHATSAPP = 'is the address of a WhatsApp group, channel or hidden contact';
  const UK_LENGTH = 'needs 7, 9 or 10 digits after the country code 44 (United Kingdom and others)';
  test.each([
    [null, '999 123 4567', 'does not begin with a known country code'],
    [null, '612 345 678', 'begins with digits that are not a country code, so its country code is missing'],
    [null, '(212) 555-0109', 'begins with an area code in brackets, so its country code is missing'],
    [null, '+49 49 30 1234567', EXTRA],
    [null, '+49 0049 30 1234567', EXTRA],
    [null, '120363043123456789@g.us', WHATSAPP],
    [null, '7700900123', 'needs 10 or 14 digits after the country code 7 (Russia and others)'],
    [null, '+883 12345', 'needs 8, 9, 10, 11 or 12 digits after the country code 883'],
    [null, '+44 7400\n123456', SEVERAL],
    ['44', '+44 7700 9001', UK_LENGTH],
    ['1', '0117 496 0123', 'needs 10 digits after the country code 1 (United States and others)'],
    ['34', '612 34 56 78 12', 'needs 9 digits after the country code 34 (Spain)'],
  ])('with the default country code %s, %j, goes to nobody: it %s', (countryCode, given, reason) => {
    expect(read(given, countryCode)).toBe(`The phone number ${reason}`);
  });

  test.each(['\u202e', '\u202b', '\u2067'])('with %j, which shows it in another order, goes to nobody', (mark) => {
    expect(read(`+44 7400 12${mark}3456`)).toBe(`The phone number ${REVERSED}`);
    expect(read(`${mark}447400123456`, null, 'off')).toBe(`The phone number ${REVERSED}`);
  });

  test.each([
    ["'x' (an extension?)", ['+1 212-555-0123 x123', '+12125550123x9']],
    ["'ext' (an extension?)", ['447700900123 ext. 5', '+44 7700 900123;ext=5']],
    ["'#' (an extension?)", ['+44 20 7946 0018 #12', '+442079460018#1']],
    ["'Extension' (an extension?)", ['+1 (212) 555-0123, Extension 12']],
    ["'Mobile'", ['Mobile: +44 7700 900123', 'Mobile 447700900123']],
    ["'WhatsApp'", ['WhatsApp +447700900123', '+447700900123 (WhatsApp)']],
    ["'Tel'", ['Tel. +44 7700 900123']],
    ["'O'", ['44770090012O', 'O7700900123']],
    ["'📱'", ['📱 +447700900123', '+447700900123 📱']],
    ["'🇬🇧'", ['🇬🇧 +44 7700 900123']],
    ["'*'", ['*227', '447700900123*']],
    ["';'", ['447700900123;4']],
    ["','", ['447700900123,4']],
    ["'+'", ['44+7700900123', '+44 7700 +900123']],
    ["'\\ud800'", ['4477009001\ud8002']],
    ["'<'", ['<44>7700900123']],
    ['unusual digits', ['447700900123②']],
    // Any of these words can be somebody's name.
    ['letters', ['Ada +447700900123', 'Mum 447700900123', 'ada@example.com', '+1 800 FLOWERS', '李明 +447700900123']],
  ])('has an error that names what does not belong in it, and no digit or name: %s', (what, given) => {
    const told = given.map(() => `The phone number contains ${what}`);
    for (const numberCheck of ['on', 'off'] as const)
      expect(given.map((each) => read(each, '44', numberCheck))).toEqual(told);
  });

  const NONE = listOf('N/A, n/a, N.A., none, null, undefined, #N/A, #REF!, #DIV/0!, #NAME?, unknown');
  test.each(NONE)('is %j', (given) => {
    expect(read(given)).toBe(`The phone number is '${given}'`);
    expect([read(NaN), read(true)]).toEqual(["The phone number is 'NaN'", "The phone number is 'true'"]);
  });

  test.each([
    ['+22997000000', null],
    ['+22501020304', null],
    ['97000000', '229'],
    ['612 34 56 78 12', '34'],
    ['770090012', '7'],
  ])('%s, with the default country code %s, comes with no advice to set an option', (given, countryCode) => {
    const { advice } = readPhone(given, { countryCode, numberCheck: 'on' }) as Failure;
    expect(advice).not.toMatch(/option|'/);
    expect(advice).toContain('has introduced numbers of another length');
  });

  test('is reported with advice, and never repeated in its failure', () => {
    const wrong = listOf('0770 090 0987, +44 7700 9009876543210, 44770O900987, 4477009*00987, 98765, 9.87654E+11');
    for (const given of [...wrong, ['0987654321']]) {
      const failure = readPhone(given, { countryCode: null, numberCheck: 'on' });
      expect(failure).toMatchObject({ advice: expect.stringMatching(/^[A-Z].{20,}\.$/) as unknown });
      expect(JSON.stringify(failure)).not.toMatch(/987|654/);
    }
    const { advice } = readPhone(['447700900123'], { countryCode: null, numberCheck: 'on' }) as Failure;
    expect(advice).toContain('the field within it');
  });

  test.each(['4', '4.', '+', '(0)', '4(0)', ' ', '-', '4e', ',0', '\ud800'])('of 10 MB of %j is refused', (part) => {
    expect(isRead(read(part.repeat(10_000_000 / part.length)))).toBe(false);
  });
});

describe('Of random digits,', () => {
  const digit = fc.constantFrom(...upTo(10).map(String));
  const digits = (minLength: number, maxLength: number) => fc.string({ unit: digit, minLength, maxLength });
  const aCheck = fc.constantFrom('on' as const, 'off' as const);

  test('what is read has 7 to 15 without a leading 0, and is read unchanged', () => {
    // Digits come more often than others, so that many are numbers.
    const unit = fc.oneof(digit, fc.constantFrom(...Array.from('0123456789+-.()[]/\\ ,eE\u200b\u00a0x')));
    const given = fc.string({ unit, minLength: 1, maxLength: 20 });
    const home = fc.constantFrom(null, '44', '39', '1', '49', '7');
    const isWell = (text: string, code: string | null, check: 'on' | 'off') => {
      const phone = read(text, code, check);
      return !isRead(phone) || (/^[1-9]\d{6,14}$/.test(phone) && read(`+${phone}`, null, check) === phone);
    };
    fc.assert(fc.property(given, home, aCheck, isWell), { numRuns: 60_000 });
  });

  test('no valid number of any country is refused', () => {
    const codes = [...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)];
    let valid = 0;
    const isWell = (code: string, rest: string) => {
      const phone = code + rest;
      const parsed = parsePhoneNumberFromString(`+${phone}`);
      // Canada's numbers of 7 digits can't be dialed from abroad.
      const counts = phone.length >= 7 && phone.length <= 15 && (code !== '1' || phone.length > 8);
      if (!counts || parsed?.number !== `+${phone}` || !parsed.isValid()) return true;
      // It is taken for a mobile number with its country code twice.
      const { nationalNumber } = parsed;
      if (nationalNumber.startsWith(code) && parsePhoneNumberFromString(`+${nationalNumber}`)?.isValid()) return true;
      valid += 1;
      return read(`+${phone}`) === phone;
    };
    fc.assert(fc.property(fc.constantFrom(...codes), digits(4, 12), isWell), { numRuns: 400 * codes.length });
    expect(valid).toBeGreaterThan(1000);
  });

  test('any 7 to 15 are a number if Number Check is off', () => {
    const phones = digits(7, 15).map((text) => text.replace(/^0/, '1'));
    fc.assert(
      fc.property(phones, fc.constantFrom(null, '44', '9999'), (phone, code) =>
        [phone, `+${phone}`, `00${phone}`, Number(phone)].every((given) => read(given, code, 'off') === phone),
      ),
      { numRuns: 6000 },
    );
  });
});

test.each([
  ['07700 900123', '44', '447700900123'],
  ['0331 1234567', '39', '3903311234567'],
  ['06 30 123 4567', '36', '36301234567'],
  ['0123456', '999', '999123456'],
  // An 8 or a 1 in brackets can belong to the area code, or be dialed before it.
  ['(812) 123-45-67', '7', '78121234567'],
  ['(8 812) 123-45-67', '7', '78121234567'],
  ['(8) 812 123-45-67', '7', '78121234567'],
  ['(1 212) 555-0123', '1', '12125550123'],
])('With Number Check off, %s is read with the default country code %s as %s', (given, countryCode, phone) => {
  expect(read(given, countryCode, 'off')).toBe(phone);
});

describe('One person in several spellings', () => {
  test('is the number as it is if Number Check is off and no country has such a number', () => {
    const number = { phone: '444477009001234', person: '444477009001234', readAs: 'abroad' };
    expect(readPhone('444477009001234', { countryCode: null, numberCheck: 'off' })).toEqual(number);
  });

  test('is the same with Number Check on or off, wherever both send to the same number', () => {
    const written = EXAMPLES.flatMap((example) =>
      [...Object.values(INTERNATIONAL), ...Object.values(NATIONAL)].flatMap((write) =>
        [null, example.countryCallingCode].map((countryCode) => [countryCode, write(example)] as const),
      ),
    );
    const spelled = SPELLINGS.flatMap(([code, , all]) => all.split('; ').map((given) => [code, given] as const));
    const bothSend = [...written, ...spelled].flatMap(([countryCode, given]) => {
      const on = readPhone(given, { countryCode, numberCheck: 'on' });
      const off = readPhone(given, { countryCode, numberCheck: 'off' });
      if (isFailure(on) || isFailure(off)) return [];
      return given.startsWith('+') || internationalNumber(off.phone) === on.phone ? [{ given, on, off }] : [];
    });
    expect(bothSend.length).toBeGreaterThan(4_000);
    expect(bothSend.filter(({ on, off }) => on.person !== off.person)).toEqual([]);
    expect(bothSend.filter(({ on: { phone } }) => internationalNumber(phone) !== phone)).toEqual([]);
  });
});

describe('A number without + is read with a country code only where it can be nothing else:', () => {
  const NOT_READ = /its country code (may be|is) missing|does not begin with a known|needs [\d ,or]+ digits after/;

  test('as the number of the country with whose code it begins', () => {
    const given = listOf('442079460018, 493012345678, 33123456789, 390612345678, 447700900123');
    expect(given.map((each) => read(each))).toEqual(given);
  });

  // At most as often as their digits are a valid number with another country code.
  test.each([
    ['US', 10, 5],
    ['IN', 10, 3],
    ['BR', 11, 10],
    ['DE', 11, 51],
  ] as const)('of mobile numbers of %s, with %i digits, at most %i%% are sent abroad', (region, length, most) => {
    const random = seededRandom(1);
    const mobiles: string[] = [];
    while (mobiles.length < 500) {
      const national = String(1 + Math.floor(random() * 9.9 * 10 ** (length - 1))).padStart(length, '1');
      const parsed = parsePhoneNumberFromString(national, region);
      if (parsed?.nationalNumber === national && parsed.getType()?.includes('MOBILE')) mobiles.push(national);
    }
    expect(mobiles.filter((national) => isRead(read(national))).length / 5).toBeLessThanOrEqual(most);
  });

  const OF_THE_US = listOf('2015550123, 2395550123, 3125550123, 6045550123, 6175550123, 9175550123, 9725550123');
  test.each(OF_THE_US)('the number %s of the United States is not sent abroad', (given) => {
    expect(read(given)).toMatch(NOT_READ);
    for (const way of [`(${given.slice(0, 3)}) ${given.slice(3)}`, given.replace(/^(...)(...)/, '$1-$2-')])
      expect(read(way)).toMatch(NOT_READ);
    expect(read(`+${given}`)).not.toMatch(/may be missing/);
    expect([read(given, '1'), read(given, 'US')]).toEqual([`1${given}`, `1${given}`]);
  });
});

describe("'Mobile Numbers Only'", () => {
  test('accepts a mobile number of every country, and few with their last digit missing', () => {
    const accepted = (numbers: string[], check: PhoneRules['numberCheck']) =>
      numbers.filter((number) => isRead(read(number, null, check)));
    const numbers = EXAMPLES.map(({ number }) => number);
    expect(accepted(numbers, 'mobile')).toEqual(numbers);
    const short = numbers.map((number) => number.slice(0, -1));
    expect(accepted(short, 'mobile').length).toBeLessThan(accepted(short, 'on').length / 3);
  });

  test.each('+442079460018 +4930123456 +80012345678 +916122234567 +998722314567'.split(' '))('refuses %s', (given) => {
    expect(read(given, null, 'mobile')).toBe('The phone number is not a mobile number of its country');
  });
});
