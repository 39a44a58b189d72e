import { createHash } from 'node:crypto';

import type {
  IDataObject,
  IExecuteFunctions,
  IHttpRequestOptions,
  IN8nHttpFullResponse,
  IPollFunctions,
} from 'n8n-workflow';

import { normalizeBaseUrl } from '../api/baseUrl';
import { networkReply } from '../api/networkReply';
import { readReply, type Reply } from '../api/reply';
import { follow } from '../requests/wait';
import type { RequestOptions } from './requestOptions';

export const CREDENTIAL = 'messagingSendApi';

/**
 * How every request is made, declaratively (as `requestDefaults`) and from code: error answers are
 * read here and not thrown by n8n, which would put its own texts in place of the service's; a POST
 * does not follow redirects; bodies come as text, so that this node parses them.
 */
export const REQUEST_DEFAULTS = {
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  encoding: 'text',
  returnFullResponse: true,
  ignoreHttpStatusErrors: true,
  disableFollowRedirect: true,
} as const satisfies Partial<IHttpRequestOptions>;

/** What a request needs of the credential. */
export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Makes one request and tells what came of it; never throws for what the service or the network does. */
export type Call = (method: 'GET' | 'POST', path: string, body?: IDataObject) => Promise<Reply>;

/**
 * Reads the credential of the node.
 * @throws if the Base URL is no address; n8n's own error if there is no credential
 */
export async function readAccount(context: Pick<IExecuteFunctions, 'getCredentials'>): Promise<Account> {
  const { baseUrl, apiKey } = await context.getCredentials<{ baseUrl?: unknown; apiKey?: unknown }>(CREDENTIAL);
  const address = normalizeBaseUrl(String(baseUrl ?? ''));
  // 'https:' alone would make a host of the path: https:/messages/send is https://messages/send.
  if (!/^https?:\/\/[^/]/i.test(address))
    throw new Error('The Base URL in the credential is not an address such as https://api.example.com/v1');
  return {
    baseUrl: address,
    apiKey: String(apiKey ?? '').trim(),
  };
}

/** Tells accounts apart, without being a secret: the service counts its limit per key (API part 8). */
export function accountId({ baseUrl, apiKey }: Account): string {
  return createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('hex');
}

/**
 * For custom operations and polls: requests with the node's credential and the user's Request Options.
 * @param signal ends a request that is under way
 */
export function caller(
  context: IExecuteFunctions | IPollFunctions,
  account: Account,
  options: RequestOptions,
  signal: AbortSignal | undefined,
): Call {
  return async (method, path, body) => {
    try {
      const answer: IN8nHttpFullResponse = await context.helpers.httpRequestWithAuthentication.call(
        withSignal(context, signal),
        CREDENTIAL,
        {
          ...REQUEST_DEFAULTS,
          ...options.http,
          headers: { ...REQUEST_DEFAULTS.headers },
          method,
          baseURL: account.baseUrl,
          url: path,
          body,
        },
      );
      return readReply(answer, account.apiKey);
    } catch (error) {
      return networkReply(error);
    }
  };
}

/** n8n's helper listens to the signal of the context it is called on, for each request anew; a poll has none. */
function withSignal(context: IExecuteFunctions | IPollFunctions, signal: AbortSignal | undefined): IExecuteFunctions {
  const own = follow(signal);
  return Object.create(context, { getExecutionCancelSignal: { value: () => own } }) as IExecuteFunctions;
}
