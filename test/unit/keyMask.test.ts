import { keyMask, masked } from '../../nodes/MessagingSend/api/account';
import { KEY } from '../support/contacts';

/** With characters that encodings write differently. */
const ODD_KEY = 'Made~Up/key+with=odd&chars"and\\\u00e9?!%41';
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const eachAsUnicode = (text: string) =>
  text.replace(/[^]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
const eachInUrl = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** How a text can be contained in another. */
const FORMS: Array<[string, (text: string) => string]> = [
  ['as it is', (text) => text],
  ['in capitals', (text) => text.toUpperCase()],
  ['in a URL', encodeURIComponent],
  ['in a URL, with an escape for each byte', eachInUrl],
  ['in a URL within a URL', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['in JSON', inJson],
  ['in JSON as PHP writes it', (text) => inJson(text).replaceAll('/', '\\/')],
  ['in JSON with an escape for each character', eachAsUnicode],
  ['in JSON within JSON with an escape for each character', (text) => inJson(eachAsUnicode(text))],
];

describe.each([
  ['A key', KEY],
  ['A key of odd characters', ODD_KEY],
])('%s', (_what, key) => {
  const mask = keyMask(key);

  describe.each(FORMS)('%s', (_how, form) => {
    test('is masked', () => {
      expect(mask(`x ${form(key)}, ${form(key)}`)).toBe('x ***, ***');
    });

    // It can begin at each of the three places of a group of bytes, and end there.
    const around = ['', 'Bearer ', 'a:', 'ab:'].flatMap((before) => ['', ':', ': '].map((after) => [before, after]));
    test.each(around)('is masked in base64 between %j and %j', (before = '', after = '') => {
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(before + key + after, 'latin1').toString(encoding);
        const [left = '', right = ''] = mask(encoded).split('***');
        expect(Buffer.from(left, 'base64').toString('latin1')).toBe(before);
        // One character depends on a part of the key's last character, and there may be padding.
        expect(right.length).toBeLessThanOrEqual(Math.ceil((after.length * 4) / 3) + 3);
        expect(mask(form(encoded)).toLowerCase()).toBe(`${left}***${right}`.toLowerCase());
      }
    });
  });
});

test('A text without the key stays as it is, with its escapes', () => {
  const text = '\u00fcn\u00ef\\"\\\\\\/\\u006d%6d %25 447700900123 \u{1f600} made-up-ke 0123456789 bWFkZS11cA==';
  expect(keyMask(KEY)(text)).toBe(text);
});

test('The key is masked in all names and values, and everything else stays as it is', () => {
  const key = '9007199254740';
  const others = { '\\u006d%6d': [1.5, true, null, { 'ü\\"': '' }], '': 'x' };
  const answer = { ...others, [`a${key}`]: [{ b: `Bearer ${key}` }, Number(key), -Number(key)] };
  expect(masked(answer, keyMask(key))).toEqual({ ...others, 'a***': [{ b: 'Bearer ***' }, '***', '-***'] });
  const proto: unknown = JSON.parse(`{"__proto__":{"a":"${key}"}}`);
  expect(JSON.stringify(masked(proto, keyMask(key)))).toBe('{"__proto__":{"a":"***"}}');
});

test("A text of fewer than four characters isn't taken for a key", () => {
  expect(keyMask('abcd')('abcd')).toBe('***');
  expect(keyMask('abc')('abc')).toBe('abc');
  expect(keyMask('')('abc')).toBe('abc');
});
