import { createHash } from 'node:crypto';

import { closedPage, PAGE_HEADERS, questionPage, thanksPage } from '../../nodes/MessagingSend/questions/page';
import { type Answer, type Question, readAnswer, type Response } from '../../nodes/MessagingSend/questions/question';

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

const APPROVED: Answer = { kind: 'approval', approved: true, comment: null };

const PAGES = {
  approval: questionPage(question(approval())),
  freeText: questionPage(question({ kind: 'freeText', buttonLabel: 'Send' })),
  thanks: thanksPage(question(approval()), APPROVED),
  closed: closedPage(),
};

describe('A page behind the link of a question', () => {
  test.each(Object.entries(PAGES))('has its style, nothing to load and no script: %s', (_name, page) => {
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(page) ?? [];
    const hash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
    expect(page).toContain(`default-src 'none'; style-src ${hash}; form-action 'self'; base-uri 'none'`);
    expect(PAGE_HEADERS['Content-Security-Policy']).toContain(hash);
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|\shref=|\son\w+=|\sstyle=|url\(|@import/i);
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
    expect(thanksPage(asked, { ...APPROVED, approved })).toContain(`<p>${label}</p><h1>Thanks</h1></main>`);
  });

  test('sends its form to the address it was opened by, whatever that is', () => {
    expect(PAGES.approval).toContain('<form method="post">');
    expect(PAGES.approval).not.toMatch(/\s(form)?action=/);
  });
});

describe('The answer in a form', () => {
  test('has lines that end as in any other text, and nothing around them', () => {
    const form = { text: ' \r\nTuesday\r\nat 9\r\n' };
    const answer = readAnswer(question({ kind: 'freeText', buttonLabel: 'Send' }), form);
    expect(answer).toEqual({ kind: 'freeText', text: 'Tuesday\nat 9' });
  });

  test('has no comment if the field was left empty', () => {
    const answer = readAnswer(question(approval()), { decision: 'approve', comment: '\r\n ' });
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
