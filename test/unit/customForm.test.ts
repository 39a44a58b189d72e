import type { Field, Value } from '../../nodes/MessagingSend/questions/field';
import { questionPage, thanksPage } from '../../nodes/MessagingSend/questions/page';
import {
  maxFormBytes,
  type Question,
  readSubmission,
  type Refusal,
  type Submission,
} from '../../nodes/MessagingSend/questions/question';

const HOSTILE = `"'><script>alert(1)</script>&amp;`;
const ESCAPED = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;';

const written = (
  kind: 'text' | 'textarea' | 'number' | 'email' | 'date',
  required = false,
  placeholder = '',
): Field => ({
  kind,
  label: `A ${kind}`,
  required,
  placeholder,
});
const OPTIONS = ['Red', 'Green', 'Blue'];
const chosen = (kind: 'dropdown' | 'radio' | 'checkbox', required = false, options = OPTIONS): Field => ({
  kind,
  label: `A ${kind}`,
  required,
  options,
});
const everyKind = (required: boolean): Field[] => [
  written('text', required),
  written('textarea', required),
  written('number', required),
  written('email', required),
  written('date', required),
  chosen('dropdown', required),
  chosen('radio', required),
  chosen('checkbox', required),
];
const asking = (...fields: Field[]): Question => ({
  text: 'When?',
  thanks: 'Thanks',
  response: { kind: 'customForm', fields, buttonLabel: 'Send' },
});

type Form = Record<string, unknown>;

/** What the only field of a form was filled in with, or what is wrong with it. */
const read = (field: Field, given: unknown): Value | { problem: string | undefined } => {
  const answer = readSubmission(asking(field), { 'field-0': given });
  if (answer.kind === 'customForm') return answer.values[field.label] ?? null;
  return { problem: (answer as Refusal).problems['field-0'] };
};

const refusalOf = (question: Question, form: Form): Refusal => {
  const answer: Submission | Refusal = readSubmission(question, form);
  if (answer.kind !== 'refused') throw new Error('the form was read as an answer');
  return answer;
};

describe('The answer in a custom form', () => {
  test('has every field by its label: numbers as numbers, and lists where several can be chosen', () => {
    const form = {
      'field-0': ' Ada ',
      'field-1': 'one\r\ntwo\r\n',
      'field-2': '-12.50',
      'field-3': 'ada@example.com',
      'field-4': '2028-02-29',
      'field-5': '2',
      'field-6': '0',
      'field-7': ['2', '0'],
      'field-8': 'of no field',
      decision: 'approve',
    };
    expect(readSubmission(asking(...everyKind(true)), form)).toEqual({
      kind: 'customForm',
      values: {
        'A text': 'Ada',
        'A textarea': 'one\ntwo',
        'A number': -12.5,
        'A email': 'ada@example.com',
        'A date': '2028-02-29',
        'A dropdown': 'Blue',
        'A radio': 'Red',
        'A checkbox': ['Red', 'Blue'],
      },
    });
  });

  test('has null, or an empty list, for a field that was left empty', () => {
    const empty = { 'field-0': ' \u200b', 'field-2': '', 'field-5': '' };
    const answer = readSubmission(asking(...everyKind(false)), empty);
    expect(answer).toEqual({
      kind: 'customForm',
      values: Object.fromEntries(
        everyKind(false).map(({ label, kind }) => [label, kind === 'checkbox' ? [] : null] as const),
      ),
    });
  });

  test('can be a number in another form, one checkbox, or one text of several', () => {
    expect(read(written('number'), '0')).toBe(0);
    expect(read(written('number'), '1.5e3')).toBe(1500);
    expect(read(written('email'), 'ada@localhost')).toBe('ada@localhost');
    expect(read(chosen('checkbox'), '1')).toEqual(['Green']);
    expect(read(written('text'), ['one', 'two'])).toBe('one');
  });

  test.each<[problem: string, Field, given: unknown[]]>([
    ['Write an answer first.', written('text', true), [' ', { text: 'x' }]],
    ['Write an answer first.', written('textarea', true), [undefined]],
    ['Enter a number.', written('number', true), ['']],
    ['Enter an email address.', written('email', true), ['']],
    ['Choose a date.', written('date', true), ['']],
    ['Choose an answer.', chosen('dropdown', true), ['']],
    ['Choose an answer.', chosen('radio', true), [undefined]],
    ['Choose at least one.', chosen('checkbox', true), [undefined]],
    ['This is not a number, such as 12 or 12.5.', written('number'), ['x', '12,5', '0x10', 'Infinity', '1e', '1 2']],
    ['This number has too many digits.', written('number'), ['12345678901234567890', '1e999']],
    [
      'This is not an email address, such as name@example.com.',
      written('email'),
      ['ada', 'ada@', '@example.com', 'ada@b@c', 'ada@-b.example', 'a da@example.com', 'ada@example.com\nx'],
    ],
    ['This is not a date, such as 2026-01-31.', written('date'), ['2026-02-29', '31.01.2026', '2026-01-31T00:00']],
    ['This has 10,001 characters, but at most 10,000 can be sent.', written('textarea'), ['1'.repeat(10_001)]],
    ['Choose an answer.', chosen('dropdown'), ['3', '-1', 'Red', 'length', '01', '1.0']],
    ['Choose an answer.', chosen('checkbox'), [['0', '3']]],
  ])('can not be what the page calls wrong: %s', (problem, field, given) => {
    expect(given.map((each) => read(field, each))).toEqual(given.map(() => ({ problem })));
  });

  test('may be as large as its fields may be together', () => {
    expect(maxFormBytes(asking(...everyKind(false)))).toBe(800_000);
  });
});

