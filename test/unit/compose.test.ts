import {
  compose as composeDraft,
  composeAll,
  type Composed,
  type Rules,
} from '../../nodes/MessagingSend/delivery/compose';
import { failure, isFailure } from '../../nodes/MessagingSend/failures/failure';
import { type Draft, onlyDrafts, unsendable } from '../../nodes/MessagingSend/messages/message';
import { ODD_VALUES } from './samples';

const RULES: Rules = { longMessages: 'fail', numberCheck: 'on', emptyFields: 'send', maxCharacters: 1000 };

function compose(drafts: readonly Draft[], changed: Partial<Rules> = {}): Composed {
  const composed = drafts.map((each) => {
    const made = composeDraft(each, { ...RULES, ...changed });
    return isFailure(made) ? unsendable(each, made) : made;
  });
  return {
    messages: composed.flatMap((each) => ('kind' in each ? [] : [each])),
    unsendable: composed.flatMap((each) => ('kind' in each ? [each] : [])),
  };
}

function draft(changed: Partial<Draft> = {}): Draft {
  const origin = { item: 0, entry: null };
  const content = { phone: '447700900123', message: 'Hello', countryCode: null, key: null };
  return { kind: 'draft', ...origin, ...content, ...changed };
}

/** The text of the message from a draft with this text, or the reason why it can't be sent. */
function textOrReason(message: unknown): string {
  const { messages, unsendable: refused } = compose([draft({ message })]);
  return messages[0]?.text ?? refused[0]?.failure.message ?? 'lost';
}

test('A message keeps the number as it was given only if cleaning changed it', () => {
  const given = ['+44 7700 900123', '447700900123', 447700900123, '00447700900123'];
  const { messages } = compose(given.map((phone) => draft({ phone })));
  expect(messages.map(({ phone, phoneGiven }) => [phone, phoneGiven])).toEqual([
    ['447700900123', '+44 7700 900123'],
    ['447700900123', undefined],
    ['447700900123', undefined],
    ['447700900123', '00447700900123'],
  ]);
});

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
  ])('keeps %s from being sent', (_what, message) => expect(compose([draft({ message })]).messages).toEqual([]));
});

describe('The length of a text', () => {
  test('may be 1,000 characters, but not 1,001', () => {
    expect(textOrReason('x'.repeat(1000))).toBe('x'.repeat(1000));
    expect(textOrReason('x'.repeat(1001))).toBe('The message has 1001 characters, but at most 1000 can be sent');
  });

  test('is counted up to 10 MB', () => {
    expect(textOrReason('😀'.repeat(5_000_000))).toMatch(/has 5000000 characters/);
  });
});

describe('A text that is cut to 1,000 characters', () => {
  const BLANK = '\u200b'.repeat(1000);
  const textsOf = (message: string, longMessages: 'split' | 'truncate') => {
    const { messages, unsendable: refused } = compose([draft({ message })], { longMessages, maxCharacters: null });
    for (const { text } of messages) expect(text).toBe(message);
    return [...messages.flatMap(({ parts }) => parts), ...refused.map(({ failure }) => failure.message)];
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
  test('that was refused before stays as it is, and n8n gets a turn after each item', async () => {
    const refused = unsendable({ item: 4, entry: null, phone: null }, failure('listNotList'));
    let pauses = 0;
    const pause = async () => await Promise.resolve(void (pauses += 1));
    expect(await composeAll(onlyDrafts(refused), RULES, pause)).toEqual({ messages: [], unsendable: [refused] });
    expect(pauses).toBe(1);
  });

  test('has a reason without the phone number and the text', () => {
    const drafts = [
      draft({ phone: '0987654321', message: 'Secret' }),
      draft({ message: `Secret${'x'.repeat(1000)}` }),
      draft({ phone: '98765', message: 'Secret' }),
    ];
    const failures = compose(drafts).unsendable.map(({ failure }) => failure);
    expect(failures).toHaveLength(3);
    expect(JSON.stringify(failures)).not.toMatch(/Secret|987|xxx/);
  });

  test.each(ODD_VALUES)('with %s as its phone number or text never throws', (_name, value) => {
    expect(compose([draft({ phone: value })]).unsendable).toHaveLength(1);
    const { messages, unsendable: refused } = compose([draft({ message: value })], { maxCharacters: null });
    expect(messages.length + refused.length).toBe(1);
  });
});

test('A question with a link is sent as a person reads it, and other texts as they are', () => {
  const message = 'Pay \u202e321?';
  const { messages } = compose([draft({ message }), draft({ message, link: 'https://n8n.example/1' })]);
  expect(messages.map(({ text }) => text)).toEqual([message, 'Pay 321?\nhttps://n8n.example/1']);
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
    const { unsendable: refused } = compose([draft({ key: '{{ $json.orderId }}' })]);
    expect(refused[0]?.failure.message).toMatch(/'Message Key' contains an expression/);
  });
});
