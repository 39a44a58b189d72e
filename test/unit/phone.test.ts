import { cleanPhone } from '../../nodes/MessagingSend/delivery/phone';
import { ODD_VALUES, seededRandom } from './samples';

const CLEAN = { kind: 'clean', phone: '447700900123' };

function problemOf(given: unknown): string {
  const check = cleanPhone(given);
  return check.kind === 'wrong' ? check.failure.message : `accepted as ${check.phone}`;
}

describe('a number that is written in another way is sent to the same phone', () => {
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
    ['with that zero and spaces around it', '+44 (0) 7700 900-123'],
    ['with that zero and brackets after it', '+44 (0)(7700) 900123'],
    ['with that zero and 00', '0044 (0)7700 900123'],
    ['with that zero and without +', '44(0)7700900123'],
    ['with a dot at its end', '447700900123.'],
    ['as a JSON number', 447700900123],
    ['as a decimal JSON number', JSON.parse('447700900123.0') as unknown],
    ['as a big integer', 447700900123n],
    ['as a decimal', '447700900123.0'],
    ['as a decimal with two places', '447700900123.00'],
    ['as a decimal with a comma', '447700900123,0'],
    ['as a decimal with +', '+447700900123.0'],
  ])('%s', (_how, given) => expect(cleanPhone(given)).toEqual(CLEAN));

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
  ])('dashes: %s', (_name, dash) => expect(cleanPhone(`+44${dash}7700${dash}900123`)).toEqual(CLEAN));

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
  ])('spaces and invisible characters: %s', (_name, character) => {
    expect(cleanPhone(`${character}+${character}44${character}7700 900123${character}`)).toEqual(CLEAN);
  });

  test.each([
    '(+44)(0)7700900123',
    '+44-(0)7700-900123',
    '+44.(0).7700.900123',
    '(0044) (0)7700 900123',
    '+44 [0] 7700 900123',
  ])('the zero that is dialled at home does not stay in %s', (given) => expect(cleanPhone(given)).toEqual(CLEAN));
});

