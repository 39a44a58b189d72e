import { type Answer, ERROR_CODES, type ErrorObject, failure, insufficientCredits } from './answers';
import { formatDetails, type JsonValue, pathOf } from './details';
import { chosenMessages } from './faultPlan';
import type { BulkAnswerFault, Endpoint, ReplacingFault, RetryAfter, StatusFault, UnsentFault } from './faults';
import type { Message } from './validation';

/** The facts about a request that a replacing answer can mention. */
export interface RequestFacts {
  endpoint: Endpoint;
  /** In its body, valid or not. */
  messages: readonly unknown[];
  /** Balance of the key: before the request, or after it if the fault is `handled`. */
  credits: number;
  /** ms since 1970. */
  now: number;
}

/** An entry of `messages` in the bulk send result (2.3). */
export type BulkEntry = { message_id: number; phone: string; status: string };

/** The answer that replaces the API's own. */
export function replacingAnswer(fault: ReplacingFault, facts: RequestFacts): Answer {
  switch (fault.kind) {
    case 'status':
      return statusAnswer(fault, facts);
    case 'html':
      return { status: fault.status ?? 502, headers: { 'content-type': 'text/html; charset=utf-8' }, body: PAGE };
    case 'body': {
      const contentType = fault.contentType === undefined ? 'application/json; charset=utf-8' : fault.contentType;
      return {
        status: fault.status,
        headers: contentType === null ? {} : { 'content-type': contentType },
        body: fault.body,
      };
    }
    case 'redirect':
      return { status: fault.status ?? 307, headers: { location: fault.location }, body: '' };
  }
}

/** The entries of a bulk answer, changed by the fault. */
export function reshapeEntries(fault: BulkAnswerFault, entries: BulkEntry[]): JsonValue[] {
  const fewByDefault = fault.shape === 'missing' || fault.shape === 'doubled';
  const indices = fault.indices ?? (fewByDefault ? [0] : entries.map((_, index) => index));
  if (fault.shape === 'reordered') return entries.toReversed();
  return entries.flatMap((entry, index): JsonValue[] => (indices.includes(index) ? reshape(fault, entry) : [entry]));
}

function reshape(fault: BulkAnswerFault, entry: BulkEntry): JsonValue[] {
  const { message_id, phone, status } = entry;
  switch (fault.shape) {
    case 'missing':
      return [];
    case 'doubled':
      return [entry, entry];
    case 'reordered':
      return [entry];
    case 'other-status':
      return [{ message_id, phone, status: fault.status ?? 'queued' }];
    case 'number-phones':
      return [{ message_id, phone: Number(phone), status }];
    case 'plus-phones':
      return [{ message_id, phone: `+${phone}`, status }];
    case 'no-phones':
      return [{ message_id, status }];
  }
}

/** The messages of a request that are not sent. */
export function unsentIndices(fault: UnsentFault, messages: Message[]): number[] {
  return fault.indices ?? chosenMessages(fault, messages) ?? [0];
}

/** What an answer reports of a message that is not sent: its request's number and its index make an id that no other has. */
export function unsentFields(fault: UnsentFault, request: number, index: number): Record<string, JsonValue> {
  const { messageId, status = 'failed', error } = fault;
  return {
    ...(messageId === true && { message_id: 1_000_000_000 + 1000 * request + index }),
    status,
    ...(error !== undefined && { error }),
  };
}

function statusAnswer(fault: StatusFault, facts: RequestFacts): Answer {
  const standard = standardError(fault, facts);
  const error: ErrorObject = {
    ...standard,
    code: fault.code === undefined ? standard.code : (fault.code ?? undefined),
    message: fault.message ?? standard.message,
    details: detailsOf(fault, facts),
    ...fault.error,
  };
  if (fault.retryAfter === undefined) return failure(fault.status, error);
  return failure(fault.status, error, { 'retry-after': retryAfter(fault.retryAfter, facts.now) });
}

/** The error in the API's words. A 402 contains the numbers in the fault's `error`, or plausible ones. */
function standardError({ status, error }: StatusFault, { messages, credits }: RequestFacts): ErrorObject {
  if (status !== 402) {
    return { code: ERROR_CODES[status] ?? `HTTP_${status}`, message: `Status ${status}, requested by a fault` };
  }
  const required = error?.required_credits ?? messages.length;
  const available = error?.available_credits ?? Math.max(0, Math.min(credits, messages.length - 1));
  return insufficientCredits(Number(required), Number(available));
}

function detailsOf(fault: StatusFault, facts: RequestFacts): JsonValue | undefined {
  if (fault.details !== undefined) return fault.details;
  if (fault.status !== 422 && fault.detailsShape === undefined) return undefined;
  const fields = fault.fields ?? defaultFields(fault, facts);
  const problems = fields.map((field) => ({ path: pathOf(field), message: 'is not acceptable', overLimit: false }));
  return formatDetails(fault.detailsShape ?? 'field-message', problems, facts.messages.length);
}

/** The fields that a fault with `phones` or `text` is about, else the first phone. */
function defaultFields(fault: StatusFault, { endpoint, messages }: RequestFacts): string[] {
  const name = fault.phones === undefined && fault.text !== undefined ? 'message' : 'phone';
  if (endpoint !== 'bulk') return [name];
  return (chosenMessages(fault, messages) ?? [0]).map((index) => `messages.${index}.${name}`);
}

function retryAfter(value: RetryAfter, now: number): string {
  if (typeof value === 'object') return new Date(now + value.dateInSeconds * 1000).toUTCString();
  return String(value);
}

const PAGE = `<!DOCTYPE html>
<html><head><title>Bad Gateway</title></head>
<body><center><h1>Bad Gateway</h1></center><hr><center>gateway</center></body></html>
`;
