import type { IExecuteFunctions } from 'n8n-workflow';

import type { Account } from '../api/account';
import { foreignCharacter, normalizeApiKey } from '../api/apiKey';
import { normalizeBaseUrl } from '../api/baseUrl';
import { failure } from '../failures/catalogue';
import { FailureError } from '../failures/failure';

export const CREDENTIAL = 'messagingSendApi';

/**
 * Reads the credential of the node.
 * @throws FailureError if the Base URL is not an address or the key can't be sent; n8n's own error if there is no credential
 */
export async function readAccount(context: Pick<IExecuteFunctions, 'getCredentials'>): Promise<Account> {
  const { baseUrl, apiKey } = await context.getCredentials<{ baseUrl?: unknown; apiKey?: unknown }>(CREDENTIAL);
  const address = normalizeBaseUrl(asText(baseUrl));
  // 'https:' alone would make a host of the path: https:/messages/send is https://messages/send.
  if (!/^https?:\/\/[^/]/i.test(address)) throw new FailureError(failure('baseUrlInvalid'));
  const key = normalizeApiKey(asText(apiKey));
  const kind = foreignCharacter(key);
  if (kind !== null) throw new FailureError(failure('apiKeyCharacters', { kind }));
  return { baseUrl: address, apiKey: key };
}

/** An expression can give anything. */
function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
