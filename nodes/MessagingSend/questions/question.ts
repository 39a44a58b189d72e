/** What a person is asked by a message with a link, as the page behind the link shows it. */
export interface Question {
  readonly text: string;
  readonly response: Response;
  /** Shown once the answer has arrived. */
  readonly thanks: string;
}

/** How the question can be answered. The labels are the user's, so that a page can be in any language. */
export type Response =
  | {
      readonly kind: 'approval';
      readonly approveLabel: string;
      /** null where declining is not offered. */
      readonly declineLabel: string | null;
      /** Of the field for a comment; null where there is none. */
      readonly commentLabel: string | null;
    }
  | { readonly kind: 'freeText'; readonly buttonLabel: string };

export type Answer =
  | { readonly kind: 'approval'; readonly approved: boolean; readonly comment: string | null }
  | { readonly kind: 'freeText'; readonly text: string };

/** Names and values of the fields in the page's form. */
export const FIELDS = { decision: 'decision', comment: 'comment', text: 'text' } as const;
export const DECISIONS = { approve: 'approve', decline: 'decline' } as const;

/** The most that can be written, in UTF-16 units: browsers count them, and the end of a line as one, for `maxlength`. */
export const MAX_WRITTEN = 10_000;

/** Why a form is no answer to the question. */
export interface Refusal {
  readonly kind: 'refused';
  /** The field that is wrong. */
  readonly field: keyof typeof FIELDS;
  readonly reason: string;
  /** What was written, for the page that asks again. */
  readonly written: string;
}

/**
 * Reads the form that the page sent.
 * @param form null if it is too large to be read
 */
export function readAnswer({ response }: Question, form: Readonly<Record<string, unknown>> | null): Answer | Refusal {
  const field = writtenFieldOf(response);
  const written = field === null ? '' : textOf(form?.[field]);
  const refused = (reason: string, wrong: Refusal['field'] = field ?? FIELDS.decision): Refusal => ({
    kind: 'refused',
    field: wrong,
    reason,
    written,
  });
  if (form === null) return refused(`This is too long: at most ${count(MAX_WRITTEN)} characters can be sent.`);
  if (written.length > MAX_WRITTEN) {
    return refused(`This has ${count(written.length)} characters, but at most ${count(MAX_WRITTEN)} can be sent.`);
  }
  if (response.kind === 'freeText') {
    return written === '' ? refused('Write an answer first.') : { kind: 'freeText', text: written };
  }
  const decision = form[FIELDS.decision];
  const approved = decision === DECISIONS.approve;
  if (!approved && (decision !== DECISIONS.decline || response.declineLabel === null)) {
    return refused('Choose an answer.', FIELDS.decision);
  }
  return { kind: 'approval', approved, comment: written === '' ? null : written };
}

/** The field for a text that the page has, if it has one. */
function writtenFieldOf(response: Response): 'text' | 'comment' | null {
  if (response.kind === 'freeText') return FIELDS.text;
  return response.commentLabel === null ? null : FIELDS.comment;
}

/** As the page writes a number of characters. */
export function count(characters: number): string {
  return characters.toLocaleString('en');
}

/** Anything but spaces and characters that take no room. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** Browsers send the ends of lines as forms have them, CR LF. */
function textOf(value: unknown): string {
  return typeof value === 'string' && VISIBLE.test(value) ? value.replaceAll('\r\n', '\n').trim() : '';
}
