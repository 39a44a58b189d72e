import { hash } from 'node:crypto';

import { type Failure, failure } from '../failures/failure';
import { asText, type JsonRecord } from './records';

export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * Corrects a base address as users paste it: with spaces around it, a slash at its end, or no `https://`. This form is
 * for n8n's expressions (declarative requests, credential test), the function for code. A test compares them.
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

/** The account in the fields of a credential, or why there is none. The failure's texts show no field. */
export function accountIn(credential: JsonRecord): Account | Failure {
  const baseUrl = normalizeBaseUrl(asText(credential.baseUrl));
  // People paste a key with spaces, or with invisible characters of a web page (a zero-width space).
  const apiKey = asText(credential.apiKey)
    .replace(/\p{Cf}/gu, '')
    .trim();
  // A misspelled scheme would be the host, and a user name would be sent in place of the key.
  if (!URL.canParse(baseUrl) || !/^https?:\/\/[^/?#@]*[^/?#@:](?:[/?#]|$)/i.test(baseUrl))
    return failure('baseUrlInvalid');
  // A header can't carry other characters.
  if (!/^[\x20-\x7e\xa0-\xff]*$/.test(apiKey)) return failure('apiKeyCharacters');
  return apiKey === '' ? failure('apiKeyEmpty') : { baseUrl, apiKey };
}

/** The service has the same paths below both versions (API part 9). */
const VERSION = /(?:\/api)?\/v1\/*$/i;

/**
 * Identifies an account without revealing its key. The service counts its limit per key (API part 8). The path before
 * the version counts, because a host may have several services; the scheme doesn't: http and https are the same.
 */
export function accountId({ baseUrl, apiKey }: Account): string {
  const { hostname, port, pathname } = new URL(baseUrl);
  const path = pathname.replace(VERSION, '').replace(/\/+$/, '');
  return hash('sha256', JSON.stringify([`${hostname.replace(/\.$/, '')}:${port}${path}`, apiKey]));
}
