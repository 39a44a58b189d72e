import { cleanPhone } from '../../nodes/MessagingSend/delivery/phone';
import { seededRandom } from '../../tools/random';
import { ODD_VALUES } from './samples';

const CLEAN = { kind: 'clean', phone: '447700900123' };

function messageOf(given: unknown): string {
  const check = cleanPhone(given);
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
  ])('is read %s', (_how, given) => expect(cleanPhone(given)).toEqual(CLEAN));

  test.each([
    ['hyphen-minus', '-'],
    ['soft hyphen', '\u00ad'],
    ['Armenian hyphen', '\u058a'],
    ['hyphen', '\u2010'],
    ['non-breaking hyphen', '\u2011'],
    ['figure dash', '\u2012'],
    ['en dash', '\u2013'],
    ['em dash', '\u2014'],
    ['horizontal bar', '\u2015'],
    ['minus sign', '\u2212'],
    ['wave dash', '\u301c'],
    ['small em dash', '\ufe58'],
    ['small hyphen-minus', '\ufe63'],
    ['fullwidth hyphen-minus', '\uff0d'],
  ])('is read with the dash "%s"', (_name, dash) => expect(cleanPhone(`+44${dash}7700${dash}900123`)).toEqual(CLEAN));

  test.each([
    ['no-break space', '\u00a0'],
    ['narrow no-break space', '\u202f'],
    ['figure space', '\u2007'],
    ['thin space', '\u2009'],
    ['ideographic space', '\u3000'],
    ['zero-width space', '\u200b'],
    ['zero-width non-joiner', '\u200c'],
    ['zero-width joiner', '\u200d'],
    ['left-to-right mark', '\u200e'],
    ['left-to-right embedding', '\u202a'],
    ['pop directional formatting', '\u202c'],
    ['first strong isolate', '\u2068'],
    ['word joiner', '\u2060'],
    ['byte order mark', '\ufeff'],
    ['Arabic letter mark', '\u061c'],
  ])('is read with the invisible character "%s"', (_name, character) => {
    expect(cleanPhone(`${character}+${character}44${character}7700 900123${character}`)).toEqual(CLEAN);
  });

  test.each([
    '(+44)(0)7700900123',
    '+44-(0)7700-900123',
    '+44.(0).7700.900123',
    '(0044) (0)7700 900123',
    '+44 [0] 7700 900123',
  ])('loses the zero that is dialled at home in %s', (given) => expect(cleanPhone(given)).toEqual(CLEAN));
});

describe('A phone number is never read as another one,', () => {
  test('such as one with a zero in brackets at its end', () => {
    expect(cleanPhone('+44 7700 90012(0)')).not.toEqual({ kind: 'clean', phone: '44770090012' });
  });

  test('such as one that ends with a group of three zeros', () => {
    expect(cleanPhone('+447700900.000')).not.toEqual({ kind: 'clean', phone: '447700900' });
  });

  test('such as a JSON number with decimal places', () => {
    expect(cleanPhone(447700900123.5)).toMatchObject({ kind: 'wrong' });
    expect(cleanPhone(44.770090012)).toMatchObject({ kind: 'wrong' });
  });

  test('such as a negative number, to which a spreadsheet evaluates +44-7700900123', () => {
    expect(cleanPhone(44 - 7_700_900_123)).toMatchObject({ kind: 'wrong' });
    expect(cleanPhone(String(44 - 7_700_900_123))).toMatchObject({ kind: 'wrong' });
  });

  test('such as two phone numbers in one field', () => {
    for (const given of [
      '447700900123, 447700900124',
      '447700900123;447700900124',
      '447700900123 447700900124',
      '447700900123/447700900124',
    ]) {
      expect(cleanPhone(given)).toMatchObject({ kind: 'wrong' });
    }
  });

  test('such as one with an extension', () => {
    for (const given of [
      '447700900123 ext. 4',
      '447700900123x4',
      '447700900123#4',
      '447700900123,4',
      '447700900123;4',
    ]) {
      expect(cleanPhone(given)).toMatchObject({ kind: 'wrong' });
    }
  });
});

describe('The default country code', () => {
  test.each(['07700 900123', '(0)7700 900123', '07700-900-123', '0 7700 900123'])('replaces the 0 of %s', (given) => {
    expect(cleanPhone(given, '44')).toEqual(CLEAN);
  });

  test.each(['447700900123', '+44 7700 900123', '0044 7700 900123', '+44 (0)7700 900123'])(
    'does not change %s, which has a country code',
    (given) => {
      expect(cleanPhone(given, '39')).toEqual(CLEAN);
    },
  );

  test('does not replace the 0 of 011, which North America dials before a country code', () => {
    expect(cleanPhone('011 44 7700 900123', '1')).not.toMatchObject({ kind: 'clean', phone: '111447700900123' });
  });
});

