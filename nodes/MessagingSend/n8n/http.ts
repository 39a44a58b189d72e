import type {
  IDataObject,
  IExecuteFunctions,
  IHttpRequestOptions,
  IN8nHttpFullResponse,
  IPollFunctions,
} from 'n8n-workflow';

import { type Account, keyMask } from '../api/account';
import { networkReply } from '../api/networkReply';
import { isObject } from '../api/objects';
import { type ApiRequest, type Call, type HttpAnswer, readReply, type Reply } from '../api/reply';
import { pause } from './execution';
import { CREDENTIAL, type NodeAccount } from './input/credential';
import type { RequestOptions } from './input/requestOptions';

/**
 * How every request is made, both declaratively (as `requestDefaults`) and from code. Error responses are read here
 * instead of being thrown by n8n, which would replace the service's texts with its own. A POST follows no redirects.
 * Bodies are streams, because n8n itself would read one of any length.
 */
export const REQUEST_DEFAULTS = {
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  encoding: 'stream',
  returnFullResponse: true,
  ignoreHttpStatusErrors: true,
  disableFollowRedirect: true,
} as const satisfies Partial<IHttpRequestOptions>;

/** In bytes; no answer of the service is as long. */
const MAX_ANSWER = 10_000_000;

/** The longest time that a timer of Node can have, in milliseconds. */
const MAX_TIME = 2 ** 31 - 1;

/**
 * Calls that `send` makes. Anything that it throws is read as a network failure.
 * @param common the options that all requests share, with the user's 'Timeout'
 * @param signal ends a request in flight
 */
export function callBy(
  send: (options: IHttpRequestOptions) => Promise<HttpAnswer>,
  common: Partial<IHttpRequestOptions>,
  { baseUrl, apiKey }: Account,
  signal: AbortSignal | undefined,
): Call {
  const mask = keyMask(apiKey);
  return async ({ endpoint, body, timeout = MAX_TIME }: ApiRequest): Promise<Reply> => {
    // Many requests may leave, or get their answers, at the same time.
    await pause();
    const time = Math.ceil(Math.min(common.timeout ?? MAX_TIME, timeout));
    // The timeout of n8n's helper starts again with each byte that arrives. Each request has a signal of its own, because
    // Node warns of a leak if one has more than ten listeners.
    const deadline = AbortSignal.timeout(time);
    const ended = AbortSignal.any(signal === undefined ? [deadline] : [deadline, signal]);
    try {
      const answer = await send({
        ...common,
        headers: { ...common.headers },
        method: endpoint.method,
        baseURL: baseUrl,
        url: endpoint.path,
        body: body as IDataObject | undefined,
        timeout: time,
        get abortSignal() {
          return ended;
        },
        set abortSignal(_) {
          // n8n's helper sets the signal of the execution, which knows no deadline.
        },
      });
      const text = await readBody(answer.body);
      await pause();
      return readReply({ ...answer, body: text }, mask, body);
    } catch (error) {
      return networkReply(error, deadline.aborted);
    }
  };
}

/** Node's `Readable`: this package may not import it. */
type Readable = Extract<IN8nHttpFullResponse['body'], { readableEnded: boolean }>;

const UTF8 = new TextDecoder();

/** Reads the text of a body. @returns undefined if it is too long @throws if it breaks off */
async function readBody(body: unknown): Promise<unknown> {
  if (!isObject(body) || typeof body.on !== 'function' || typeof body.destroy !== 'function') return body;
  const stream = body as unknown as Readable;
  // Its events: an iterator would take longer for each answer than all else that is done with it.
  return await new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    stream.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= MAX_ANSWER) chunks.push(chunk);
      else {
        resolve(undefined);
        stream.destroy();
      }
    });
    stream.on('end', () => resolve(UTF8.decode(Buffer.concat(chunks))));
    stream.on('error', reject);
    stream.on('close', () => {
      if (!stream.readableEnded) reject(new Error('The answer broke off'));
    });
  });
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
  return callBy(
    async (request) =>
      (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, request, {
        credentialsDecrypted,
      })) as IN8nHttpFullResponse,
    { ...REQUEST_DEFAULTS, ...options.http },
    account,
    signal,
  );
}
