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

/**
 * Reads the form that the page sent.
 * @returns null if it holds no answer to this question
 */
export function readAnswer({ response }: Question, form: Readonly<Record<string, unknown>>): Answer | null {
  if (response.kind === 'freeText') {
    const text = textOf(form[FIELDS.text]);
    return text === '' ? null : { kind: 'freeText', text };
  }
  const decision = form[FIELDS.decision];
  const approved = decision === DECISIONS.approve;
  if (!approved && (decision !== DECISIONS.decline || response.declineLabel === null)) return null;
  const comment = response.commentLabel === null ? '' : textOf(form[FIELDS.comment]);
  return { kind: 'approval', approved, comment: comment === '' ? null : comment };
}

/** Browsers send the ends of lines as forms have them, CR LF. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : '';
}
