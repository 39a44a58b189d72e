import { compose as composeDraft, composeAll, type Rules } from '../../nodes/MessagingSend/delivery/compose';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { type Draft, type Row, unreadable } from '../../nodes/MessagingSend/messages/row';
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

describe('The reason for an invalid text', () => {
  test.each<[unknown, string]>([
    ['', 'The message is empty'],
    [' \n\t\u00a0', 'The message is empty'],
    [null, 'The message is empty'],
    [{ text: 'Hello' }, 'The message is an object, not a text'],
    [['Hello'], 'The message is a list, not a text'],
    ['undefined null\n', 'The message is empty'],
    ['Invalid DateTime', 'The message is empty'],
  ])('given as %j is: %s', (message, reason) => expect(textOrReason(message)).toBe(reason));

  test.each<[string, unknown]>([
    ['the result of a failed calculation', NaN],
    ['only zero-width characters', '\u200b\u2060\ufeff'],
    ['only fillers, soft hyphens and the blank of Braille', '\u3164\u00ad\u034f\u2800'],
    ['only variation selectors and tags', '\ufe0f\u{e0061}'],
    ['only control characters', '\u0001\u001b\u0085'],
  ])('keeps %s from being sent', (_what, message) => expect(compose({ message }).defect).not.toBeNull());
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
});

describe('An invalid draft', () => {
  test('that was refused before stays as it is, and n8n gets a turn after every few items', async () => {
    const reason = failure('listNotList');
    const refused = (item: number): Draft => unreadable({ item, entry: 4 }, '0', reason);
    let pauses = 0;
    const pause = async () => await Promise.resolve(void (pauses += 1));
    const drafts = { items: 9, of: (item: number) => (item === 0 ? refused(0) : [refused(item), refused(item)]) };
    const rows = await composeAll(drafts, RULES, pause);
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

describe('An expression that n8n did not evaluate', () => {
  test.each([
    ['Hello {{ $json.name }}', 'The message contains an expression that was not evaluated'],
    ['Hello $json.name', 'The message contains an expression that was not evaluated'],
    ['Hello {{\n$json.name\n}}', 'The message contains an expression that was not evaluated'],
    ['Hello \\{{SAVE10}} {{ name }}', 'The message contains an expression that was not evaluated'],
    ['Hello [object Object]', 'The message contains [object Object] in place of a text'],
    ['Hello }} {{', 'Hello }} {{'],
  ])('is not sent: %j', (text, expected) => expect(textOrReason(text)).toBe(expected));

  test("isn't a key: only the first message with it would be sent", () => {
    expect(compose({ key: '{{ $json.orderId }}' }).defect?.message).toMatch(/'Message Key' contains an expression/);
  });
});
