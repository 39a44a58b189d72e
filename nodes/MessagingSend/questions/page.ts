import { createHash } from 'node:crypto';

import { escapeHtml } from '../api/serviceText';
import { DECISIONS, FIELDS, type Question } from './question';

// The pages behind the link in a message. They are plain HTML without a script, so that they work on any phone, and load
// nothing, so that no one else learns of them. dir="auto" takes the direction of the text that a page begins with.

const STYLE = `
:root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 1.5rem 1rem; background: Canvas; color: CanvasText; }
h1 { margin: 0; font: inherit; overflow-wrap: anywhere; white-space: pre-wrap; }
label { display: block; margin-top: 1.5rem; }
textarea { display: block; box-sizing: border-box; width: 100%; margin-top: 0.5rem; padding: 0.5rem; border: 1px solid GrayText; border-radius: 0.375rem; background: Field; color: FieldText; font: inherit; }
.notice { margin: 1.5rem 0 0; font-weight: bold; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
button { flex: 1 1 8rem; min-height: 3rem; padding: 0.5rem 1rem; border: 1px solid #0b6b3a; border-radius: 0.375rem; background: #0b6b3a; color: #fff; font: inherit; font-weight: bold; overflow-wrap: anywhere; }
button.other { border-color: GrayText; background: Canvas; color: CanvasText; }
:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

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

/**
 * The question, with a form that is sent to the page's own address.
 * @param notice why the form that was sent is no answer; null before one was sent
 */
export function questionPage({ text, response }: Question, notice: string | null = null): string {
  const shown = notice === null ? '' : `<p class="notice" role="alert">${escapeHtml(notice)}</p>`;
  const fields =
    response.kind === 'freeText'
      ? `${textarea(FIELDS.text, 'aria-labelledby="question" required')}${buttons(button(response.buttonLabel))}`
      : [
          response.commentLabel === null
            ? ''
            : `<label for="${FIELDS.comment}">${escapeHtml(response.commentLabel)}</label>${textarea(FIELDS.comment)}`,
          buttons(
            button(response.approveLabel, DECISIONS.approve),
            response.declineLabel === null ? '' : button(response.declineLabel, DECISIONS.decline, ' class="other"'),
          ),
        ].join('');
  return page(`<h1 id="question">${escapeHtml(text)}</h1>${shown}<form method="post">${fields}</form>`);
}

export function thanksPage({ thanks }: Question): string {
  return page(`<h1>${escapeHtml(thanks)}</h1>`);
}

/** For a link whose question was answered, has expired or was followed by another. */
export function closedPage(): string {
  return page('<h1>No answer is needed any more.</h1><p>This question was answered, or it has expired.</p>');
}

function textarea(name: string, attributes = ''): string {
  return `<textarea id="${name}" name="${name}" rows="4" dir="auto" ${attributes}></textarea>`;
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
