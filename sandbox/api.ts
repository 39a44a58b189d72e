import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

import type { Account } from './accounts';
import { type Answer, failure, Refusal } from './answers';
import { cutConnection, pause, sendHalf } from './connection';
import { sendAnswer } from './errors';
import { replacingAnswer } from './faultAnswers';
import type { Endpoint, ReplacingFault, RequestFault } from './faults';
import { type Call, handle, messagesIn } from './handle';
import type { Allowance } from './limiter';
import { loggedRequest } from './logging';
import type { SandboxState } from './state';

/** Part 4 of the document. */
const ROUTES: ReadonlyArray<{ endpoint: Endpoint; method: HTTPMethods; url: string }> = [
  { endpoint: 'balance', method: 'GET', url: '/user/balance' },
  { endpoint: 'send', method: 'POST', url: '/messages/send' },
  { endpoint: 'bulk', method: 'POST', url: '/messages/send-bulk' },
];

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Registers the endpoints of the document, under the prefix of `app`. */
export function registerApi(app: FastifyInstance, state: SandboxState, closing: AbortSignal): void {
  app.decorateRequest('call', null);
  for (const { endpoint, method, url } of ROUTES) {
    app.route({
      method,
      url,
      onRequest: (request, reply, done) => {
        const call = admit(state, endpoint, request, reply);
        request.setDecorator('call', call);
        if (call.fault?.kind === 'reset-before') cutConnection(reply);
        done();
      },
      handler: async (request, reply) => {
        const call = request.getDecorator<Call>('call');
        readMessages(state, call, request.body);
        await respond(state, reply, call, answerTo(state, call, request.body), closing);
        return reply;
      },
    });
    app.route({
      method: METHODS.filter((other) => other !== method),
      url,
      onRequest: () => {
        throw new Refusal(failure(405, { code: 'METHOD_NOT_ALLOWED', message: `Use ${method}` }, { allow: method }));
      },
      handler: () => undefined,
    });
  }
}

/**
 * Authenticates the request, counts it against the limit and picks its fault, in this order. So a request with a wrong
 * key or over the limit uses up no fault, and a request that a fault hits counts against the limit.
 */
function admit(state: SandboxState, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Call {
  const logged = loggedRequest(request);
  logged.endpoint = endpoint;
  const authentication = state.accounts.authenticate(request.headers.authorization);
  if (authentication.kind === 'missing') {
    throw new Refusal(
      failure(401, { code: 'MISSING_API_KEY', message: 'API key is missing from the request headers' }),
    );
  }
  if (authentication.kind === 'invalid') {
    throw new Refusal(failure(401, { code: 'INVALID_API_KEY', message: 'API key is invalid or does not exist' }));
  }
  const { account } = authentication;
  logged.key = account.label;
  countAgainstLimit(account, state.options.now(), reply);
  const fault = state.faults.pick({ endpoint, messages: null }, state.options.now());
  logged.fault = fault?.kind ?? null;
  return { endpoint, account, logged, fault, messages: [] };
}

/** Completes the call with the messages in its body, which a fault may be about. */
function readMessages(state: SandboxState, call: Call, body: unknown): void {
  const { endpoint, logged } = call;
  call.messages = messagesIn(endpoint, body);
  logged.messages = call.messages.length;
  call.fault ??= state.faults.pick({ endpoint, messages: call.messages }, state.options.now());
  logged.fault = call.fault?.kind ?? null;
  state.options.onRequest(logged, call.messages);
}

function countAgainstLimit({ limiter }: Account, now: number, reply: FastifyReply): void {
  if (limiter === null) return;
  const permit = limiter.take(now);
  reply.headers({
    'ratelimit-limit': permit.limit,
    'ratelimit-remaining': permit.remaining,
    'ratelimit-reset': wholeSeconds(permit),
  });
  if (permit.kind === 'granted') return;
  const seconds = wholeSeconds(permit);
  throw new Refusal(
    failure(
      429,
      { code: 'RATE_LIMIT_EXCEEDED', message: `Too many requests: try again in ${seconds} s` },
      { 'retry-after': String(seconds) },
    ),
  );
}

/** Rounded up, so that a client that waits this long is let in. */
function wholeSeconds({ resetInMs }: Allowance): number {
  return Math.ceil(resetInMs / 1000);
}

/** Does what the request asks for, as far as its fault allows. The answer is not sent yet. */
function answerTo(state: SandboxState, call: Call, body: unknown): Answer {
  const { fault, messages, endpoint, account } = call;
  if (fault === null || !replaces(fault)) return handle(state, call, body, sendsAtMost(fault, messages.length));
  if (fault.handled === true) handle(state, call, body);
  const { credits } = account;
  return replacingAnswer(fault, { endpoint, messages, credits, now: state.options.now() });
}

function replaces(fault: RequestFault): fault is ReplacingFault {
  return ['status', 'html', 'body', 'redirect'].includes(fault.kind);
}

/** How many of a request's messages are sent before the fault. */
function sendsAtMost(fault: RequestFault | null, messages: number): number {
  switch (fault?.kind) {
    case 'reset-before':
      return 0;
    case 'reset-during':
      return fault.sent ?? Math.floor(messages / 2);
    case 'silence':
      return fault.handled === true ? Infinity : 0;
    default:
      return Infinity;
  }
}

/** Sends the answer, or as much of it as the fault lets through. */
async function respond(
  { options }: SandboxState,
  reply: FastifyReply,
  { fault, logged }: Call,
  answer: Answer,
  closing: AbortSignal,
): Promise<void> {
  switch (fault?.kind) {
    case 'silence':
      reply.hijack();
      return;
    case 'reset-before':
    case 'reset-during':
    case 'reset-after':
      // A hook delays the answers that Fastify sends; cut ones bypass it.
      await pause(options.latencyMs, closing);
      cutConnection(reply);
      return;
    case 'half-body':
      await pause(options.latencyMs, closing);
      logged.status = answer.status;
      sendHalf(reply, answer);
      return;
    case 'delay':
      await pause(fault.ms, closing);
      break;
    default:
  }
  sendAnswer(reply, answer);
}
