import { isRecord } from './records';

/** Longest piece of the service's text that is shown; what follows is rarely of use. */
const LONGEST = 300;

/**
 * Text of the service, made fit to show: the editor renders descriptions as HTML, so markup is
 * escaped; whoever sees an error or a log need not see the recipient, so phone numbers are masked
 * to their last two digits.
 */
export function apiText(value: unknown): string {
  const text = typeof value === 'string' ? value : isRecord(value) ? json(value) : '';
  // Masked before it is cut: a part of a number would not be known as one.
  const masked = maskNumbers(text.slice(0, 2 * LONGEST).trim());
  return escapeHtml(masked.length > LONGEST ? `${masked.slice(0, LONGEST)}…` : masked);
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
    /\+?\(?\d(?:[\s().\/-]{0,3}\d){4,}[\s().\/-]{0,3}(\d[\s().\/-]?\d)/g,
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
