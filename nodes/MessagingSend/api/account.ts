import { hash } from 'node:crypto';

import { type Failure, failure } from '../failures/failure';
import { asText, type JsonRecord } from './records';

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

/** The account that the fields of a credential give, or why they give none. No text of a failure shows a field. */
export function accountIn(credential: JsonRecord): Account | Failure {
  const baseUrl = normalizeBaseUrl(asText(credential.baseUrl));
  const apiKey = normalizeApiKey(asText(credential.apiKey));
  // 'https:' alone would make a host of the path: https:/messages/send is https://messages/send.
  if (!/^https?:\/\/[^/]/i.test(baseUrl)) return failure('baseUrlInvalid');
  // They would be sent in place of the key.
  if (/^https?:\/\/[^/?#]*@/i.test(baseUrl)) return failure('baseUrlLogin');
  const kind = foreignCharacter(apiKey);
  if (kind !== null) return failure('apiKeyCharacters', { kind });
  return apiKey === '' ? failure('apiKeyEmpty') : { baseUrl, apiKey };
}

/** Removes what users paste along with a key: spaces around it, and invisible characters of a web page (a zero-width space). */
function normalizeApiKey(apiKey: string): string {
  return apiKey.replace(/\p{Cf}/gu, '').trim();
}

/** Describes the first character of a key that a header can't carry, without showing it; null if there is none. */
function foreignCharacter(apiKey: string): string | null {
  const [found] = /[^\x20-\x7e\xa0-\xff]/u.exec(apiKey) ?? [];
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
