import { hash } from 'node:crypto';

import { withoutDirections } from '../api/serviceText';
import {
  type Answer,
  type Approval,
  DECISION,
  LIMIT,
  MAX_WRITTEN,
  type Question,
  type Refusal,
  WRITTEN,
} from './question';

// The pages behind the link in a message: plain HTML that works without a script, on any phone. They load nothing, so
// nobody else learns about them. dir="auto" takes the direction of the page's first text without a direction of its
// own.

const STYLE = `
:root { color-scheme: light dark; --ground: #eef1ef; --card: #fff; --text: #1a1f1c; --line: #76807b; --accent: #0b6b3a; --wrong: #b3261e; --shadow: 0 1px 3px #0003; font: 1.125rem/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; }
@media (prefers-color-scheme: dark) { :root { --ground: #101311; --card: #1c211e; --text: #eef1ef; --line: #87918c; --wrong: #ffb4ab; --shadow: none; } }
body { margin: 0; padding: 0.5rem; background: var(--ground); color: var(--text); }
main { box-sizing: border-box; max-width: 32rem; margin: 4vh auto 0; padding: 1.25rem 1rem; border-radius: 0.75rem; background: var(--card); box-shadow: var(--shadow); overflow-wrap: anywhere; }
h1 { margin: 0; font: inherit; white-space: pre-wrap; }
p { margin: 1rem 0 0; }
.limit { margin-top: 0.25rem; font-size: 0.9rem; }
.wrong { color: var(--wrong); font-weight: 600; }
label + .wrong { margin-top: 0.25rem; }
.done { display: block; width: 3rem; height: 3rem; margin: 0 auto 0.75rem; border-radius: 50%; background: var(--accent); }
.done::after { content: ''; display: block; position: relative; top: 0.65rem; width: 0.6rem; height: 1.2rem; margin: 0 auto; border: solid #fff; border-width: 0 0.2rem 0.2rem 0; transform: rotate(45deg); }
.done ~ * { text-align: center; }
.done ~ p { margin: 0 0 0.75rem; font-weight: 600; }
label { display: block; margin: 1.25rem 0 0; }
.box { display: block; box-sizing: border-box; width: 100%; min-width: 0; min-height: 3rem; margin-top: 0.5rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); color: inherit; font: inherit; resize: vertical; }
.box[aria-invalid] { border: 2px solid var(--wrong); }
form > .box:first-child { margin-top: 1.25rem; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.25rem; }
button { flex: 1 1 8rem; min-height: 3rem; padding: 0.5rem 0.75rem; border: 1px solid var(--accent); border-radius: 0.5rem; background: var(--accent); color: #fff; font: inherit; font-weight: 600; overflow-wrap: anywhere; touch-action: manipulation; cursor: pointer; }
button[value=decline] { border-color: var(--line); background: var(--card); color: inherit; }
@media (scripting: none) { button:focus:not(:focus-visible, :active) { pointer-events: none; } }
button:disabled { opacity: 0.6; cursor: default; }
:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`;

// A form is sent once: n8n would answer a second tap with an error. The browser reads the form after the event, without
// disabled buttons, so they are disabled later. A person who returns to the page, or stops it while it is being sent,
// can still answer. Without scripts, CSS blocks a second tap on the focused button.
const SCRIPT = `
const form = document.forms[0];
let sent = false;
function mark(value) {
  sent = value;
  for (const button of form.querySelectorAll('button')) button.disabled = value;
}
form.addEventListener('submit', (event) => {
  if (sent) return event.preventDefault();
  sent = true;
  setTimeout(mark, 0, true);
  setTimeout(mark, 10000, false);
});
addEventListener('pageshow', () => mark(false));
`;

const [STYLE_HASH, SCRIPT_HASH] = [STYLE, SCRIPT].map((text) => `'sha256-${hash('sha256', text, 'base64')}'`);

