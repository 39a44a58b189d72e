/**
 * Corrects a base address as users paste it: with spaces around it, with a slash at its end, or without `https://`. This
 * form is for n8n's expressions (declarative requests, credential test), the function for code. A test compares the two.
 */
export const BASE_URL_EXPRESSION =
  '={{ $credentials.baseUrl.trim().replace(/^(?!https?:\\/\\/)/i, "https://").replace(/\\/+$/, "") }}';

/** @see BASE_URL_EXPRESSION */
export function normalizeBaseUrl(baseUrl: string): string {
  return baseUrl
    .trim()
    .replace(/^(?!https?:\/\/)/i, 'https://')
    .replace(/\/+$/, '');
}
