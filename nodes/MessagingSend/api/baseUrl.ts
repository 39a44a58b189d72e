/**
 * The base address as users paste it: with spaces around it, with a slash at the end, or without
 * `https://`. The first form is for n8n's expressions (declarative requests, credential test), the
 * second for code; a test holds them to the same result.
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
