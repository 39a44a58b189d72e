import { hash } from 'node:crypto';

/** What a request needs of the credential. */
export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The ends of an address under which one service has the same paths (API part 9). */
const VERSION = /(?:\/api)?\/v1\/*$/i;

/** Tells accounts apart without being a secret: the service counts its limit per key (API part 8). */
export function accountId({ baseUrl, apiKey }: Account): string {
  return hash('sha256', JSON.stringify([serviceOf(baseUrl), apiKey]));
}

/**
 * The host as it is compared, and what is before the version in the path: behind one host there may be several services.
 * Not the scheme, because a service is the same over http and https.
 */
function serviceOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { hostname, port, pathname } = new URL(baseUrl);
  return `${hostname.replace(/\.$/, '')}:${port}${pathname.replace(VERSION, '').replace(/\/+$/, '')}`;
}