/** Nothing is loaded, and the form can only be sent to the page's own address. */
const POLICY = `default-src 'none'; style-src ${STYLE_HASH}; script-src ${SCRIPT_HASH}; form-action 'self'; base-uri 'none'`;

/**
 * For every page: it is not framed, cached, indexed or passed on. If n8n sends the page itself, it replaces the policy
 * with one that allows frames; X-Frame-Options stays.
 */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `${POLICY}; frame-ancestors 'none'`,
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

/** @param refusal why the form that was sent before is not an answer */
export function questionPage({ text, title, response }: Question, refusal?: Refusal): string {
  const form = response.kind === 'approval' ? approvalForm(response, refusal) : textForm(response.send, refusal);
  return page(
    `<h1 id="question">${escapeHtml(text)}</h1><form method="post">${form}</form>`,
    refusal === undefined ? title : 'Your answer was not sent',
    `<script>${SCRIPT}</script>`,
  );
}

/** Names the decision by its button's label, so that a mistaken tap is noticed. */
export function thanksPage({ thanks, title, response }: Question, answer: Answer): string {
  const isDecision = response.kind === 'approval' && 'approved' in answer;
  const label = isDecision ? response[answer.approved ? 'approve' : 'decline'] : undefined;
  const decision = label === undefined ? '' : `<p dir="auto">Your answer: <bdi>${escapeHtml(label)}</bdi></p>`;
  return page(`<span class="done"></span>${decision}<h1>${escapeHtml(thanks)}</h1>`, title);
}

/** The question was answered, perhaps a moment ago, or it has expired, or another one followed. */
export function closedPage(): string {
  return page('<h1>This question is closed.</h1><p>It has already been answered, or it has expired.</p>');
}

function approvalForm({ approve, decline, comment }: Approval, refusal?: Refusal): string {
  const button = (value: string, label: string) =>
    `<button name="${DECISION}" value="${value}">${escapeHtml(label)}</button>`;
  return [
    comment === undefined ? '' : field(`<label for="${WRITTEN}">${escapeHtml(comment)}</label>`, 'rows="2"', refusal),
    problemAt(DECISION, refusal),
    `<div class="buttons">${button('approve', approve)}${decline === undefined ? '' : button('decline', decline)}</div>`,
  ].join('');
}

function textForm(send: string, refusal?: Refusal): string {
  const button = `<div class="buttons"><button>${escapeHtml(send)}</button></div>`;
  return field('', 'required rows="4" aria-labelledby="question"', refusal) + button;
}

/** The page's field, with what was written before. */
function field(label: string, attributes: string, refusal?: Refusal): string {
  const problem = problemAt(WRITTEN, refusal);
  const [invalid, describedBy] = problem === '' ? ['', ''] : [' autofocus aria-invalid="true"', `${WRITTEN}-problem `];
  const area = `<textarea class="box" id="${WRITTEN}" name="${WRITTEN}" maxlength="${MAX_WRITTEN}" dir="auto" ${attributes}${invalid} aria-describedby="${describedBy}limit">`;
  const limit = `<p class="limit" id="limit" dir="auto">At most ${LIMIT} characters</p>`;
  // A browser drops a line break at the beginning.
  return `${label}${problem}${area}\n${escapeHtml(refusal?.written ?? '')}</textarea>${limit}`;
}

/** What is wrong in the field, or with the decision; empty if nothing is. */
function problemAt(name: Refusal['at'], refusal?: Refusal): string {
  if (refusal?.at !== name) return '';
  return `<p class="wrong" id="${name}-problem" role="alert" dir="auto">${escapeHtml(refusal.problem)}</p>`;
}

/** The policy is in the page, too, because n8n replaces the header if it sends the page itself. */
function page(content: string, title = 'Your answer', script = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body><main dir="auto">${content}</main>${script}</body>
</html>
`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Makes foreign text fit for a page: nothing in it is markup, or changes the direction of the text shown. */
function escapeHtml(text: string): string {
  return withoutDirections(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
