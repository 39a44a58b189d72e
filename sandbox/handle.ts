import { isObject } from '../tools/json';
import type { Account } from './accounts';
import { type Answer, failure, insufficientCredits, success } from './answers';
import { formatDetails, type JsonValue, type Problem } from './details';
import { type BulkEntry, reshapeEntries, unsentFields, unsentIndices } from './faultAnswers';
import type { Endpoint, RequestFault } from './faults';
import type { SentMessage } from './messages';
import type { LoggedRequest } from './requests';
import type { SandboxState } from './state';
import { type Message, validateBulk, validateSend } from './validation';

/** An authenticated request that the limit let through. */
export interface Call {
  endpoint: Endpoint;
  account: Account;
  logged: LoggedRequest;
  fault: RequestFault | null;
  /** The messages in its body, valid or not; empty until the body has been read. */
  messages: readonly unknown[];
}

/**
 * Handles the request as its endpoint does (checks, charges, sends) and returns the answer, which is not sent yet.
 * `sendAtMost` stops part way, for a connection that is lost part way.
 */
export function handle(state: SandboxState, call: Call, body: unknown, sendAtMost = Infinity): Answer {
  if (call.endpoint === 'balance') return balance(state, call.account);
  const { options } = state;
  const checked = call.endpoint === 'send' ? validateSend(body) : validateBulk(body, options.bulkMessageCharacters);
  if (checked.kind === 'invalid') return invalid(state, checked.problems, call.messages.length);
  const { messages } = checked;
  const { credits } = call.account;
  if (credits < messages.length) return failure(402, insufficientCredits(messages.length, credits));
  const unsent = call.fault?.kind === 'unsent' ? unsentIndices(call.fault, messages) : [];
  const sent = send(state, call, messages, (index) => index < sendAtMost && !unsent.includes(index));
  return call.endpoint === 'send' ? singleResult(call, sent) : bulkResult(call, messages, sent);
}

/** The messages that a request contains, valid or not. */
export function messagesIn(endpoint: Endpoint, body: unknown): readonly unknown[] {
  if (endpoint === 'balance') return [];
  if (endpoint === 'send') return [body];
  return isObject(body) && Array.isArray(body.messages) ? body.messages : [];
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

/** Each message as it was sent, or null. */
function send(
  state: SandboxState,
  { account, endpoint, logged }: Call,
  messages: Message[],
  isSent: (index: number) => boolean,
): Array<SentMessage | null> {
  const sending = messages.filter((_, index) => isSent(index));
  account.credits -= sending.length;
  logged.sent = sending.length;
  const from = { key: account.label, endpoint, request: logged.number };
  const sent = state.messages.add(sending, from, state.timestamp()).values();
  return messages.map((_, index) => (isSent(index) ? (sent.next().value ?? null) : null));
}

function singleResult(call: Call, [sent = null]: Array<SentMessage | null>): Answer {
  const credits = { credits_used: sent === null ? 0 : 1, credits_remaining: call.account.credits };
  if (sent === null) return success(201, { ...unsent(call, 0), ...credits });
  return success(201, { message_id: sent.id, status: 'sent', ...credits, sent_at: sent.sent_at });
}

function bulkResult(call: Call, messages: Message[], results: Array<SentMessage | null>): Answer {
  const { account, fault } = call;
  const sent = results.filter((result) => result !== null);
  const entries =
    fault?.kind === 'bulk-answer'
      ? reshapeEntries(fault, sent.map(sentEntry))
      : results.map((result, index) =>
          result === null ? { phone: messages[index]?.phone ?? '', ...unsent(call, index) } : sentEntry(result),
        );
  return success(201, {
    messages_sent: sent.length,
    credits_used: sent.length,
    credits_remaining: account.credits,
    messages: entries,
  });
}

function sentEntry({ id, phone }: SentMessage): BulkEntry {
  return { message_id: id, phone, status: 'sent' };
}

/** What the answer reports of a message that was not sent; with another fault, nobody sees the answer. */
function unsent({ fault, logged }: Call, index: number): Record<string, JsonValue> {
  return fault?.kind === 'unsent' ? unsentFields(fault, logged.number, index) : {};
}
