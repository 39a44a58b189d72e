/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { setTimeout as wait } from 'node:timers/promises';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { type Answer, failure, insufficientCredits, success } from './answers';
import { type BulkEntry, isSentUnder, replacingAnswer, reshapeEntries, unsentFields } from './faultAnswers';
import type { Endpoint, Fault } from './faults';
import type { Account, LoggedRequest, SandboxState } from './state';
import { messagesIn, validate } from './validation';

/** Part 4 of the document. */
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'GET /user/balance': 'balance',
  'POST /messages/send': 'send',
  'POST /messages/send-bulk': 'bulk',
};

/** An authenticated request within the limit. */
export interface Call {
  endpoint: Endpoint;
  account: Account;
  logged: LoggedRequest;
  fault: Fault | null;
  /** The messages in its body, valid or not. */
  messages: readonly unknown[];
}

/** Answers every request that is not for the inbox or the control API. */
export function registerApi(app: FastifyInstance, state: SandboxState, closing: AbortSignal): void {
  app.all('/*', async (request, reply) => {
    // Faults need the connection itself.
    reply.hijack();
    const { raw } = reply;
    const { method, url } = request;
    const path = url.replace(/\?.*$/s, '');
    // The two addresses of the document (part 9).
    const endpoint = ENDPOINTS[`${method} ${/^(?:\/api)?\/v1(\/.*)$/.exec(path)?.[1]}`] ?? null;
    const logged: LoggedRequest = {
      ...{ number: state.requests.length + 1, method, path, endpoint, key: null, status: null, messages: 0, sent: 0 },
      ...{ fault: null, started_at: state.timestamp(), duration_ms: null },
    };
    state.requests.push(logged);
    const arrival = performance.now();
    const complete = () => (logged.duration_ms ??= Math.round((performance.now() - arrival) * 10) / 10);
    raw.once('close', complete);

    const { fault, answer } = answerTo(state, request, logged);
    if (fault?.kind === 'silence') return;
    const delay = state.options.latencyMs + (fault?.kind === 'delay' ? fault.ms : 0);
    if (delay > 0) await wait(delay, undefined, { signal: closing }).catch(() => undefined);
    complete();
    // Node resets no TLS connection.
    if (fault?.kind.startsWith('reset-') === true)
      return void (state.options.tls === null ? raw.socket?.resetAndDestroy() : raw.destroy());
    if (raw.destroyed) return;
    logged.status = answer.status;
    const body = Buffer.from(answer.body);
    raw.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
    if (fault?.kind === 'half-body') raw.write(body.subarray(0, Math.floor(body.length / 2)), () => raw.destroy());
    else raw.end(body);
  });
}

/**
 * Authenticates the request, counts it against the limit and picks its fault, in this order: a request with a wrong key
 * or over the limit uses up no fault, and a request with a fault counts against the limit.
 */
function answerTo(
  state: SandboxState,
  { headers, body }: FastifyRequest,
  logged: LoggedRequest,
): { answer: Answer; fault?: Fault | null } {
  const { options, accounts } = state;
  const { endpoint, path } = logged;
  if (endpoint === null) return { answer: failure(404, { code: 'NOT_FOUND', message: `No such path: ${path}` }) };
  // With another scheme than that of part 5, the key is missing.
  const key = /^Bearer +(\S.*)$/i.exec((headers.authorization ?? '').trim())?.[1];
  const account = accounts.get(key ?? '');
  if (account === undefined) {
    const [code, message] =
      key === undefined
        ? ['MISSING_API_KEY', 'API key is missing from the request headers']
        : ['INVALID_API_KEY', 'API key is invalid or does not exist'];
    return { answer: failure(401, { code, message }) };
  }
  logged.key = account.label;
  const now = options.now();
  const waitMs = account.limiter?.take(now) ?? 0;
  if (waitMs > 0) {
    // Rounded up, so that a client that waits this long is let in.
    const seconds = String(Math.ceil(waitMs / 1000));
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: `Too many requests: try again in ${seconds} s` };
    return { answer: failure(429, error, { 'retry-after': seconds }) };
  }
  const messages = messagesIn(endpoint, body);
  const fault = state.faults.pick(endpoint, messages, now);
  Object.assign(logged, { messages: messages.length, fault: fault?.kind ?? null });
  options.onRequest();
  const call = { endpoint, account, logged, fault, messages };
  const own = handle(state, call, body);
  return { fault, answer: replacingAnswer(fault, call) ?? own };
}

/** Does what its endpoint does (checks, charges, sends), as far as the fault lets it. */
function handle(state: SandboxState, { account, endpoint, fault, logged }: Call, body: unknown): Answer {
  if (endpoint === 'balance')
    return success(200, { credits: account.credits, user_id: 4711, user_name: 'Sandbox User' });
  const messages = validate(endpoint, body);
  if (!Array.isArray(messages)) return messages;
  if (account.credits < messages.length) return failure(402, insufficientCredits(messages.length, account.credits));
  const isSent = isSentUnder(fault, messages);
  const from = { key: account.label, endpoint, request: logged.number, sent_at: state.timestamp() };
  const entries = messages.map((message, index): BulkEntry => {
    const { phone } = message;
    if (!isSent(index)) return { phone, ...unsentFields(fault, logged.number, index) };
    logged.sent += 1;
    return { message_id: state.messages.add(message, from).id, phone, status: 'sent' };
  });
  account.credits -= logged.sent;
  const credits = { credits_used: logged.sent, credits_remaining: account.credits };
  if (endpoint === 'send') {
    const { phone: _, ...result } = entries[0] ?? {};
    return success(201, { ...result, ...credits, ...(logged.sent > 0 && { sent_at: from.sent_at }) });
  }
  const reported = fault?.kind === 'bulk-answer' ? reshapeEntries(fault, entries) : entries;
  return success(201, { messages_sent: logged.sent, ...credits, messages: reported });
}
