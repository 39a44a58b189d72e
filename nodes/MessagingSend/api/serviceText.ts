const MAX_SHOWN = 300;
const MAX_READ = 2 * MAX_SHOWN;
const MAX_TEXTS = 6;

/** They can be between the digits of a number, which would then not be recognized. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** A phone number, with its last two digits as a group. */
const NUMBER = /\+?\(?\d(?:[\s()./-]{0,3}\d){4,}[\s()./-]{0,3}(\d[\s()./-]?\d)/g;

/** Joins the first texts of the service, each made fit to show, without repetitions. */
export function serviceTexts(values: readonly unknown[]): string {
  const texts = values.map(serviceText).filter((text) => text !== '');
  return [...new Set(texts)].slice(0, MAX_TEXTS).join('; ');
}

/**
 * Makes a text of the service fit to show. Markup is escaped, because the editor renders descriptions as HTML. Phone
 * numbers are masked to their last two digits, because errors and logs must not reveal recipients.
 */
export function serviceText(value: unknown): string {
  if (typeof value !== 'string') return '';
  // Mask before cutting: half a number would not be recognized.
  const read = value.slice(0, MAX_READ).replace(INVISIBLE, '').trim();
  const masked = read.replace(NUMBER, (_, last: string) => `…${last.replace(/\D/g, '')}`);
  const shown = masked.length > MAX_SHOWN ? `${masked.slice(0, MAX_SHOWN)}…` : masked;
  return shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Overrides, embeddings and isolates: with them, a text can show digits in a different order than they are used. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

export function withoutDirections(text: string): string {
  return text.replace(DIRECTIONS, '');
}
