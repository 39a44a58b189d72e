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
export interface Response {
  readonly kind: 'approval' | 'freeText' | 'customForm';
  /** From top to bottom: of an approval, a comment or none; of free text, the text. */
  readonly fields: readonly Field[];
  readonly buttons: readonly Button[];
}

export interface Button {
  readonly label: string;
  /** null if it sends the form, and decides nothing. */
  readonly decision: 'approve' | 'decline' | null;
}

/** A person's answer: the `data` of the output, with the names that n8n's own nodes use. */
export interface Answer {
  readonly kind: 'answer';
  /** `approved` and perhaps a `comment`, a `text`, or the value of each field of a form, by its label. */
  readonly data: Readonly<Record<string, Value | boolean>>;
}

/** The name of the buttons that decide. */
export const DECISION = 'decision';

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
  const { kind, fields, buttons } = response;
  const data: Record<string, Value | boolean> = kind === 'approval' ? { approved: decision === 'approve' } : {};
  for (const field of fields) {
    const { name } = field;
    const texts = (written[name] = writtenIn(form[name]));
    const problem = problemWith(field, texts);
    if (problem !== null) problems[name] = problem;
    // A comment is left out if it is empty; a form has all of its fields.
    else if (kind !== 'approval' || texts.length > 0)
      data[kind === 'customForm' ? field.label : name] = valueOf(field, texts);
  }
  const isDecided = buttons.some((button) => button.decision === decision);
  if (kind === 'approval' && !isDecided) problems[DECISION] = REQUIRED;
  return Object.keys(problems).length > 0 ? { kind: 'refused', problems, written } : { kind: 'answer', data };
}
