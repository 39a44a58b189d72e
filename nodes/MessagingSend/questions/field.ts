import { BLANK } from '../messages/emptyWords';

/** What a person fills in or chooses on the page. Executions store fields with their question. */
export type Field = WrittenField | ChoiceField;

export interface WrittenField extends Labelled {
  readonly kind: 'text' | 'textarea' | 'number' | 'email' | 'date';
  readonly placeholder: string;
}

/** One option or, with checkboxes, any number of them. */
export interface ChoiceField extends Labelled {
  readonly kind: 'dropdown' | 'radio' | 'checkbox';
  readonly options: readonly string[];
}

interface Labelled {
  /** Of the field in the form. */
  readonly name: string;
  /** Empty if the question itself says what to write. */
  readonly label: string;
  readonly required: boolean;
}

/** The answer in a field: a list for checkboxes; null for any other field that was left empty. */
export type Value = string | number | string[] | null;

/** The limit in UTF-16 units, because browsers count those for `maxlength`, and the end of a line as one. */
export const MAX_WRITTEN = 10_000;

export const REQUIRED = 'An answer is required.';

/** A larger number loses digits. */
export const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

/** What browsers accept as a number and as an email address: https://html.spec.whatwg.org/multipage/input.html */
const NUMBER = /^-?\d*\.?\d+(?:e[-+]?\d+)?$/i;
const DOMAIN_LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';
const EMAIL = new RegExp(`^[\\w.!#$%&'*+/=?^\`{|}~-]+@${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*$`, 'i');

/**
 * What a form contains for a field: a text, or the places of the options that were chosen.
 * @param given as n8n reads it: a text, or a list if the form has the name more than once
 */
export function writtenIn(given: unknown): string[] {
  const texts = [given].flat().map(enteredText);
  return texts.filter((text) => text !== '');
}

/** Why a field can't be filled in like this, in words for the page; null if it can. */
export function problemWith(field: Field, written: readonly string[]): string | null {
  const [text] = written;
  if (text === undefined) return field.required ? REQUIRED : null;
  if ('options' in field) return chosenFrom(field.options, written).length < written.length ? REQUIRED : null;
  if (text.length > MAX_WRITTEN) {
    return `This has ${count(text.length)} characters, but at most ${count(MAX_WRITTEN)} can be sent.`;
  }
  switch (field.kind) {
    case 'number':
      if (!NUMBER.test(text)) return 'This is not a number, such as 12 or 12.5.';
      return Math.abs(Number(text)) > MAX_NUMBER ? 'This number has too many digits.' : null;
    case 'email':
      return EMAIL.test(text) ? null : 'This is not an email address, such as name@example.com.';
    case 'date':
      return isDate(text) ? null : 'This is not a date, such as 2026-01-31.';
    case 'text':
    case 'textarea':
      return null;
  }
}

/** @param written without any problem */
export function valueOf(field: Field, written: readonly string[]): Value {
  const given = 'options' in field ? chosenFrom(field.options, written) : written;
  if (field.kind === 'checkbox') return [...given];
  const [text = null] = given;
  return text !== null && field.kind === 'number' ? Number(text) : text;
}

/** The form contains an option's place, so that nobody can send an option that isn't offered. */
function chosenFrom(options: readonly string[], written: readonly string[]): string[] {
  return options.filter((_, place) => written.includes(String(place)));
}

/** Whether it is a day of the calendar as browsers send it: 2026-01-31. */
function isDate(text: string): boolean {
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : '');
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export function count(characters: number): string {
  return characters.toLocaleString('en');
}

/** Browsers send line breaks as CR LF. */
function enteredText(value: unknown): string {
  return typeof value === 'string' && !BLANK.test(value) ? value.replaceAll('\r\n', '\n').trim() : '';
}
