import { type Answer, ERROR_CODES, type ErrorObject, failure, insufficientCredits, type JsonValue } from './answers';
import { chosenMessages } from './faultPlan';
import type { Endpoint, FaultOf, ReplacingFault } from './faults';
import type { Message } from './validation';

/** The facts about a request that an answer can mention. */
interface RequestFacts {
  endpoint: Endpoint;
  /** The messages in its body, valid or not. */
  messages: readonly unknown[];
  /** The key's balance before the request, or after it if the fault is `handled`. */
  credits: number;
}

/** An entry of `messages` in the bulk send result (2.3). */
export type BulkEntry = { message_id: number; phone: string; status: string };

export function replacingAnswer(fault: ReplacingFault, facts: RequestFacts): Answer {
  switch (fault.kind) {
    case 'status':
      return statusAnswer(fault, facts);
    case 'html':
      return { status: fault.status ?? 502, headers: { 'content-type': 'text/html; charset=utf-8' }, body: PAGE };
    case 'body': {
      const { status, body, contentType = 'application/json; charset=utf-8' } = fault;
      return { status, headers: contentType === null ? {} : { 'content-type': contentType }, body };
    }
    case 'redirect':
      return { status: fault.status ?? 307, headers: { location: fault.location }, body: '' };
  }
}

/** What each entry becomes. */
const RESHAPED: Record<
  Exclude<FaultOf<'bulk-answer'>['shape'], 'reordered'>,
  (entry: BulkEntry, status: string) => JsonValue[]
> = {
  missing: () => [],
  doubled: (entry) => [entry, entry],
  'other-status': (entry, status) => [{ ...entry, status }],
  'number-phones': (entry) => [{ ...entry, phone: Number(entry.phone) }],
  'plus-phones': (entry) => [{ ...entry, phone: `+${entry.phone}` }],
  'no-phones': ({ message_id, status }) => [{ message_id, status }],
};

export function reshapeEntries(fault: FaultOf<'bulk-answer'>, entries: BulkEntry[]): JsonValue[] {
  const { shape, status = 'queued' } = fault;
  if (shape === 'reordered') return entries.toReversed();
  const fewByDefault = shape === 'missing' || shape === 'doubled';
  const indices = fault.indices ?? (fewByDefault ? [0] : [...entries.keys()]);
  return entries.flatMap((entry, index) => (indices.includes(index) ? RESHAPED[shape](entry, status) : [entry]));
}

export function unsentIndices(fault: FaultOf<'unsent'>, messages: Message[]): number[] {
  return fault.indices ?? chosenMessages(fault, messages) ?? [0];
}

/** What an answer reports about an unsent message. The request's number and the index make its ID unique. */
export function unsentFields(fault: FaultOf<'unsent'>, request: number, index: number): Record<string, JsonValue> {
  const { messageId, status = 'failed', error } = fault;
  return {
    ...(messageId === true && { message_id: 1_000_000_000 + 1000 * request + index }),
    status,
    ...(error !== undefined && { error }),
  };
}

function statusAnswer(fault: FaultOf<'status'>, facts: RequestFacts): Answer {
  const { status, code, message, retryAfter } = fault;
  const standard = standardError(fault, facts);
  const error: ErrorObject = {
    ...standard,
    code: code === undefined ? standard.code : (code ?? undefined),
    message: message ?? standard.message,
    details: detailsOf(fault, facts),
    ...fault.error,
  };
  return failure(status, error, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

/** The error in the API's words. A 402 contains the numbers in the fault's `error`, or plausible ones. */
function standardError({ status, error }: FaultOf<'status'>, { messages, credits }: RequestFacts): ErrorObject {
  if (status !== 402) {
    return { code: ERROR_CODES[status] ?? `HTTP_${status}`, message: `Status ${status}, requested by a fault` };
  }
  const required = error?.required_credits ?? messages.length;
  const available = error?.available_credits ?? Math.max(0, Math.min(credits, messages.length - 1));
  return insufficientCredits(Number(required), Number(available));
}

/** For a 422: about the fault's fields, those that its `phones` or `text` match, or the first phone. */
function detailsOf(fault: FaultOf<'status'>, { endpoint, messages }: RequestFacts): JsonValue | undefined {
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