describe('An invalid phone number', () => {
  test.each<[unknown, string]>([
    ['', 'The phone number is empty'],
    [' \u200b\u00a0\n', 'The phone number is empty'],
    [null, 'The phone number is empty'],
    [undefined, 'The phone number is empty'],
    [['447700900123'], 'The phone number is a list, not a text or a whole number'],
    [{ phone: '447700900123' }, 'The phone number is an object, not a text or a whole number'],
    [true, 'The phone number is a boolean, not a text or a whole number'],
    [NaN, 'The phone number is the result of a calculation that failed, not a text or a whole number'],
    ['+44 7700 MESSAGE', 'The phone number contains letters'],
    ['mobile: 447700900123', 'The phone number contains letters'],
    ['44770090012O', 'The phone number contains letters'],
    ['447700900123*', 'The phone number contains a character that does not belong in one'],
    ['44+7700900123', 'The phone number contains a character that does not belong in one'],
    ['++447700900123', 'The phone number contains a character that does not belong in one'],
    ['4477009001\ud8002', 'The phone number contains a character that does not belong in one'],
    ['07700 900123', 'The phone number begins with 0, so its country code is missing'],
    ['(0)7700 900123', 'The phone number begins with 0, so its country code is missing'],
    ['011 44 7700 900123', 'The phone number begins with 0, so its country code is missing'],
    ['+0 7700 900123', 'The phone number begins with 0, so its country code is missing'],
    ['+', 'The phone number has 0 digits, which is too short: 7 to 15 are needed'],
    ['+4', 'The phone number has 1 digit, which is too short: 7 to 15 are needed'],
    ['447700', 'The phone number has 6 digits, which is too short: 7 to 15 are needed'],
    ['4477009001234567', 'The phone number has 16 digits, which is too long: 7 to 15 are needed'],
  ])('in the form of %j is reported as: %s', (given, message) => expect(messageOf(given)).toBe(message));

  test.each(['4.47E+11', '4.47e11', '4,47E+11', '+4.47E+11', '4E+11', 1e21, 4.477009001235e23])(
    'in scientific notation is reported as such: %s',
    (given) => {
      expect(messageOf(given)).toMatch(/^The phone number is in scientific notation/);
    },
  );

  test('is not one with 7 or with 15 digits', () => {
    expect(cleanPhone('4477009')).toEqual({ kind: 'clean', phone: '4477009' });
    expect(cleanPhone('447700900123456')).toEqual({ kind: 'clean', phone: '447700900123456' });
  });

  test('is not repeated in its failure', () => {
    for (const given of [
      '0770 090 0987',
      '+44 7700 9009876543210',
      '44770O900987',
      '4477009*00987',
      '98765',
      '9.87654E+11',
      ['0987654321'],
    ]) {
      const check = cleanPhone(given);
      expect(check.kind).toBe('wrong');
      expect(JSON.stringify(check)).not.toMatch(/987|654/);
    }
  });

  test('is reported with advice', () => {
    for (const given of ['', '0770', 'x', '*', '123', '4.47E+11', {}]) {
      expect(cleanPhone(given)).toMatchObject({
        kind: 'wrong',
        failure: { advice: expect.stringMatching(/^[A-Z].{20,}\.$/) as unknown },
      });
    }
  });
});

describe('Reading a phone number', () => {
  test.each(ODD_VALUES)('refuses %s', (_name, value) => {
    expect(cleanPhone(value).kind).toBe('wrong');
  });

  test('always gives 7 to 15 digits without a leading 0, which are read unchanged', () => {
    const seed = Date.now();
    const random = seededRandom(seed);
    const characters = '0123456789+-.()[]/\\ ,eE\u200b\u00a0x';
    for (let run = 0; run < 20_000; run++) {
      const given = Array.from(
        { length: 1 + Math.floor(random() * 20) },
        () => characters[Math.floor(random() * characters.length)],
      ).join('');
      const check = cleanPhone(given);
      if (check.kind === 'wrong') continue;
      if (!/^[1-9]\d{6,14}$/.test(check.phone))
        throw new Error(`seed ${seed}: ${JSON.stringify(given)} was read as ${check.phone}`);
      expect(cleanPhone(check.phone)).toEqual(check);
    }
  });

  test.each(['4', '4.', '+', '(0)', '4(0)', ' ', '-', '4e', ',0', '\ud800'])('refuses 10 MB of %j', (part) => {
    expect(cleanPhone(part.repeat(10_000_000 / part.length)).kind).toBe('wrong');
  });
});

describe('The leading 0 of a national number', () => {
  test.each([
    ['0331 1234567', '39', '3903311234567'],
    ['+39 (0)331 1234567', null, '3903311234567'],
    ['0708091011', '225', '2250708091011'],
  ])('is kept where it belongs to the number: %s', (given, countryCode, phone) => {
    expect(cleanPhone(given, countryCode)).toEqual({ kind: 'clean', phone });
  });

  test('is removed with the 6 after it in Hungary, where 06 is dialled before a number', () => {
    expect(cleanPhone('06 30 123 4567', '36')).toEqual({ kind: 'clean', phone: '36301234567' });
  });
});
