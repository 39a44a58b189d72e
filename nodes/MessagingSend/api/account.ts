import { hash } from 'node:crypto';

import { type Failure, failure } from '../failures/failure';
import { asText, type JsonObject } from './objects';

export interface Account {
  /**
   * Identifies the account without revealing its key. The account is its key: the service counts the limit per key (API
   * part 8), and several addresses serve the same (part 1), so the Base URL is no part of it.
   */
  readonly id: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** In a base address as users paste it: no `https://`, and a slash at its end. */
const [NO_SCHEME, LAST_SLASHES] = [/^(?!https?:\/\/)/i, /\/+$/];

/** {@link normalizeBaseUrl} for n8n's expressions (declarative requests, credential test). A test compares them. */
export const BASE_URL_EXPRESSION = `={{ $credentials.baseUrl.trim().replace(${NO_SCHEME}, "https://").replace(${LAST_SLASHES}, "") }}`;

export function normalizeBaseUrl(baseUrl: string): string {
  return baseUrl.trim().replace(NO_SCHEME, 'https://').replace(LAST_SLASHES, '');
}

/** The account in the fields of a credential, or why there is none. The failure's texts show no field. */
export function accountIn(credential: JsonObject): Account | Failure {
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
  return apiKey === '' ? failure('apiKeyEmpty') : { id: hash('sha256', apiKey), baseUrl, apiKey };
}
