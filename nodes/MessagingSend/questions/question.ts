import { asText, type JsonObject } from '../api/objects';
import { BLANK } from '../messages/emptyWords';

/** The question in a message with a link, as the page behind the link shows it. The execution stores it. */
export interface Question {
  readonly text: string;
  /** The page's title, unless the user set none and the workflow has no name. */
  readonly title?: string;
  /** With the labels of the page's buttons and field: the user writes them, so that a page can be in any language. */
  readonly response: Approval | FreeText;
  /** Shown once the answer has arrived. */
  readonly thanks: string;
}

export interface Approval {
  readonly kind: 'approval';
  readonly approve: string;
  /** Without it, nobody can decline. */
  readonly decline?: string;
  /** Without it, there is no field. */
  readonly comment?: string;
}

interface FreeText {
  readonly kind: 'freeText';
  readonly send: string;
}

/** A person's answer: the `data` of the output, with the names that n8n's own nodes use. */
export type Answer = { readonly approved: boolean; readonly comment?: string } | { readonly text: string };

/** Why a form isn't an answer to the question, for the page that asks again. */
export interface Refusal {
  readonly at: typeof WRITTEN | typeof DECISION;
  readonly problem: string;
  readonly written: string;
}

/** The names in the form: of the page's only field, and of the buttons that decide. */
export const WRITTEN = 'written';
export const DECISION = 'decision';

/** The limit in UTF-16 units, because browsers count those for `maxlength`, and the end of a line as one. */
export const MAX_WRITTEN = 10_000;
export const LIMIT = MAX_WRITTEN.toLocaleString('en');

/** @param form as the page sent it */
export function readForm({ response }: Question, form: JsonObject): Answer | Refusal {
  const hasField = response.kind === 'freeText' || response.comment !== undefined;
  const entered = hasField ? asText(form[WRITTEN]) : '';
  // Browsers send line breaks as CR LF.
  const written = BLANK.test(entered) ? '' : entered.replaceAll('\r\n', '\n').trim();
  const refused = (at: Refusal['at'], problem = 'An answer is required.'): Refusal => ({ at, problem, written });
  if (written.length > MAX_WRITTEN) {
    const length = written.length.toLocaleString('en');
    return refused(WRITTEN, `This has ${length} characters, but at most ${LIMIT} can be sent.`);
  }
  if (response.kind === 'freeText') return written === '' ? refused(WRITTEN) : { text: written };
  const decision = form[DECISION];
  const approved = decision === 'approve';
  if (!approved && (decision !== 'decline' || response.decline === undefined)) return refused(DECISION);
  return written === '' ? { approved } : { approved, comment: written };
}