describe('a number that would become another number is not sent to', () => {
  test('a zero in brackets at the end is a digit like any other', () => {
    expect(cleanPhone('+44 7700 90012(0)')).not.toEqual({ kind: 'clean', phone: '44770090012' });
  });

  test('a last group of three zeros is not taken for decimal places', () => {
    expect(cleanPhone('+447700900.000')).not.toEqual({ kind: 'clean', phone: '447700900' });
  });

  test('a JSON number with decimal places', () => {
    expect(cleanPhone(447700900123.5)).toMatchObject({ kind: 'wrong' });
    expect(cleanPhone(44.770090012)).toMatchObject({ kind: 'wrong' });
  });

  test('what a spreadsheet makes of +44-7700900123: a negative number', () => {
    expect(cleanPhone(44 - 7_700_900_123)).toMatchObject({ kind: 'wrong' });
    expect(cleanPhone(String(44 - 7_700_900_123))).toMatchObject({ kind: 'wrong' });
  });

  test('two numbers in one field', () => {
    for (const given of [
      '447700900123, 447700900124',
      '447700900123;447700900124',
      '447700900123 447700900124',
      '447700900123/447700900124',
    ]) {
      expect(cleanPhone(given)).toMatchObject({ kind: 'wrong' });
    }
  });

  test('a number with an extension', () => {
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

describe('with a default country code', () => {
  test.each(['07700 900123', '(0)7700 900123', '07700-900-123', '0 7700 900123'])(
    'takes the place of the 0: %s',
    (given) => {
      expect(cleanPhone(given, '44')).toEqual(CLEAN);
    },
  );

  test.each(['447700900123', '+44 7700 900123', '0044 7700 900123', '+44 (0)7700 900123'])(
    'a number that has one keeps it: %s',
    (given) => {
      expect(cleanPhone(given, '39')).toEqual(CLEAN);
    },
  );

  test('a number that begins with the 011 of North America is not taken for one without', () => {
    expect(cleanPhone('011 44 7700 900123', '1')).not.toMatchObject({ kind: 'clean', phone: '111447700900123' });
  });
});

describe('a number that can not be right is explained', () => {
  test.each<[string, unknown]>([
    ['The phone number is empty', ''],
    ['The phone number is empty', ' \u200b\u00a0\n'],
    ['The phone number is empty', null],
    ['The phone number is empty', undefined],
    ['The phone number is a list, not a text or a whole number', ['447700900123']],
    ['The phone number is an object, not a text or a whole number', { phone: '447700900123' }],
    ['The phone number is a boolean, not a text or a whole number', true],
    ['The phone number is the result of a calculation that failed, not a text or a whole number', NaN],
    ['The phone number contains letters', '+44 7700 MESSAGE'],
    ['The phone number contains letters', 'mobile: 447700900123'],
    ['The phone number contains letters', '44770090012O'],
    ['The phone number contains a character that does not belong in one', '447700900123*'],
    ['The phone number contains a character that does not belong in one', '44+7700900123'],
    ['The phone number contains a character that does not belong in one', '++447700900123'],
    ['The phone number contains a character that does not belong in one', '4477009001\ud8002'],
    ['The phone number begins with 0, so its country code is missing', '07700 900123'],
    ['The phone number begins with 0, so its country code is missing', '(0)7700 900123'],
    ['The phone number begins with 0, so its country code is missing', '011 44 7700 900123'],
    ['The phone number begins with 0, so its country code is missing', '+0 7700 900123'],
    ['The phone number has 0 digits, which is too short: 7 to 15 are needed', '+'],
    ['The phone number has 1 digit, which is too short: 7 to 15 are needed', '+4'],
    ['The phone number has 6 digits, which is too short: 7 to 15 are needed', '447700'],
    ['The phone number has 16 digits, which is too long: 7 to 15 are needed', '4477009001234567'],
  ])('%s', (problem, given) => expect(problemOf(given)).toBe(problem));

  test.each(['4.47E+11', '4.47e11', '4,47E+11', '+4.47E+11', '4E+11', 1e21, 4.477009001235e23])(
    'scientific notation: %s',
    (given) => {
      expect(problemOf(given)).toMatch(/^A spreadsheet turned the phone number into scientific notation/);
    },
  );

  test('accepts 7 and 15 digits, the least and the most', () => {
    expect(cleanPhone('4477009')).toEqual({ kind: 'clean', phone: '4477009' });
    expect(cleanPhone('447700900123456')).toEqual({ kind: 'clean', phone: '447700900123456' });
  });

  test('without repeating the number', () => {
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

  test('with something to do about it', () => {
    for (const given of ['', '0770', 'x', '*', '123', '4.47E+11', {}]) {
      expect(cleanPhone(given)).toMatchObject({
        kind: 'wrong',
        failure: { advice: expect.stringMatching(/^[A-Z].{20,}\.$/) as unknown },
      });
    }
  });
});

describe('whatever is given', () => {
  test.each(ODD_VALUES.map((value, index) => [index, value]))(
    'odd value %i is refused, not thrown at',
    (_index, value) => {
      expect(cleanPhone(value).kind).toBe('wrong');
    },
  );

  test('a clean number is 7 to 15 digits without leading 0, and is itself clean', () => {
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
        throw new Error(`seed ${seed}: ${JSON.stringify(given)} came to ${check.phone}`);
      expect(cleanPhone(check.phone)).toEqual(check);
    }
  });

  test.each(['4', '4.', '+', '(0)', '4(0)', ' ', '-', '4e', ',0', '\ud800'])('10 MB of %j are refused', (part) => {
    expect(cleanPhone(part.repeat(10_000_000 / part.length)).kind).toBe('wrong');
  });
});

describe('a leading 0 that belongs to the number stays', () => {
  test.each([
    ['0331 1234567', '39', '3903311234567'],
    ['+39 (0)331 1234567', null, '3903311234567'],
    ['0708091011', '225', '2250708091011'],
  ])('%s', (given, countryCode, phone) => {
    expect(cleanPhone(given, countryCode)).toEqual({ kind: 'clean', phone });
  });

  test('in Hungary, 06 is what is dialled before the number', () => {
    expect(cleanPhone('06 30 123 4567', '36')).toEqual({ kind: 'clean', phone: '36301234567' });
  });
});
