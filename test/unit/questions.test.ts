/** The page of a question, and how its form is read. */
import { createHash } from 'node:crypto';

import { closedPage, PAGE_HEADERS, questionPage, thanksPage } from '../../nodes/MessagingSend/questions/page';
import { MAX_WRITTEN, type Question, readForm, type Refusal } from '../../nodes/MessagingSend/questions/question';

const HOSTILE = `"'><script>alert(1)</script>&amp;`;
const ESCAPED = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;';

const approval = { kind: 'approval', approve: 'Approve', decline: 'Decline', comment: 'Comment' } as const;
const freeText = { kind: 'freeText', send: 'Send' } as const;
const question = (response: Question['response'], texts: Partial<Question> = {}): Question => ({
  text: 'Refund?',
  thanks: 'Thanks',
  response,
  ...texts,
});

const LONG = 'x'.repeat(MAX_WRITTEN + 1);
const REQUIRED = 'An answer is required.';
const TOO_LONG = 'This has 10,001 characters, but at most 10,000 can be sent.';
const FREE_TEXT = question(freeText);
const NO_COMMENT = question({ kind: 'approval', approve: 'Approve' });
const QUESTIONS = { approval: questionPage(question(approval)), freeText: questionPage(FREE_TEXT) };
const PAGES = { ...QUESTIONS, thanks: thanksPage(question(approval), { approved: true }), closed: closedPage() };

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const refusal = (asked: Question, form: Record<string, unknown>): Refusal => {
  const read = readForm(asked, form);
  if (!('problem' in read)) throw new Error('the form was read as an answer');
  return read;
};

describe('A page behind the link of a question', () => {
  test.each(Object.entries(PAGES))('has its style, and nothing to load: %s', (_name, page) => {
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(page) ?? [];
    const policy = /default-src 'none'; style-src (\S+); script-src \S+; form-action 'self'; base-uri 'none'/;
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
    for (const page of [PAGES.thanks, PAGES.closed]) expect(page).not.toContain('<script');
  });

  test('escapes the question, every label, the thanks and what was written', () => {
    const hostile = { approve: HOSTILE, decline: HOSTILE, comment: HOSTILE };
    const pages = [
      questionPage(question({ ...approval, ...hostile }, { text: HOSTILE, title: HOSTILE })),
      questionPage(question({ ...freeText, send: HOSTILE }, { text: HOSTILE })),
      thanksPage(question({ ...approval, ...hostile }, { thanks: HOSTILE }), { approved: true }),
      questionPage(FREE_TEXT, { at: 'written', problem: HOSTILE, written: HOSTILE }),
    ];
    expect(pages.map((page) => page.split(ESCAPED).length - 1)).toEqual([5, 2, 2, 2]);
    for (const page of pages) expect(page).not.toContain(HOSTILE);
  });
});

test.each([
  ['a text that is too long', FREE_TEXT, { written: LONG }, 'written', TOO_LONG],
  ['no text', FREE_TEXT, { written: ' \u200b' }, 'written', REQUIRED],
  ['a list', FREE_TEXT, { written: ['one', 'two'] }, 'written', REQUIRED],
  ['a long comment', question(approval), { decision: 'approve', written: LONG }, 'written', TOO_LONG],
  ['no decision', question(approval), { written: 'Hm' }, 'decision', REQUIRED],
  ['a list of decisions', question(approval), { decision: ['approve'] }, 'decision', REQUIRED],
] as const)('A form without an answer gets the reason at its place: %s', (_what, asked, form, at, problem) => {
  const refused = refusal(asked, form);
  expect(refused).toMatchObject({ at, problem });
  const page = questionPage(asked, refused);
  expect(page).toContain('<title>Your answer was not sent</title>');
  const message = `<p class="wrong" id="${at}-problem" role="alert" dir="auto">${problem}</p>`;
  const field = at === 'decision' ? '<div class="buttons">' : '<textarea class="box" id="written" ';
  expect(page).toContain(message + field);
  const described = page.split(' autofocus aria-invalid="true" aria-describedby="written-problem limit">');
  expect(described).toHaveLength(at === 'decision' ? 1 : 2);
});

test('The page that asks again has what was written', () => {
  const page = questionPage(question(approval), refusal(question(approval), { written: `${HOSTILE}\r\nnext ` }));
  expect(page).toContain(`>\n${ESCAPED}\nnext</textarea>`);
});

test.each([
  ['the text, trimmed', FREE_TEXT, { written: ' one\r\ntwo\r\n', decision: 'approve' }, { text: 'one\ntwo' }],
  ['a comment', question(approval), { decision: 'decline', written: 'Hm' }, { approved: false, comment: 'Hm' }],
  ['no empty comment', question(approval), { decision: 'approve', written: '\r\n ' }, { approved: true }],
  ['no comment where none is asked for', NO_COMMENT, { decision: 'approve', written: LONG }, { approved: true }],
])('The answer in a form has %s', (_what, asked, form, answer) => {
  expect(readForm(asked, form)).toEqual(answer);
});

test('The field has a name for screen readers, the limit of its text, and an answer where one is needed', () => {
  const [text, comment] = [QUESTIONS.freeText, QUESTIONS.approval].map((page) => /<textarea[^>]*>/.exec(page)?.[0]);
  expect(text).toMatch(/ maxlength="10000" .* required .*aria-labelledby="question" aria-describedby="limit">/);
  expect(comment).toMatch(/ maxlength="10000" .* aria-describedby="limit">/);
  expect(comment).not.toMatch(/ required| aria-labelledby/);
  expect(QUESTIONS.approval).toContain('<label for="written">Comment</label>');
});

test('A page shows every text in the order in which it is written', () => {
  const text = 'Pay \u2067+44 7700\u2069 900123?';
  const page = questionPage(question({ ...approval, approve: '\u202eyaP' }, { text }));
  expect(page).toContain('>Pay +44 7700 900123?<');
  expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});
