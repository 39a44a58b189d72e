import { hash } from 'node:crypto';

/** What a request needs of the credential. */
export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

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

/** Removes what users paste along with a key: spaces around it, and invisible characters of a web page (a zero-width space). */
export function normalizeApiKey(apiKey: string): string {
  return apiKey.replace(/\p{Cf}/gu, '').trim();
}

/** Describes the first character of a key that no HTTP header can carry, without showing it; null if there is none. */
export function foreignCharacter(apiKey: string): string | null {
  const [found] = /[^\t\x20-\x7e\x80-\xff]/u.exec(apiKey) ?? [];
  if (found === undefined) return null;
  if (/[\n\r\u2028\u2029]/.test(found)) return 'a line break';
  if (/\p{Cc}/u.test(found)) return 'a control character';
  if (/\p{Zs}/u.test(found)) return 'an unusual space';
  if (/\p{Pd}/u.test(found)) return 'a typographic dash';
  if (/\p{L}/u.test(found)) return 'a letter that is not Latin';
  return /[\u2022\u25cf\u2026]/.test(found) ? 'a dot that hides a part of it' : 'a symbol';
}

/** One service has the same paths under both of these ends (API part 9). */
const VERSION = /(?:\/api)?\/v1\/*$/i;

/** Identifies an account without revealing its key. The service counts its limit per key (API part 8). */
export function accountId({ baseUrl, apiKey }: Account): string {
  return hash('sha256', JSON.stringify([serviceOf(baseUrl), apiKey]));
}

/**
 * The host, and the path before the version, because one host may have several services. The scheme is left out: a service
 * is the same over http and https.
 */
function serviceOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { hostname, port, pathname } = new URL(baseUrl);
  return `${hostname.replace(/\.$/, '')}:${port}${pathname.replace(VERSION, '').replace(/\/+$/, '')}`;
}