describe('The page of a custom form', () => {
  test.each<[string, Field, RegExp]>([
    ['text', written('text', true, 'Ada'), / type="text" .* required maxlength="10000" dir="auto" placeholder="Ada">/],
    ['long text', written('textarea', true, 'Ada'), /<textarea .* required .*maxlength="10000".* placeholder="Ada">/],
    ['number', written('number', true), / type="number" .* required step="any" min="-9007\d+" max="9007\d+">/],
    ['email', written('email', true), / type="email" .* required maxlength="10000"/],
    ['date', written('date', true), / type="date" .* required max="9999-12-31">/],
    ['dropdown', chosen('dropdown', true), /<select [^>]* required><option value="">–<\/option><option value="0">Red</],
    ['radio', chosen('radio', true), /( type="radio" [^>]*required[^>]*>[^]*){3}/],
    ['checkbox', chosen('checkbox', true, ['I agree']), / type="checkbox" [^>]*required/],
  ])('has browsers check what they can: %s', (_what, field, attributes) => {
    expect(questionPage(asking(field))).toMatch(attributes);
    expect(questionPage(asking({ ...field, required: false }))).not.toContain(' required');
  });

  const WRONG: Form = {
    'field-0': ' ',
    'field-1': `${HOSTILE}\r\nnext`,
    'field-2': '1e999',
    'field-3': HOSTILE,
    'field-4': '2026-01-31',
    'field-5': '1',
    'field-7': ['0', '2'],
  };

  test('that is shown again names everything that is wrong, at its field, and has what was written and chosen', () => {
    const asked = asking(...everyKind(true));
    const refusal = refusalOf(asked, WRONG);
    expect(Object.keys(refusal.problems)).toEqual(['field-0', 'field-2', 'field-3', 'field-6']);
    const page = questionPage(asked, refusal);
    expect(page.match(/role="alert"/g)).toHaveLength(4);
    // A group has it in each of its three inputs.
    expect(page.match(/ aria-invalid="true"/g)).toHaveLength(6);
    expect(page.match(/ autofocus/g)).toHaveLength(1);
    expect(page).toContain(' id="field-0" autofocus ');
    expect(page).toContain(`>\n${ESCAPED}\nnext</textarea>`);
    expect(page).toContain(' value="1e999">');
    expect(page).toContain(` value="${ESCAPED}">`);
    expect(page).toContain(' value="2026-01-31">');
    expect(page).toContain('<option value="1" selected>Green</option>');
    expect(page.match(/ checked/g)).toHaveLength(2);
    for (const place of ['0', '2']) expect(page).toContain(`name="field-7" value="${place}" checked>`);
  });

  test('escapes every label, option and placeholder', () => {
    const fields = everyKind(true).map((field): Field =>
      'options' in field
        ? { ...field, label: HOSTILE, options: [HOSTILE] }
        : { ...field, label: HOSTILE, placeholder: HOSTILE },
    );
    const page = questionPage(asking(...fields));
    expect(page).not.toContain(HOSTILE);
    // Eight labels, three options, five placeholders.
    expect(page.split(ESCAPED)).toHaveLength(1 + 8 + 3 + 5);
  });

  test('is followed by the thanks alone', () => {
    const page = thanksPage(asking(written('text')), { kind: 'customForm', values: { 'A text': 'secret' } });
    expect(page).toContain('<h1>Thanks</h1>');
    expect(page).not.toContain('secret');
  });
});
