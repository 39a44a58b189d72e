import type {
  IDataObject,
  IExecuteFunctions,
  IHttpRequestOptions,
  IN8nHttpFullResponse,
  IPollFunctions,
} from 'n8n-workflow';

import type { Account } from '../api/account';
import { GET_BALANCE } from '../api/endpoints';
import { keyMask } from '../api/keyMask';
import { networkReply } from '../api/networkReply';
import { type ApiRequest, type Call, type HttpAnswer, readReply, rejected } from '../api/reply';
import { failure } from '../failures/failure';
import { CREDENTIAL, type NodeAccount } from './input/credential';
import type { RequestOptions } from './input/requestOptions';
import { pause } from './pause';

/**
 * How every request is made, both declaratively (as `requestDefaults`) and from code. Error responses are read here
 * instead of being thrown by n8n, which would replace the service's texts with its own. A POST follows no redirects.
 * Bodies are text, so that this node parses them.
 */
export const REQUEST_DEFAULTS = {
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  encoding: 'text',
  returnFullResponse: true,
  ignoreHttpStatusErrors: true,
  disableFollowRedirect: true,
} as const satisfies Partial<IHttpRequestOptions>;

type Send = (request: ApiRequest, baseUrl: string) => Promise<HttpAnswer>;

/** A call that reads the answer from `send`. Anything that `send` throws is read as a network failure. */
export function callBy(send: Send, { baseUrl, apiKey }: Account): Call {
  const mask = keyMask(apiKey);
  return async (request) => {
    try {
      return readReply(await send(request, baseUrl), mask, request.body);
    } catch (error) {
      const reply = networkReply(error);
      if (reply.failure.code !== 'CONNECTION_LOST' || !(await takesOnlyHttps(send, baseUrl))) return reply;
      return rejected(failure('httpsNeeded', undefined, { code: 'UNREACHABLE_EPROTO' }));
    }
  };
}

/** Whether the port in an http:// address only speaks TLS: then it has read no request without TLS. */
async function takesOnlyHttps(send: Send, baseUrl: string): Promise<boolean> {
  const { protocol, port } = new URL(baseUrl);
  if (protocol !== 'http:' || port === '') return false;
  const isCertificate = (error: unknown) => /CERT|SELF_SIGNED|UNABLE_TO_/.test(networkReply(error).failure.code);
  const answers = async (address: string) =>
    await send({ endpoint: GET_BALANCE, timeout: 5_000 }, address).then(() => true, isCertificate);
  return (await answers(baseUrl.replace(/^http/i, 'https'))) && !(await answers(baseUrl));
}

/**
 * For custom operations and polls: calls with the account's credential and the user's Request Options.
 * @param signal ends a call that is in flight
 */
export function httpCall(
  context: IExecuteFunctions | IPollFunctions,
  account: NodeAccount,
  options: RequestOptions,
  signal: AbortSignal | undefined,
): Call {
  // Otherwise n8n would read the credential again for each request, and always for the first item.
  const credentialsDecrypted = { id: '', name: CREDENTIAL, type: CREDENTIAL, data: account.credential };
  const send: Send = async ({ endpoint, body, timeout = Infinity }, baseURL) => {
    // Many requests may leave, or get their answers, at the same time.
    await pause();
    const answer = (await context.helpers.httpRequestWithAuthentication.call(
      withSignal(context, signal),
      CREDENTIAL,
      {
        ...REQUEST_DEFAULTS,
        ...options.http,
        timeout: Math.min(options.http.timeout, timeout),
        headers: { ...REQUEST_DEFAULTS.headers },
        method: endpoint.method,
        baseURL,
        url: endpoint.path,
        body: body as IDataObject | undefined,
      },
      { credentialsDecrypted },
    )) as IN8nHttpFullResponse;
    await pause();
    return answer;
  };
  return callBy(send, account);
}

/**
 * For each request, n8n's helper adds a listener to the signal of the context; a poll has no signal. Node warns of a
 * leak if a signal has more than ten listeners, so each request gets a signal of its own.
 */
function withSignal(context: object, signal: AbortSignal | undefined): IExecuteFunctions {
  const own = signal && AbortSignal.any([signal]);
  return Object.create(context, { getExecutionCancelSignal: { value: () => own } }) as IExecuteFunctions;
}
