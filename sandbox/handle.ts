import { type Answer, failure, insufficientCredits, type JsonValue, success } from './answers';
import { type BulkEntry, reshapeEntries, unsentFields, unsentIndices } from './faultAnswers';
import type { Endpoint, Fault } from './faults';
import type { SentMessage } from './messages';
import type { LoggedRequest } from './requests';
import type { Account, SandboxState } from './state';
import { type Message, validate } from './validation';

/** An authenticated request within the limit. */
export interface Call {
  endpoint: Endpoint;
  account: Account;
  logged: LoggedRequest;
  fault: Fault | null;
  /** The messages in its body, valid or not; empty until the body has been read. */
  messages: readonly unknown[];
}

/**
 * Handles the request as its endpoint does (checks, charges, sends) and returns the answer, which is not sent yet.
 * `sendAtMost` stops partway, for a connection that is lost partway.
 */
export function handle(state: SandboxState, call: Call, body: unknown, sendAtMost = Infinity): Answer {
  const { account, endpoint, fault } = call;
  if (endpoint === 'balance')
    return success(200, { credits: account.credits, user_id: 4711, user_name: 'Sandbox User' });
  const checked = validate(endpoint, body);
  if ('problems' in checked) {
    const error = { code: 'VALIDATION_ERROR', message: 'Request validation failed' };
    return failure(422, { ...error, details: checked.problems });
  }
  // Part 8 answers what exceeds its limits as it does too many requests.
  if ('exceeds' in checked) return failure(429, { code: 'RATE_LIMIT_EXCEEDED', message: checked.exceeds });
  const { messages } = checked;
  if (account.credits < messages.length) return failure(402, insufficientCredits(messages.length, account.credits));
  const unsent = fault?.kind === 'unsent' ? unsentIndices(fault, messages) : [];
  const results = send(state, call, messages, (index) => index < sendAtMost && !unsent.includes(index));
  return endpoint === 'send' ? singleResult(call, results) : bulkResult(call, messages, results);
}

/** Each message as it was sent, or null. */
function send(
  state: SandboxState,
  { account, endpoint, logged }: Call,
  messages: Message[],
  isSent: (index: number) => boolean,
): Array<SentMessage | null> {
  const from = { key: account.label, endpoint, request: logged.number, sent_at: state.timestamp() };
  const results = messages.map((message, index) => (isSent(index) ? state.messages.add(message, from) : null));
  logged.sent = results.filter((result) => result !== null).length;
  account.credits -= logged.sent;
  return results;
}

function singleResult(call: Call, [sent = null]: Array<SentMessage | null>): Answer {
  const { sent: credits_used } = call.logged;
  const credits = { credits_used, credits_remaining: call.account.credits };
  if (sent === null) return success(201, { ...unsent(call, 0), ...credits });
  return success(201, { message_id: sent.id, status: 'sent', ...credits, sent_at: sent.sent_at });
}

function bulkResult(call: Call, messages: Message[], results: Array<SentMessage | null>): Answer {
  const { account, fault, logged } = call;
  const entries =
    fault?.kind === 'bulk-answer'
      ? reshapeEntries(
          fault,
          results.flatMap((result) => (result === null ? [] : sentEntry(result))),
        )
      : results.map((result, index) =>
          result === null ? { phone: messages[index]?.phone ?? '', ...unsent(call, index) } : sentEntry(result),
        );
  return success(201, {
    messages_sent: logged.sent,
    credits_used: logged.sent,
    credits_remaining: account.credits,
    messages: entries,
  });
}

function sentEntry({ id, phone }: SentMessage): BulkEntry {
  return { message_id: id, phone, status: 'sent' };
}

/** What the answer reports about a message that was not sent; with another fault, nobody sees it. */
function unsent({ fault, logged }: Call, index: number): Record<string, JsonValue> {
  return fault?.kind === 'unsent' ? unsentFields(fault, logged.number, index) : {};
}
