import { createHash } from 'node:crypto';

import { MAX_WRITTEN } from '../../nodes/MessagingSend/questions/field';
import {
  closedPage,
  lateAnswerPage,
  PAGE_HEADERS,
  questionPage,
  thanksPage,
} from '../../nodes/MessagingSend/questions/page';
import {
  type Question,
  readSubmission,
  type Refusal,
  type Response,
  type Submission,
} from '../../nodes/MessagingSend/questions/question';

const HOSTILE = `"'><script>alert(1)</script>&amp;`;
const ESCAPED = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;';

const approval = (labels: Partial<Response> = {}): Response => ({
  kind: 'approval',
  approveLabel: 'Approve',
  declineLabel: 'Decline',
  commentLabel: 'Comment',
  ...(labels as object),
});
const question = (response: Response, texts: Partial<Question> = {}): Question => ({
  text: 'Refund?',
  thanks: 'Thanks',
  response,
  ...texts,
});

const APPROVED: Submission = { kind: 'approval', approved: true, comment: null };

const FREE_TEXT = question({ kind: 'freeText', buttonLabel: 'Send' });
const QUESTIONS = { approval: questionPage(question(approval())), freeText: questionPage(FREE_TEXT) };
const PAGES = {
  ...QUESTIONS,
  thanks: thanksPage(question(approval()), APPROVED),
  closed: closedPage(),
  lateAnswer: lateAnswerPage(),
};

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Reads a form that holds no answer. */
const refusal = (asked: Question, form: Record<string, unknown> | null): Refusal => {
  const read = readSubmission(asked, form);
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
    const labels = { approveLabel: HOSTILE, declineLabel: HOSTILE, commentLabel: HOSTILE };
    const pages = [
      questionPage(question(approval(labels), { text: HOSTILE })),
      questionPage(question({ kind: 'freeText', buttonLabel: HOSTILE }, { text: HOSTILE })),
      thanksPage(question(approval({ approveLabel: HOSTILE }), { thanks: HOSTILE }), APPROVED),
    ];
    expect(pages.map((page) => page.split(ESCAPED).length - 1)).toEqual([4, 2, 2]);
    for (const page of pages) expect(page).not.toContain(HOSTILE);
  });

  test.each([
    [true, 'Yes, refund'],
    [false, 'No'],
  ])('repeats the decision by the label of its button: %s, %s', (approved, label) => {
    const asked = question(approval({ approveLabel: 'Yes, refund', declineLabel: 'No' }));
    expect(thanksPage(asked, { ...APPROVED, approved })).toContain(
      `<p dir="auto">Your answer: <bdi>${label}</bdi></p><h1>Thanks</h1></main>`,
    );
  });
});

describe('A form that holds no answer', () => {
  const typed = `${HOSTILE}\r\nTuesday`;

  test.each([
    [
      'a text that is too long',
      FREE_TEXT,
      { text: 'x'.repeat(MAX_WRITTEN + 1) },
      'text',
      'This has 10,001 characters, but at most 10,000 can be sent.',
    ],
    [
      'a comment that is too long',
      question(approval()),
      { decision: 'approve', comment: 'x'.repeat(MAX_WRITTEN + 1) },
      'comment',
      'This has 10,001 characters, but at most 10,000 can be sent.',
    ],
    ['no decision', question(approval()), { comment: 'Hm' }, 'decision', 'Choose an answer.'],
    [
      'a text that is too large to be read',
      FREE_TEXT,
      null,
      'text',
      'This is too long: at most 10,000 characters can be sent.',
    ],
    [
      'too much, where nothing can be written',
      question(approval({ commentLabel: null })),
      null,
      'decision',
      'This is too long: at most 10,000 characters can be sent.',
    ],
  ] as const)('is answered with the reason, at the field that is wrong: %s', (_what, asked, form, field, reason) => {
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

  test.each([
    ['a comment without a decision', question(approval()), { comment: typed }],
    ['a text that is too long', FREE_TEXT, { text: typed + 'x'.repeat(MAX_WRITTEN) }],
  ])('is shown again with what was written: %s', (_what, asked, form) => {
    const page = questionPage(asked, refusal(asked, form));
    expect(page).toContain(`>\n${ESCAPED}\nTuesday`);
    expect(page).not.toContain(HOSTILE);
  });
});

describe('The answer in a form', () => {
  test('has lines that end as in any other text, and nothing around them', () => {
    const form = { text: ' \r\nTuesday\r\nat 9\r\n' };
    const answer = readSubmission(question({ kind: 'freeText', buttonLabel: 'Send' }), form);
    expect(answer).toEqual({ kind: 'freeText', text: 'Tuesday\nat 9' });
  });

  test('has no comment if the field was left empty', () => {
    const answer = readSubmission(question(approval()), { decision: 'approve', comment: '\r\n ' });
    expect(answer).toEqual({ kind: 'approval', approved: true, comment: null });
  });
});

test('A page shows nothing in another order than it is written', () => {
  const page = questionPage(
    question(approval({ approveLabel: '\u202eyaP' }), { text: 'Pay \u2067+44 7700\u2069 900123?' }),
  );
  expect(page).toContain('>Pay +44 7700 900123?<');
  expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});
