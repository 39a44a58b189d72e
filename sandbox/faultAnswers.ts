/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { type Answer, ERROR_CODES, type ErrorObject, failure, insufficientCredits, type JsonValue } from './answers';
import type { Call } from './api';
import { chosenMessages } from './faultPlan';
import type { Fault, FaultOf } from './faults';

/** An entry of `messages` in the bulk send result (2.3). */
export type BulkEntry = Record<string, JsonValue>;

/** The answer of a fault that replaces the API's own; null for another fault. */
export function replacingAnswer(fault: Fault | null, call: Call): Answer | null {
  switch (fault?.kind) {
    case 'status':
      return statusAnswer(fault, call);
    case 'html':
      return { status: fault.status ?? 502, headers: { 'content-type': 'text/html; charset=utf-8' }, body: PAGE };
    case 'body': {
      const { status, body, contentType = 'application/json; charset=utf-8' } = fault;
      return { status, headers: contentType === null ? {} : { 'content-type': contentType }, body };
    }
    case 'redirect':
      return { status: fault.status ?? 307, headers: { location: fault.location }, body: '' };
    default:
      return null;
  }
}

/** Which of a request's messages are sent under a fault. */
export function isSentUnder(fault: Fault | null, messages: readonly unknown[]): (index: number) => boolean {
  switch (fault?.kind) {
    case 'status':
    case 'html':
    case 'body':
    case 'redirect':
    case 'silence':
      return () => fault.handled === true;
    case 'reset-before':
      return () => false;
    case 'reset-during':
      return (index) => index < (fault.sent ?? Math.floor(messages.length / 2));
    case 'unsent': {
      const unsent = fault.indices ?? chosenMessages(fault, messages) ?? [0];
      return (index) => !unsent.includes(index);
    }
    default:
      return () => true;
  }
}

/** What each entry becomes. */
const RESHAPED: Record<
  Exclude<FaultOf<'bulk-answer'>['shape'], 'reordered'>,
  (entry: BulkEntry, status: string) => BulkEntry[]
> = {
  missing: () => [],
  doubled: (entry) => [entry, entry],
  'other-status': (entry, status) => [{ ...entry, status }],
  'number-phones': (entry) => [{ ...entry, phone: Number(entry.phone) }],
  'plus-phones': (entry) => [{ ...entry, phone: `+${entry.phone as string}` }],
  'no-phones': ({ phone: _, ...entry }) => [entry],
};

export function reshapeEntries(fault: FaultOf<'bulk-answer'>, entries: BulkEntry[]): BulkEntry[] {
  const { shape, status = 'queued' } = fault;
  if (shape === 'reordered') return entries.toReversed();
  const fewByDefault = shape === 'missing' || shape === 'doubled';
  const indices = fault.indices ?? (fewByDefault ? [0] : [...entries.keys()]);
  return entries.flatMap((entry, index) => (indices.includes(index) ? RESHAPED[shape](entry, status) : [entry]));
}

/** What an answer reports about an unsent message. The request's number and the index make its ID unique. */
export function unsentFields(fault: Fault | null, request: number, index: number): BulkEntry {
  // With another fault, nobody sees it.
  if (fault?.kind !== 'unsent') return {};
  const { messageId, status = 'failed', error } = fault;
  return {
    ...(messageId === true && { message_id: 1_000_000_000 + 1000 * request + index }),
    status,
    ...(error !== undefined && { error }),
  };
}

function statusAnswer(fault: FaultOf<'status'>, call: Call): Answer {
  const { status, code, message, retryAfter } = fault;
  const standard = standardError(fault, call);
  const error: ErrorObject = {
    ...standard,
    code: code === undefined ? standard.code : (code ?? undefined),
    message: message ?? standard.message,
    details: detailsOf(fault, call),
    ...fault.error,
  };
  return failure(status, error, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

/** The error in the API's words. A 402 contains the numbers in the fault's `error`, or plausible ones. */
function standardError({ status, error }: FaultOf<'status'>, { messages, account }: Call): ErrorObject {
  if (status !== 402) {
    return { code: ERROR_CODES[status] ?? `HTTP_${status}`, message: `Status ${status}, requested by a fault` };
  }
  const required = error?.required_credits ?? messages.length;
  const available = error?.available_credits ?? Math.max(0, Math.min(account.credits, messages.length - 1));
  return insufficientCredits(Number(required), Number(available));
}

/** For a 422: about the fault's fields, those that its `phones` or `text` match, or the first phone. */
function detailsOf(fault: FaultOf<'status'>, { endpoint, messages }: Call): JsonValue | undefined {
  const { details, status, phones, text } = fault;
  if (details !== undefined) return details;
  if (status !== 422 && fault.fields === undefined) return undefined;
  const name = phones === undefined && text !== undefined ? 'message' : 'phone';
  const chosen = chosenMessages(fault, messages) ?? [0];
  const fields = fault.fields ?? (endpoint === 'bulk' ? chosen.map((index) => `messages.${index}.${name}`) : [name]);
  return fields.map((field) => ({ field, message: 'is not acceptable' }));
}

const PAGE = `<!DOCTYPE html>
<html><head><title>Bad Gateway</title></head>
<body><center><h1>Bad Gateway</h1></center><hr><center>gateway</center></body></html>
`;
