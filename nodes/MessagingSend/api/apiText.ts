import { isRecord } from './records';

/** Longest piece of the service's text that is shown; what follows is rarely of use. */
const LONGEST = 300;

/**
 * Text of the service, made fit to show: the editor renders descriptions as HTML, so markup is
 * escaped; whoever sees an error or a log need not see the recipient, so phone numbers are masked
 * to their last two digits.
 */
export function apiText(value: unknown): string {
  const text = typeof value === 'string' ? value : isRecord(value) ? JSON.stringify(value) : '';
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return escapeHtml(maskNumbers(short.trim()));
}

function maskNumbers(text: string): string {
  return text.replace(/\+?\d{5,}(\d{2})/g, '…$1');
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
