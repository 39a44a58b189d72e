import { hash } from 'node:crypto';

import { escapeHtml } from '../api/serviceText';
import { type Answer, DECISIONS, FIELDS, type Question } from './question';

// The pages behind the link in a message. They are plain HTML without a script, so that they work on any phone, and load
// nothing, so that no one else learns of them. dir="auto" takes the direction of the text that a page begins with. A button
// that was tapped takes no second tap: to that one, n8n would answer that the execution is running already.

const STYLE = `
:root { color-scheme: light dark; --ground: #eef1ef; --card: #fff; --text: #1a1f1c; --line: #76807b; --accent: #0b6b3a; --shadow: 0 1px 3px #0003; font: 1.125rem/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; }
@media (prefers-color-scheme: dark) { :root { --ground: #101311; --card: #1c211e; --text: #eef1ef; --line: #87918c; --shadow: none; } }
body { margin: 0; padding: 0.5rem; background: var(--ground); color: var(--text); }
main { box-sizing: border-box; max-width: 32rem; margin: 4vh auto 0; padding: 1.25rem 1rem; border-radius: 0.75rem; background: var(--card); box-shadow: var(--shadow); overflow-wrap: anywhere; }
h1 { margin: 0; font: inherit; white-space: pre-wrap; }
p { margin: 1rem 0 0; }
.done { display: block; width: 3rem; height: 3rem; margin: 0 auto 0.75rem; border-radius: 50%; background: var(--accent); }
.done::after { content: ''; display: block; position: relative; top: 0.65rem; width: 0.6rem; height: 1.2rem; margin: 0 auto; border: solid #fff; border-width: 0 0.2rem 0.2rem 0; transform: rotate(45deg); }
.done ~ * { text-align: center; }
.done ~ p { margin: 0 0 0.75rem; font-weight: 600; }
label { display: block; margin-top: 1.25rem; }
textarea { display: block; box-sizing: border-box; width: 100%; margin-top: 0.5rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); color: inherit; font: inherit; resize: vertical; }
form > textarea:first-child { margin-top: 1.25rem; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.25rem; }
button { flex: 1 1 8rem; min-height: 3rem; padding: 0.5rem 0.75rem; border: 1px solid var(--accent); border-radius: 0.5rem; background: var(--accent); color: #fff; font: inherit; font-weight: 600; overflow-wrap: anywhere; touch-action: manipulation; cursor: pointer; }
button.other { border-color: var(--line); background: var(--card); color: inherit; }
button:focus:not(:focus-visible, :active) { pointer-events: none; }
:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`;

const STYLE_HASH = hash('sha256', STYLE, 'base64');

/** Nothing is loaded, and a form is sent to the page's own address alone. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'`;

/** Of every page: it is not framed, cached, indexed or passed on. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `${POLICY}; frame-ancestors 'none'`,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

/** The question, with a form that is sent to the page's own address. */
export function questionPage({ text, response }: Question): string {
  const fields =
    response.kind === 'freeText'
      ? `${textarea(FIELDS.text, 4, ' aria-labelledby="question" required')}${buttons(button(response.buttonLabel))}`
      : [
          response.commentLabel === null
            ? ''
            : `<label for="${FIELDS.comment}">${escapeHtml(response.commentLabel)}</label>${textarea(FIELDS.comment, 2)}`,
          buttons(
            button(response.approveLabel, DECISIONS.approve),
            response.declineLabel === null ? '' : button(response.declineLabel, DECISIONS.decline, ' class="other"'),
          ),
        ].join('');
  return page(`<h1 id="question">${escapeHtml(text)}</h1><form method="post">${fields}</form>`);
}

/** Names the decision by its button's label, so that a mistaken tap is noticed. */
export function thanksPage({ thanks, response }: Question, answer: Answer): string {
  const label =
    response.kind === 'approval' && answer.kind === 'approval'
      ? answer.approved
        ? response.approveLabel
        : response.declineLabel
      : null;
  const decision = label === null ? '' : `<p>${escapeHtml(label)}</p>`;
  return page(`<span class="done"></span>${decision}<h1>${escapeHtml(thanks)}</h1>`);
}

/** For a link whose question was answered, has expired or was followed by another. */
export function closedPage(): string {
  return page('<h1>This question is closed.</h1><p>It has already been answered, or it has expired.</p>');
}

function textarea(name: string, rows: number, attributes = ''): string {
  return `<textarea id="${name}" name="${name}" rows="${rows}" dir="auto"${attributes}></textarea>`;
}

function buttons(...all: string[]): string {
  return `<div class="buttons">${all.join('')}</div>`;
}

function button(label: string, decision?: string, kind = ''): string {
  const value = decision === undefined ? '' : ` name="${FIELDS.decision}" value="${decision}"`;
  return `<button${value}${kind}>${escapeHtml(label)}</button>`;
}

/** The policy is in the page, too, because n8n replaces the header where it sends the page itself. */
function page(content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Your answer</title>
<style>${STYLE}</style>
</head>
<body><main dir="auto">${content}</main></body>
</html>
`;
}
