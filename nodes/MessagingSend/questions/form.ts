import { withoutDirections } from '../api/serviceText';
import { type ChoiceField, count, type Field, MAX_NUMBER, MAX_WRITTEN, type WrittenField } from './field';
import type { Refusal, Response } from './question';

// The fields of the page's form, each with its label, what is wrong with it, and what was written. Browsers check what
// they can before they send the form.

export function formFields({ fields }: Response, refusal?: Refusal): string {
  const hasMark = fields.some((field) => markOf(field) !== '');
  return [
    hasMark ? '<p class="limit" dir="auto">* An answer is required</p>' : '',
    ...fields.map((field) => formField(field, refusal)),
  ].join('');
}

/** What is wrong with the field of this name; empty if nothing is. */
export function problemAt(name: string, refusal?: Refusal): string {
  const problem = refusal?.problems[name];
  if (problem === undefined) return '';
  return `<p class="wrong" id="${name}-problem" role="alert" dir="auto">${escapeHtml(problem)}</p>`;
}

function formField(field: Field, refusal: Refusal | undefined): string {
  const { name } = field;
  const problem = problemAt(name, refusal);
  const limit =
    field.kind === 'textarea'
      ? `<p class="limit" id="${name}-limit" dir="auto">At most ${count(MAX_WRITTEN)} characters</p>`
      : '';
  const describedBy = [problem && `${name}-problem`, limit && `${name}-limit`].filter((id) => id !== '');
  const written = refusal?.written[name] ?? [];
  const attributes: Attributes = {
    id: name,
    autofocus: Object.keys(refusal?.problems ?? {})[0] === name,
    name,
    required: field.required,
    'aria-invalid': problem !== '' && 'true',
    'aria-describedby': describedBy.join(' '),
  };
  const label = escapeHtml(field.label) + markOf(field);
  if ('options' in field && field.kind !== 'dropdown') {
    return `<fieldset><legend>${label}</legend>${problem}${choices(field, attributes, written)}</fieldset>`;
  }
  const labelled = label === '' ? '' : `<label for="${name}">${label}</label>`;
  const filled = 'options' in field ? dropdown(field, attributes, written) : box(field, attributes, written);
  return labelled + problem + filled + limit;
}

/** Follows the label of a field that can't be left empty. */
function markOf({ label, required }: Field): string {
  return required && label !== '' ? ' *' : '';
}

function choices({ kind: type, options }: ChoiceField, attributes: Attributes, written: readonly string[]): string {
  const inputs = options.map((option, place) => {
    const input = attributesOf({
      type,
      ...attributes,
      // The focus leads to the first.
      ...(place > 0 && { id: '', autofocus: false }),
      // A browser would require every checkbox.
      required: attributes.required === true && (type === 'radio' || options.length === 1),
      value: String(place),
      checked: written.includes(String(place)),
    });
    return `<label class="choice"><input${input}>${escapeHtml(option)}</label>`;
  });
  return inputs.join('');
}

function dropdown({ options }: ChoiceField, attributes: Attributes, [chosen]: readonly string[]): string {
  const all = options.map((option, place) => {
    const selected = { value: String(place), selected: chosen === String(place) };
    return `<option${attributesOf(selected)}>${escapeHtml(option)}</option>`;
  });
  const own = attributesOf({ class: 'box', ...attributes });
  return `<select${own}><option value="">–</option>${all.join('')}</select>`;
}

function box(field: WrittenField, attributes: Attributes, [text = '']: readonly string[]): string {
  const { kind: type, label, required, placeholder } = field;
  const own = { class: 'box', ...attributes };
  if (type !== 'textarea') {
    return `<input${attributesOf({ type, ...own, ...BROWSER_CHECKS[type], placeholder, value: text })}>`;
  }
  const labelledBy = { 'aria-labelledby': label === '' && 'question' };
  const area = attributesOf({ ...own, ...TEXT, rows: required ? '4' : '2', placeholder, ...labelledBy });
  // A browser drops a line break at the beginning.
  return `<textarea${area}>\n${escapeHtml(text)}</textarea>`;
}

type Attributes = Readonly<Record<string, string | boolean>>;

const TEXT: Attributes = { maxlength: String(MAX_WRITTEN), dir: 'auto' };

const BROWSER_CHECKS = {
  text: TEXT,
  email: TEXT,
  number: { step: 'any', min: String(-MAX_NUMBER), max: String(MAX_NUMBER) },
  date: { max: '9999-12-31' },
} as const satisfies Record<string, Attributes>;

/** Leaves out attributes that are false or empty. */
function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== false && value !== '')
    .map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`))
    .join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Makes foreign text fit for a page: nothing in it is markup, or changes the direction of the text shown. */
export function escapeHtml(text: string): string {
  return withoutDirections(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
