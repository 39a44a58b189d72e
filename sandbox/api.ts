import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

import { type Answer, failure, Refusal } from './answers';
import { cutConnection, pause, sendHalf } from './connection';
import { sendAnswer } from './errors';
import { replacingAnswer } from './faultAnswers';
import type { Endpoint, Fault, ReplacingFault } from './faults';
import { type Call, handle } from './handle';
import { loggedRequest } from './logging';
import type { Account, SandboxState } from './state';
import { messagesIn } from './validation';

/** Part 4 of the document. */
const ROUTES: ReadonlyArray<{ endpoint: Endpoint; method: HTTPMethods; url: string }> = [
  { endpoint: 'balance', method: 'GET', url: '/user/balance' },
  { endpoint: 'send', method: 'POST', url: '/messages/send' },
  { endpoint: 'bulk', method: 'POST', url: '/messages/send-bulk' },
];

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
  }
}

/**
 * Authenticates the request, counts it against the limit and picks its fault, in this order: a request with a wrong key
 * or over the limit uses up no fault, and a request with a fault counts against the limit.
 */
function admit(state: SandboxState, endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Call {
  const logged = loggedRequest(request);
  logged.endpoint = endpoint;
  const account = authenticate(state, request.headers.authorization);
  logged.key = account.label;
  const now = state.options.now();
  countAgainstLimit(account, state.options.limit, now, reply);
  const fault = state.faults.pick(endpoint, null, now);
  logged.fault = fault?.kind ?? null;
  return { endpoint, account, logged, fault, messages: [] };
}

/** Reads `Authorization: Bearer <API_KEY>` (part 5); with another scheme, or without a key, the key is missing. */
function authenticate({ accounts }: SandboxState, authorization = ''): Account {
  const key = /^Bearer +(\S.*)$/i.exec(authorization.trim())?.[1];
  const account = accounts.get(key ?? '');
  if (account !== undefined) return account;
  throw new Refusal(
    key === undefined
      ? failure(401, { code: 'MISSING_API_KEY', message: 'API key is missing from the request headers' })
      : failure(401, { code: 'INVALID_API_KEY', message: 'API key is invalid or does not exist' }),
  );
}

function countAgainstLimit({ limiter }: Account, limit: number, now: number, reply: FastifyReply): void {
  if (limiter === null) return;
  const { isGranted, remaining, resetInMs } = limiter.take(now);
  // Rounded up, so that a client that waits this long is let in.
  const seconds = Math.ceil(resetInMs / 1000);
  reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': seconds });
  if (isGranted) return;
  const error = { code: 'RATE_LIMIT_EXCEEDED', message: `Too many requests: try again in ${seconds} s` };
  throw new Refusal(failure(429, error, { 'retry-after': String(seconds) }));
}

/** Adds the messages in its body to the call: a fault may concern them. */
function readMessages({ faults, options }: SandboxState, call: Call, body: unknown): void {
  const { endpoint, logged } = call;
  call.messages = messagesIn(endpoint, body);
  logged.messages = call.messages.length;
  call.fault ??= faults.pick(endpoint, call.messages, options.now());
  logged.fault = call.fault?.kind ?? null;
  options.onRequest(logged, call.messages);
}

/** Does what the request asks for, unless its fault prevents it. The answer is not sent yet. */
function answerTo(state: SandboxState, call: Call, body: unknown): Answer {
  const { fault, messages, endpoint, account } = call;
  if (fault === null || !replaces(fault)) return handle(state, call, body, sendsAtMost(fault, messages.length));
  if (fault.handled === true) handle(state, call, body);
  return replacingAnswer(fault, { endpoint, messages, credits: account.credits });
}

function replaces(fault: Fault): fault is ReplacingFault {
  return ['status', 'html', 'body', 'redirect'].includes(fault.kind);
}

/** How many of a request's messages are sent before the fault. */
function sendsAtMost(fault: Fault | null, messages: number): number {
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

/** Sends the answer, or the part of it that the fault lets through. */
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
