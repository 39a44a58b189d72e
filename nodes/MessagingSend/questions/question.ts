import type { JsonObject } from '../api/objects';
import { type Field, problemWith, REQUIRED, type Value, valueOf, writtenIn } from './field';

/** The question in a message with a link, as the page behind the link shows it. The execution stores it. */
export interface Question {
  readonly text: string;
  /** The page's title, unless the user set none and the workflow has no name. */
  readonly title?: string;
  readonly response: Response;
  /** Shown once the answer has arrived. */
  readonly thanks: string;
}

/** How the question can be answered. The user writes the labels, so that a page can be in any language. */
export type Response =
  | {
      readonly kind: 'approval';
      readonly approveLabel: string;
      /** null if declining is not offered. */
      readonly declineLabel: string | null;
      /** For the comment field; null if there is none. */
      readonly commentLabel: string | null;
    }
  | { readonly kind: 'freeText'; readonly buttonLabel: string }
  | { readonly kind: 'customForm'; readonly fields: readonly Field[]; readonly buttonLabel: string };

/** A person's answer: the `data` of the output, with the names that n8n's own nodes use. */
export interface Answer {
  readonly kind: 'answer';
  /** `approved` and perhaps a `comment`, a `text`, or the value of each field of a form, by its label. */
  readonly data: Readonly<Record<string, Value | boolean>>;
}

/** The name and the values of the buttons of an approval. */
export const DECISION = 'decision';
export const DECISIONS = { approve: 'approve', decline: 'decline' } as const;

/** The fields of the page, from top to bottom. */
export function fieldsOf(response: Response): readonly Field[] {
  const text = { kind: 'textarea', placeholder: '' } as const;
  switch (response.kind) {
    case 'approval':
      if (response.commentLabel === null) return [];
      return [{ ...text, name: 'comment', label: response.commentLabel, required: false }];
    case 'freeText':
      return [{ ...text, name: 'text', label: '', required: true }];
    case 'customForm':
      return response.fields;
  }
}

/**
 * How the page sends its form; anything else isn't an answer. For a custom form, n8n itself answers anything else with
 * status 415, since a release between 2.35 and 2.41.
 */
export function encodingOf({ kind }: Response): 'multipart/form-data' | 'application/x-www-form-urlencoded' {
  return kind === 'customForm' ? 'multipart/form-data' : 'application/x-www-form-urlencoded';
}

/** Why a form isn't an answer to the question. */
export interface Refusal {
  readonly kind: 'refused';
  /** What is wrong, by the name of the field, or {@link DECISION} for the buttons; from top to bottom. */
  readonly problems: Readonly<Record<string, string>>;
  /** What was written and chosen, by the name of the field, for the page that asks again. */
  readonly written: Readonly<Record<string, readonly string[]>>;
}

/** @param form as the page sent it */
export function readForm({ response }: Question, form: JsonObject): Answer | Refusal {
  const [problems, written]: [Record<string, string>, Record<string, readonly string[]>] = [{}, {}];
  const decision = form[DECISION];
  const data: Record<string, Value | boolean> =
    response.kind === 'approval' ? { approved: decision === DECISIONS.approve } : {};
  for (const field of fieldsOf(response)) {
    const { name } = field;
    const texts = (written[name] = writtenIn(form[name]));
    const problem = problemWith(field, texts);
    if (problem !== null) problems[name] = problem;
    // A comment is left out if it is empty; a form has all of its fields.
    else if (response.kind !== 'approval' || texts.length > 0)
      data[response.kind === 'customForm' ? field.label : name] = valueOf(field, texts);
  }
  const declines = response.kind === 'approval' && response.declineLabel !== null && decision === DECISIONS.decline;
  if (response.kind === 'approval' && data.approved !== true && !declines) problems[DECISION] = REQUIRED;
  return Object.keys(problems).length > 0 ? { kind: 'refused', problems, written } : { kind: 'answer', data };
}
