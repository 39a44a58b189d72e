import { isObject } from '../tools/json';
import type { Account } from './accounts';
import { type Answer, failure, insufficientCredits, success } from './answers';
import { formatDetails, type Problem } from './details';
import { reshapeEntries } from './faultAnswers';
import type { Endpoint, Fault } from './faults';
import type { SentMessage } from './messages';
import type { LoggedRequest } from './requests';
import type { SandboxState } from './state';
import { type Message, validateBulk, validateSend } from './validation';

/** An authenticated request that the limit let through. */
export interface Call {
  endpoint: Endpoint;
  account: Account;
  logged: LoggedRequest;
  fault: Fault | null;
}

/**
 * Handles the request as its endpoint does (checks, charges, sends) and returns the answer, which is not sent yet.
 * `sendAtMost` stops part way, for a connection that is lost meanwhile.
 */
export function handle(state: SandboxState, call: Call, body: unknown, sendAtMost = Infinity): Answer {
  if (call.endpoint === 'balance') return balance(state, call.account);
  const { options } = state;
  const checked = call.endpoint === 'send' ? validateSend(body) : validateBulk(body, options.bulkMessageCharacters);
  if (checked.kind === 'invalid') return invalid(state, checked.problems, messagesIn(call.endpoint, body));
  const { messages } = checked;
  const { credits } = call.account;
  if (credits < messages.length) return failure(402, insufficientCredits(messages.length, credits));
  const sent = send(state, call, messages.slice(0, sendAtMost));
  return call.endpoint === 'send' ? singleResult(call, sent) : bulkResult(call, sent);
}

/** How many messages a request contains, valid or not. */
export function messagesIn(endpoint: Endpoint, body: unknown): number {
  if (endpoint === 'balance') return 0;
  if (endpoint === 'send') return 1;
  return isObject(body) && Array.isArray(body.messages) ? body.messages.length : 0;
}

function balance({ options }: SandboxState, { credits }: Account): Answer {
  return success(200, { credits, user_id: options.userId, user_name: options.userName });
}

function invalid({ options }: SandboxState, problems: Problem[], messageCount: number): Answer {
  const details = formatDetails(options.detailsShape, problems, messageCount);
  if (options.overLimitStatus === 429 && problems.some(({ overLimit }) => overLimit)) {
    return failure(429, { code: 'LIMIT_EXCEEDED', message: 'A limit of the request was exceeded', details });
  }
  return failure(422, { code: 'VALIDATION_ERROR', message: 'Request validation failed', details });
}

function send(state: SandboxState, { account, endpoint, logged }: Call, messages: Message[]): SentMessage[] {
  account.credits -= messages.length;
  logged.sent = messages.length;
  return state.messages.add(messages, { key: account.label, endpoint, request: logged.number }, state.timestamp());
}

function singleResult({ account }: Call, [sent]: SentMessage[]): Answer {
  // Nothing was sent: the connection is about to be cut, so nobody sees this answer.
  if (sent === undefined) return failure(500, { code: 'SERVER_ERROR', message: 'Not sent' });
  return success(201, {
    message_id: sent.id,
    status: 'sent',
    credits_used: 1,
    credits_remaining: account.credits,
    sent_at: sent.sent_at,
  });
}

function bulkResult({ account, fault }: Call, sent: SentMessage[]): Answer {
  const entries = sent.map(({ id, phone }) => ({ message_id: id, phone, status: 'sent' }));
  return success(201, {
    messages_sent: sent.length,
    credits_used: sent.length,
    credits_remaining: account.credits,
    messages: fault?.kind === 'bulk-answer' ? reshapeEntries(fault, entries) : entries,
  });
}
