import { hash } from 'node:crypto';

import { type Failure, failure } from '../failures/failure';
import { asText, type JsonObject, MAX_DEPTH } from './objects';

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

/** Hides the API key in a text of the service. A text that contains the key comes back without its escapes. */
export type KeyMask = (text: string) => string;

/** A shorter text isn't a key, and hiding it would change much of an answer. */
const MIN_KEY_LENGTH = 4;

/** Finds the key in every form in which a program may repeat it: in a URL, in JSON, in base64, in capitals. */
export function keyMask(apiKey: string): KeyMask {
  if (apiKey.length < MIN_KEY_LENGTH) return (text) => text;
  const inUtf8 = Buffer.from(apiKey).toString('latin1');
  const inText = [apiKey, inUtf8].flatMap((key) => [key, withoutEscapes(key)]);
  // Alone or within a longer text such as `Bearer <key>`. Three bytes become four characters, so there are three forms.
  // Characters at the ends that also depend on what is around the key are left out.
  const inBase64 = [0, 1, 2].flatMap((before) =>
    (['base64', 'base64url'] as const).map((alphabet) => {
      const encoded = Buffer.from(' '.repeat(before) + apiKey, 'latin1').toString(alphabet);
      return encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + apiKey.length) * 4) / 3));
    }),
  );
  const forms = new Set([...inText, ...inBase64]);
  const literally = Array.from(forms, (form) => form.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  const anyForm = new RegExp(literally.join('|'), 'gi');
  return (text) => {
    const plain = withoutEscapes(text);
    const masked = plain.replace(anyForm, '***');
    return masked === plain ? text : masked;
  };
}

/** A JSON value with each text, number and name masked. */
export function masked(value: unknown, mask: KeyMask, depth = 0): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') return mask(String(value)) === String(value) ? value : mask(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => masked(each, mask, depth + 1));
  const entries = Object.entries(value).map(([name, each]) => [mask(name), masked(each, mask, depth + 1)]);
  return Object.fromEntries(entries);
}

/** An escape of a URL or of JSON, nested up to three times (a URL in a URL, JSON in JSON). */
const ESCAPE = /(?:%(?:25){0,3}|\\{1,7}u00)([\da-f]{2})|\\{1,7}(["\\/])/gi;

function withoutEscapes(text: string): string {
  return text.replace(ESCAPE, (_, code: string | undefined, character: string) =>
    code === undefined ? character : String.fromCharCode(parseInt(code, 16)),
  );
}
