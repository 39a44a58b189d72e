import { compose as composeDraft, composeAll, type Rules } from '../../nodes/MessagingSend/delivery/compose';
import { split, truncate } from '../../nodes/MessagingSend/delivery/longText';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import type { Draft, Row } from '../../nodes/MessagingSend/messages/row';
import { ODD_VALUES, upTo } from './samples';

const RULES: Rules = { longMessages: 'fail', numberCheck: 'on', emptyFields: 'send' };

/** The message from a draft that is valid but for these changes. */
function compose(changed: Partial<Draft>, rules: Partial<Rules> = {}): Row {
  const content = { phone: '447700900123', message: 'Hello', countryCode: null, key: null };
  return composeDraft({ item: 0, entry: null, ...content, ...changed }, { ...RULES, ...rules });
}

/** The text of the message from a draft with this text, or the reason why it can't be sent. */
function textOrReason(message: unknown): string {
  const { text, defect } = compose({ message });
  return defect?.message ?? text;
}

test.each([
  ['Good news \ud83d', 'Good news '],
  ['\ude00 Good \u{1f600} news', ' Good \u{1f600} news'],
  ['\ud83d\0\ude00!', '!'],
])('Halves of characters and null characters are left out of the text %j', (given, text) => {
  expect(textOrReason(given)).toBe(text);
  expect(textOrReason(`${given}${'x'.repeat(1000 - text.length)}`)).toHaveLength(1000);
});

const NOT_EVALUATED = 'The message contains an expression that was not evaluated';

const toEmpty = (message: unknown): [unknown, string] => [message, 'The message is empty'];

test.each<[unknown, string]>([
  ...['', ' \n\t\u00a0', null, 'undefined null\n', 'Invalid DateTime', NaN].map(toEmpty),
  // Only zero-width characters, fillers and the blank of Braille, variation selectors and tags, control characters.
  ...['\u200b\u2060\ufeff', '\u3164\u00ad\u034f\u2800', '\ufe0f\u{e0061}', '\u0001\u001b\u0085'].map(toEmpty),
  [{ text: 'Hello' }, 'The message is an object, not a text'],
  [['Hello'], 'The message is a list, not a text'],
  ['Hello {{ $json.name }}', NOT_EVALUATED],
  ['Hello $json.name', NOT_EVALUATED],
  ['Hello {{\n$json.name\n}}', NOT_EVALUATED],
  ['Hello \\{{SAVE10}} {{ name }}', NOT_EVALUATED],
  ['Hello [object Object]', 'The message contains [object Object] in place of a text'],
  ['Hello }} {{', 'Hello }} {{'],
])('The text given as %j is sent as it is or not at all: %s', (message, expected) => {
  expect(textOrReason(message)).toBe(expected);
});

describe('The length of a text', () => {
  test('is counted in NFC, in which an accent and its letter are one character', () => {
    expect(textOrReason('e\u0301'.repeat(1000))).toBe('\u00e9'.repeat(1000));
    expect(textOrReason('e\u0301'.repeat(1001))).toMatch(/has 1001 characters/);
    const message = 'e\u0301'.repeat(1500);
    expect(compose({ message }, { longMessages: 'truncate' }).parts).toEqual(['\u00e9'.repeat(1000)]);
    expect(compose({ message }, { longMessages: 'split' }).parts?.map(({ length }) => length)).toEqual([1000, 500]);
  });

  test('is counted up to 10 MB', () => {
    expect(textOrReason('😀'.repeat(5_000_000))).toMatch(/has 5000000 characters/);
  });
});

