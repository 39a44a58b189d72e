import { createHash } from 'node:crypto';

/** What a request needs of the credential. */
export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Tells accounts apart without being a secret: the service counts its limit per key (API part 8). */
export function accountId({ baseUrl, apiKey }: Account): string {
  return createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('hex');
}
