import { isRecord } from './records';

/** Characters of one text of the service that are shown; what follows is rarely of use. */
const MAX_SHOWN = 300;

/** Texts of the service, each made fit to show and once, as one. */
export function serviceTexts(values: readonly unknown[]): string {
  const texts = values.map(serviceText).filter((text) => text !== '');
  return [...new Set(texts)].join('; ');
}

/**
 * A text of the service, made fit to show: the editor renders descriptions as HTML, so markup is escaped; whoever sees
 * an error or a log need not see the recipient, so phone numbers are masked to their last two digits.
 */
export function serviceText(value: unknown): string {
  const text = typeof value === 'string' ? value : isRecord(value) ? json(value) : '';
  // Masked before it is cut: a part of a number would not be recognised as one.
  const masked = maskNumbers(text.slice(0, 2 * MAX_SHOWN).trim());
  return escapeHtml(masked.length > MAX_SHOWN ? `${masked.slice(0, MAX_SHOWN)}…` : masked);
}

/** Empty for what is nested too deep to be written. */
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

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