describe('A text that is cut to 1,000 characters', () => {
  const BLANK = '\u200b'.repeat(1000);
  const textsOf = (message: string, longMessages: 'split' | 'truncate') => {
    const { text, parts, defect } = compose({ message }, { longMessages });
    if (defect !== null) return [defect.message];
    expect(text).toBe(message);
    return parts;
  };

  test.each([BLANK, ' '.repeat(1000), '\n\u2800'.repeat(500)])('is not sent if nothing in it is visible', (start) => {
    const why = `The message has ${start.length + 5} characters, but at most 1000 can be sent`;
    expect(textsOf(`${start}Hello`, 'truncate')).toEqual([why]);
    expect(textsOf(`x${start}Hello`, 'truncate')).toEqual([`x${start.slice(0, 999)}`]);
  });

  test('is not sent in invisible parts', () => {
    const hello = 'Hello'.padEnd(1000, '!');
    expect(textsOf(`${BLANK}${hello}${BLANK}${BLANK}${hello}`, 'split')).toEqual([hello, hello]);
    expect(textsOf(`${BLANK}Hello`, 'split')).toEqual(['Hello']);
  });

  test('is not sent in more than 100 parts, and no advice names the option that is set', () => {
    const { defect } = compose({ message: 'x'.repeat(100_001) }, { longMessages: 'split' });
    expect(defect?.message).toBe('The message has 100001 characters: too many to split');
    expect(defect?.advice).toBe('Shorten the text.');
  });
});

describe('An invalid draft', () => {
  test('that was refused before stays as it is, and n8n gets a turn after every few items', async () => {
    const reason = failure('listNotList');
    const nothing = { message: null, countryCode: null, key: null };
    const refused = (item: number): Draft => ({ item, entry: 4, phone: '0', ...nothing, failure: reason });
    let pauses = 0;
    const drafts = { items: 9, of: (item: number) => (item === 0 ? refused(0) : [refused(item), refused(item)]) };
    const { rows } = await composeAll(drafts, RULES, async () => await Promise.resolve(void (pauses += 1)));
    expect(rows.map(({ item }) => item)).toEqual([0, ...upTo(8).flatMap((index) => [index + 1, index + 1])]);
    for (const row of rows)
      expect(row).toMatchObject({ entry: 4, phoneGiven: '0', phone: '', person: '', defect: reason });
    expect(pauses).toBe(2);
  });

  test.each(ODD_VALUES)('with %s as its phone number or text never throws', (_name, value) => {
    expect(compose({ phone: value }).defect).not.toBeNull();
    const { text, defect } = compose({ message: value });
    expect(defect === null).toBe(text !== '');
  });
});

test('A question with a link is sent as a person reads it, and other texts as they are', () => {
  const message = 'Pay \u202e321?';
  const link = 'https://n8n.example/1';
  expect([compose({ message }).text, compose({ message, link }).text]).toEqual([message, `Pay 321?\n${link}`]);
});

describe.each([
  ['a family', '👨‍👩‍👧'],
  ['a flag', '🇬🇧'],
  ['a letter with an accent of its own', 'e\u0301'],
  ['a Thai syllable', 'กำ'],
  ['an emoji with a skin tone', '👍🏽'],
])('A cut through %s', (_what, character) => {
  const inside = Array.from(character)
    .slice(1)
    .map((_, index) => index + 1);

  test.each(inside)('after %i of its code points comes before it', (codePoints) => {
    const letters = 'x'.repeat(100 - codePoints);
    expect(truncate(letters + character, 100)).toBe(letters);
    expect(split(`${letters}${character}y`, 100)).toEqual([letters, `${character}y`]);
  });
});

test('A character of more code points than a part can have is cut', () => {
  const marks = 'e\u0301\u0302\u0303\u0304\u0305';
  expect(truncate(marks, 3)).toBe(marks.slice(0, 3));
  expect(split(marks, 3)).toEqual([marks.slice(0, 3), marks.slice(3)]);
});

test('A cut between characters stays where it is', () => {
  const flags = '🇬🇧'.repeat(30);
  expect(truncate('🇬🇧'.repeat(600), 1000)).toBe('🇬🇧'.repeat(500));
  expect(truncate(flags, 20)).toBe('🇬🇧'.repeat(10));
  expect(split(flags, 20)).toEqual(Array(3).fill('🇬🇧'.repeat(10)));
  expect(truncate('x'.repeat(200), 100)).toBe('x'.repeat(100));
});
