/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** The page of a question, how its form is read, and which fields a custom form can have. */
import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { FailureError } from '../../nodes/MessagingSend/failures/failure';
import { warnOfLink } from '../../nodes/MessagingSend/n8n/waiting';
import { type Field, MAX_WRITTEN, type Value } from '../../nodes/MessagingSend/questions/field';
import { closedPage, PAGE_HEADERS, questionPage, thanksPage } from '../../nodes/MessagingSend/questions/page';
import {
  type Answer,
  type Question,
  readForm,
  type Refusal,
  type Response,
} from '../../nodes/MessagingSend/questions/question';
import { readFormFields } from '../../nodes/MessagingSend/resources/message/pageFields';

const HOSTILE = `"'><script>alert(1)</script>&amp;`;
const ESCAPED = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;';

const textarea = (name: string, label: string, required: boolean): Field => {
  return { kind: 'textarea', name, label, required, placeholder: '' };
};
const approval = ({ approve = 'Approve', decline = 'Decline', comment = 'Comment' } = {}): Response => ({
  kind: 'approval',
  fields: [textarea('comment', comment, false)],
  buttons: [
    { label: approve, decision: 'approve' },
    { label: decline, decision: 'decline' },
  ],
});
const freeText = (label: string): Response => {
  return { kind: 'freeText', fields: [textarea('text', '', true)], buttons: [{ label, decision: null }] };
};
const question = (response: Response, texts: Partial<Question> = {}): Question => ({
  text: 'Refund?',
  thanks: 'Thanks',
  response,
  ...texts,
});

const LONG = 'x'.repeat(MAX_WRITTEN + 1);
const TOO_LONG = 'This has 10,001 characters, but at most 10,000 can be sent.';
const APPROVED: Answer = { kind: 'answer', data: { approved: true } };
const FREE_TEXT = question(freeText('Send'));
const QUESTIONS = { approval: questionPage(question(approval())), freeText: questionPage(FREE_TEXT) };
const PAGES = {
  ...QUESTIONS,
  thanks: thanksPage(question(approval()), APPROVED),
  closed: closedPage(false),
  lateAnswer: closedPage(true),
};

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const refusal = (asked: Question, form: Record<string, unknown>): Refusal => {
  const read = readForm(asked, form);
  if (read.kind !== 'refused') throw new Error('the form was read as an answer');
  return read;
};

