import { isRecord } from './records';

/** How many characters of one text are shown. */
const MAX_SHOWN = 300;

/** Joins texts of the service, each fit to show and without repetitions. */
export function serviceTexts(values: readonly unknown[]): string {
  const texts = values.map(serviceText).filter((text) => text !== '');
  return [...new Set(texts)].join('; ');
}

/**
 * Makes a text of the service fit to show. Markup is escaped, because the editor renders descriptions as HTML. Phone
 * numbers are masked to their last two digits, because errors and logs must not reveal recipients.
 */
export function serviceText(value: unknown): string {
  const text = typeof value === 'string' ? value : isRecord(value) ? json(value) : '';
  // Mask before cutting: a number that is cut would not be recognised.
  const masked = maskNumbers(text.slice(0, 2 * MAX_SHOWN).trim());
  return escapeHtml(masked.length > MAX_SHOWN ? `${masked.slice(0, MAX_SHOWN)}…` : masked);
}

/** Empty for an object that is nested too deep. */
function json(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

function maskNumbers(text: string): string {
  return text.replace(
    /\+?\(?\d(?:[\s()./-]{0,3}\d){4,}[\s()./-]{0,3}(\d[\s()./-]?\d)/g,
    (_, last: string) => `…${last.replace(/\D/g, '')}`,
  );
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
