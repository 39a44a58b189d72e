import { hash } from 'node:crypto';

/** What a request needs of the credential. */
export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
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