describe('A page behind the link of a question', () => {
  test.each(Object.entries(PAGES))('has its style, and nothing to load: %s', (_name, page) => {
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(page) ?? [];
    const policy = new RegExp(
      `default-src 'none'; style-src (\\S+); script-src \\S+; form-action 'self'; base-uri 'none'`,
    );
    expect(policy.exec(page)?.[1]).toBe(hashOf(style));
    expect(policy.exec(PAGE_HEADERS['Content-Security-Policy'])?.[1]).toBe(hashOf(style));
    expect(page).not.toMatch(/<link|<img|<iframe|\ssrc=|\shref=|\son\w+=|\sstyle=|url\(|@import/i);
  });

  test('has no script but the one of the form, which its policy allows by its hash', () => {
    for (const page of Object.values(QUESTIONS)) {
      const [script, ...more] = [...page.matchAll(/<script>([^]*?)<\/script>/g)];
      expect(more).toEqual([]);
      expect(page).toContain(`; script-src ${hashOf(script?.[1] ?? '')};`);
      expect(PAGE_HEADERS['Content-Security-Policy']).toContain(`; script-src ${hashOf(script?.[1] ?? '')};`);
    }
    for (const page of [PAGES.thanks, PAGES.closed, PAGES.lateAnswer]) expect(page).not.toContain('<script');
  });

  test('escapes the question, every label and the thanks', () => {
    const labels = { approve: HOSTILE, decline: HOSTILE, comment: HOSTILE };
    const pages = [
      questionPage(question(approval(labels), { text: HOSTILE, title: HOSTILE })),
      questionPage(question(freeText(HOSTILE), { text: HOSTILE })),
      thanksPage(question(approval({ approve: HOSTILE }), { thanks: HOSTILE }), APPROVED),
    ];
    expect(pages.map((page) => page.split(ESCAPED).length - 1)).toEqual([5, 2, 2]);
    for (const page of pages) expect(page).not.toContain(HOSTILE);
  });

  test.each([
    [true, 'Yes, refund'],
    [false, 'No'],
  ])('repeats the decision by the label of its button: %s, %s', (approved, label) => {
    const asked = question(approval({ approve: 'Yes, refund', decline: 'No' }));
    expect(thanksPage(asked, { ...APPROVED, data: { approved } })).toContain(
      `<p dir="auto">Your answer: <bdi>${label}</bdi></p><h1>Thanks</h1></main>`,
    );
  });
});

test.each([
  ['a text that is too long', FREE_TEXT, { text: LONG }, 'text', TOO_LONG],
  ['a long comment', question(approval()), { decision: 'approve', comment: LONG }, 'comment', TOO_LONG],
  ['no decision', question(approval()), { comment: 'Hm' }, 'decision', 'An answer is required.'],
] as const)('A form without an answer gets the reason at its field: %s', (_what, asked, form, field, reason) => {
  const refused = refusal(asked, form);
  expect(refused.problems).toEqual({ [field]: reason });
  const page = questionPage(asked, refused);
  expect(page).toContain('<title>Your answer was not sent</title>');
  const message = `<p class="wrong" id="${field}-problem" role="alert" dir="auto">${reason}</p>`;
  const before = field === 'decision' ? '<div class="buttons">' : `<textarea class="box" id="${field}" autofocus `;
  expect(page).toContain(message + before);
  const described = page.split(` aria-invalid="true" aria-describedby="${field}-problem ${field}-limit" `);
  expect(described).toHaveLength(field === 'decision' ? 1 : 2);
});

test('The answer in a form has no comment if the field was left empty', () => {
  const answer = readForm(question(approval()), { decision: 'approve', comment: '\r\n ' });
  expect(answer).toEqual({ kind: 'answer', data: { approved: true } });
});

test('A page shows every text in the order in which it is written', () => {
  const text = 'Pay \u2067+44 7700\u2069 900123?';
  const page = questionPage(question(approval({ approve: '\u202eyaP' }), { text }));
  expect(page).toContain('>Pay +44 7700 900123?<');
  expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

const options = (...texts: unknown[]) => ({ values: texts.map((option) => ({ option })) });
/** A field as n8n stores it. */
const field = (fieldType: string, more: object = {}) => {
  return { fieldLabel: `A ${fieldType}`, fieldType, fieldOptions: options('Red', 'Green', 'Blue'), ...more };
};
const REQUIRED = { requiredField: true };
const TYPES = ['text', 'textarea', 'number', 'email', 'date', 'dropdown', 'radio', 'checkbox'];
const everyType = (more: object) => TYPES.map((type) => field(type, more));
const asking = (...fields: object[]) =>
  question({ kind: 'customForm', fields: readFormFields(fields), buttons: [{ label: 'Send', decision: null }] });

/** The answer in a form's only field, or what is wrong with it. */
const read = (asked: ReturnType<typeof field>, given: unknown): Value | { problem: string | undefined } => {
  const answer = readForm(asking(asked), { 'field-0': given });
  if (answer.kind === 'answer') return answer.data[asked.fieldLabel] as Value;
  return { problem: answer.problems['field-0'] };
};

describe('The answer in a custom form', () => {
  test('has every field by its label: numbers as numbers, and lists where several can be chosen', () => {
    const texts = [' Ada ', 'one\r\ntwo\r\n', '-12.50', 'ada@example.com', '2028-02-29'];
    const given = [...texts, '2', '0', ['2', '0'], 'of no field'].map(
      (each, index) => [`field-${index}`, each] as const,
    );
    const form = { ...Object.fromEntries(given), decision: 'approve' };
    expect(readForm(asking(...everyType(REQUIRED)), form)).toEqual({
      kind: 'answer',
      data: {
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
    const data = Object.fromEntries(TYPES.map((type) => [`A ${type}`, type === 'checkbox' ? [] : null]));
    expect(readForm(asking(...everyType({})), empty)).toEqual({ kind: 'answer', data });
  });

  test('can be a number in another form, one checkbox, or one text of several', () => {
    expect(read(field('number'), '0')).toBe(0);
    expect(read(field('number'), '1.5e3')).toBe(1500);
    expect(read(field('email'), 'ada@localhost')).toBe('ada@localhost');
    expect(read(field('checkbox'), '1')).toEqual(['Green']);
    expect(read(field('text'), ['one', 'two'])).toBe('one');
  });

  test.each<[problem: string, ReturnType<typeof field>, given: unknown[]]>([
    ['An answer is required.', field('text', REQUIRED), [' ', { text: 'x' }]],
    ['An answer is required.', field('date', REQUIRED), ['']],
    ['An answer is required.', field('radio', REQUIRED), [undefined]],
    ['An answer is required.', field('checkbox', REQUIRED), [undefined]],
    ['This is not a number, such as 12 or 12.5.', field('number'), ['x', '12,5', '0x10', 'Infinity', '1e', '1 2']],
    ['This number has too many digits.', field('number'), ['12345678901234567890', '1e999']],
    [
      'This is not an email address, such as name@example.com.',
      field('email'),
      ['ada', 'ada@', '@example.com', 'ada@b@c', 'ada@-b.example', 'a da@example.com', 'ada@example.com\nx'],
    ],
    ['This is not a date, such as 2026-01-31.', field('date'), ['2026-02-29', '31.01.2026', '2026-01-31T00:00']],
    [TOO_LONG, field('textarea'), [LONG]],
    ['An answer is required.', field('dropdown'), ['3', '-1', 'Red', 'length', '01', '1.0']],
    ['An answer is required.', field('checkbox'), [['0', '3']]],
  ])("can't be what the page calls wrong: %s", (problem, asked, given) => {
    expect(given.map((each) => read(asked, each))).toEqual(given.map(() => ({ problem })));
  });
});

describe('The page of a custom form', () => {
  test.each<[string, object, RegExp]>([
    [
      'text',
      field('text', { ...REQUIRED, placeholder: 'Ada' }),
      / type="text" .* required maxlength="10000" dir="auto" placeholder="Ada">/,
    ],
    [
      'long text',
      field('textarea', { ...REQUIRED, placeholder: 'Ada' }),
      /<textarea .* required .*maxlength="10000".* placeholder="Ada">/,
    ],
    ['number', field('number', REQUIRED), / type="number" .* required step="any" min="-9007\d+" max="9007\d+">/],
    ['email', field('email', REQUIRED), / type="email" .* required maxlength="10000"/],
    ['date', field('date', REQUIRED), / type="date" .* required max="9999-12-31">/],
    [
      'dropdown',
      field('dropdown', REQUIRED),
      /<select [^>]* required><option value="">–<\/option><option value="0">Red</,
    ],
    ['radio', field('radio', REQUIRED), /( type="radio" [^>]*required[^>]*>[^]*){3}/],
    [
      'checkbox',
      field('checkbox', { ...REQUIRED, fieldOptions: options('I agree') }),
      / type="checkbox" [^>]*required/,
    ],
  ])('has browsers check what they can: %s', (_what, asked, attributes) => {
    expect(questionPage(asking(asked))).toMatch(attributes);
    expect(questionPage(asking({ ...asked, requiredField: false }))).not.toContain(' required');
  });

  const WRONG = {
    'field-0': ' ',
    'field-1': `${HOSTILE}\r\nnext`,
    'field-2': '1e999',
    'field-3': HOSTILE,
    'field-4': '2026-01-31',
    'field-5': '1',
    'field-7': ['0', '2'],
  };

  test('that is shown again names everything that is wrong, at its field, and has what was written and chosen', () => {
    const asked = asking(...everyType(REQUIRED));
    const refused = refusal(asked, WRONG);
    expect(Object.keys(refused.problems)).toEqual(['field-0', 'field-2', 'field-3', 'field-6']);
    const page = questionPage(asked, refused);
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
    const hostile = { placeholder: HOSTILE, fieldOptions: options(HOSTILE) };
    const fields = TYPES.map((type) => field(type, { ...hostile, fieldLabel: `${type} ${HOSTILE}` }));
    const page = questionPage(asking(...fields));
    expect(page).not.toContain(HOSTILE);
    // Eight labels, three options, five placeholders.
    expect(page.split(ESCAPED)).toHaveLength(1 + 8 + 3 + 5);
  });

  test('is followed by nothing but the thanks', () => {
    const page = thanksPage(asking(field('text')), { kind: 'answer', data: { 'A text': 'secret' } });
    expect(page).toContain('<h1>Thanks</h1>');
    expect(page).not.toContain('secret');
  });
});

const radio = (...texts: unknown[]) => field('radio', { fieldOptions: options(...texts) });

/** The message of the failure that rejects the fields. */
const refusalOf = (given: unknown): string => {
  try {
    readFormFields(given);
  } catch (error) {
    if (error instanceof FailureError) return `${error.reason.code}: ${error.reason.message}`;
    throw error;
  }
  throw new Error('the fields were accepted');
};

describe('The fields of a custom form', () => {
  test("are read by the names and values that n8n's own nodes have", () => {
    const given = [
      { fieldLabel: ' Name ', placeholder: 'Ada', requiredField: 'true' },
      { fieldLabel: 1, fieldType: 'date', multiselect: true, fieldOptions: options('') },
      { ...field('dropdown'), fieldOptions: options(' a ', 2) },
      { ...field('dropdown'), fieldLabel: 'Several', fieldOptions: options('a'), multiselect: true },
      { ...radio('a', 'A'), multiselect: true },
      { ...field('checkbox'), fieldOptions: options('a'), multiselect: false },
    ];
    expect(readFormFields(given)).toEqual([
      { kind: 'text', name: 'field-0', label: 'Name', placeholder: 'Ada', required: true },
      { kind: 'date', name: 'field-1', label: '1', placeholder: '', required: false },
      { kind: 'dropdown', name: 'field-2', label: 'A dropdown', options: ['a', '2'], required: false },
      { kind: 'checkbox', name: 'field-3', label: 'Several', options: ['a'], required: false },
      { kind: 'radio', name: 'field-4', label: 'A radio', options: ['a', 'A'], required: false },
      { kind: 'checkbox', name: 'field-5', label: 'A checkbox', options: ['a'], required: false },
    ]);
  });

  const label = (place: number) =>
    `Field ${place} in 'Form Elements' needs a label that no other field has, and not respondedAt or __proto__`;
  const NO_OPTIONS = "Field 1 in 'Form Elements' needs 'Field Options', each with another text";

  test.each<[unknown, string]>([
    [[], "'Form Elements' has no fields"],
    ['words', "'Form Elements' has no fields"],
    [[{ fieldLabel: 'A' }, { fieldLabel: ' ' }], label(2)],
    [[{ fieldLabel: '__proto__' }], label(1)],
    [[{ fieldLabel: 'A' }, { fieldLabel: 'B' }, { fieldLabel: 'A ' }], label(3)],
    [[null], label(1)],
    ...['file', 'Text', 'toString', 7].map((fieldType): [unknown, string] => [
      [{ fieldLabel: 'A', fieldType }],
      `Field 1 in 'Form Elements' must have one of these as its 'Element Type': ${TYPES.toSorted().join(', ')}`,
    ]),
    ...['dropdown', 'radio', 'checkbox'].map((type): [unknown, string] => [
      [field(type, { fieldOptions: options() })],
      NO_OPTIONS,
    ]),
    [[{ fieldLabel: 'A', fieldType: 'radio' }], NO_OPTIONS],
    [[radio('a', ' ')], NO_OPTIONS],
    [[radio({}, 'a')], NO_OPTIONS],
    [[radio('a', 'b', ' a')], NO_OPTIONS],
  ])('are refused if they are %j', (given, message) => {
    expect(refusalOf(given)).toBe(`INVALID_PARAMETER: ${message}`);
  });
});

const WARNS = "which no phone outside this n8n's network can open";

test.each<[warnings: number, addresses: string]>([
  [1, 'http://localhost:5678 http://LOCALHOST. https://n8n.localhost http://127.1.2.3 http://2130706433'],
  [1, 'http://0.0.0.0:5678 http://[::1]:5678 http://[::]'],
  [1, 'http://10.0.0.5:5678 http://172.16.0.1 http://172.31.255.254 http://192.168.1.20 http://169.254.7.7'],
  [1, 'http://[fd12:3456::1] http://[fe80::1] http://n8n:5678 http://n8n.local https://n8n.corp.internal'],
  [1, 'https://nas.home.arpa'],
  [0, 'https://n8n.example.com https://localhost.example.com https://mylocalhost.com https://10.example.com'],
  [0, 'https://127.0.0.1.example.com http://172.15.0.1 http://172.32.0.1 http://192.169.0.1 http://11.0.0.1'],
  [0, 'http://[2001:db8::1] http://[::2] https://local.example.com https://internal.example'],
])('%i warnings say that nobody elsewhere can open a link that begins with one of %s', (warnings, addresses) => {
  for (const address of addresses.split(' ')) {
    const addExecutionHints = jest.fn();
    const getSignedResumeUrl = () => `${address}/webhook-waiting/1/2?q=0&signature=made-up`;
    const getWorkflowDataProxy = () => ({ $runIndex: 0 });
    warnOfLink({ addExecutionHints, getSignedResumeUrl, getWorkflowDataProxy } as unknown as IExecuteFunctions);
    const message = expect.stringContaining(`begins with ${new URL(address).origin}, ${WARNS}. `) as string;
    const hint = { message, location: 'outputPane', type: 'warning' };
    expect([address, addExecutionHints.mock.calls]).toEqual([address, Array(warnings).fill([hint])]);
  }
});
