import { type Failure, failure } from '../failures/failure';
import { type KeyMask, masked } from './account';
import { type Answer, meaningOfAnswer } from './answer';
import { rejectionFailure, uncertainFailure } from './answerFailure';
import type { Endpoint } from './endpoints';
import { asText, BALANCE_FIELDS, isNumber, isObject, type JsonObject, pick } from './objects';

export interface ApiRequest {
  readonly endpoint: Endpoint;
  readonly body?: JsonObject;
  /** In milliseconds; the user's 'Timeout' by default. */
  readonly timeout?: number;
}

/** Makes one HTTP call. Never throws because of the service or the network. */
export type Call = (request: ApiRequest) => Promise<Reply>;

export type Reply =
  | Accepted
  | Rejected
  /** The request may have reached the service, and no usable answer tells the result. */
  | { readonly kind: 'uncertain'; readonly failure: Failure };

/** The service handled the request. */
export interface Accepted {
  readonly kind: 'accepted';
  /** The envelope's `data` (2.4). */
  readonly data: JsonObject;
}

/** The service rejected the request, or was never reached: nothing was sent. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly failure: Failure;
  /** The envelope's `error` (part 7), or an empty object. */
  readonly error: JsonObject;
  /** Whether the service answered (with its envelope or a 429), not a gateway or a firewall. */
  readonly fromService: boolean;
  /** Whether the service was not reached, for a reason that may be transient. */
  readonly retryable: boolean;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfter: number | null;
}

/** A rejected reply. The default details are those of a request without an answer. */
export function rejected(failure: Failure, details: Partial<Omit<Rejected, 'kind' | 'failure'>> = {}): Rejected {
  return { kind: 'rejected', failure, error: {}, fromService: false, retryable: false, retryAfter: null, ...details };
}

export interface HttpAnswer {
  readonly statusCode: number;
  /** Text, so that IDs keep all their digits; or parsed by n8n. Undefined if it was too long to be read. */
  readonly body: unknown;
  readonly headers: JsonObject;
}

/**
 * Reads an HTTP answer.
 * @param mask hides the API key wherever the answer contains it
 * @param request its phones and texts are removed from the answer's error
 */
export function readReply({ statusCode, body, headers }: HttpAnswer, mask: KeyMask, request: JsonObject = {}): Reply {
  if (body === undefined) {
    const unread = failure('answerUnreadable', { status: statusCode }, { httpStatus: statusCode });
    return { kind: 'uncertain', failure: unread };
  }
  const envelope = parse(body, mask);
  const isText = envelope === null && typeof body === 'string' && !/^\s*</.test(body);
  // It may be a text, and its fields may be in the envelope itself.
  const given = envelope?.error;
  const inEnvelope = { ...envelope, ...(typeof given === 'string' && { message: given }) };
  const answer: Answer = {
    statusCode,
    isSuccess: statusCode >= 200 && statusCode < 300,
    envelope,
    error: isObject(given) ? given : inEnvelope,
    text: isText ? body : '',
  };
  const meaning = meaningOfAnswer(answer);
  if (meaning === 'accepted' && isObject(envelope?.data)) return { kind: 'accepted', data: envelope.data };

  const repeated = valuesOf(request);
  const error = masked(answer.error, (text) => (repeated.has(text) ? '' : text)) as JsonObject;
  if (meaning !== 'rejected') return { kind: 'uncertain', failure: uncertainFailure({ ...answer, error }) };
  const retryAfter = readRetryAfter(headers, Date.now());
  const why = rejectionFailure({ ...answer, error }, mask(asText(headers.location)), retryAfter);
  const fromService = statusCode === 429 || typeof envelope?.success === 'boolean' || envelope?.error !== undefined;
  return rejected(why, { error, fromService, retryAfter });
}

/** The balance in a reply (2.1), or why there is none. */
export function balanceIn(reply: Reply) {
  if (reply.kind !== 'accepted') return reply.failure;
  const { credits: given } = reply.data;
  const credits = typeof given === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(given) ? Number(given) : given;
  return isNumber(credits) ? { ...pick(reply.data, BALANCE_FIELDS), credits } : failure('balanceNotReported');
}

/** The phones and texts of a request, which no error may show. */
function valuesOf(request: JsonObject): ReadonlySet<unknown> {
  const messages: unknown[] = Array.isArray(request.messages) ? request.messages : [request];
  return new Set(messages.flatMap((message) => (isObject(message) ? Object.values(message) : [])));
}

/** The body as a JSON object; null if it is anything else. */
function parse(body: unknown, mask: KeyMask): JsonObject | null {
  if (typeof body !== 'string' && !isObject(body)) return null;
  try {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    // Long IDs become texts, because JSON.parse rounds numbers beyond 2^53.
    const exact = text.replace(/("message_id"\s*:\s*)(\d{16,})(?![\d.eE])/g, '$1"$2"');
    const value: unknown = JSON.parse(exact);
    const clean = mask(text) === text ? value : masked(value, mask);
    return isObject(clean) ? clean : null;
  } catch {
    return null;
  }
}

/** In milliseconds; a header that asks for a longer wait is wrong. */
const MAX_RETRY_AFTER = 24 * 60 * 60 * 1000;

/**
 * How long the service asks to wait, in milliseconds, from Retry-After: seconds or a date. Null if that makes no sense,
 * or the time has passed.
 * @param now in milliseconds since 1970, for a date of a service that doesn't tell its own time
 */
export function readRetryAfter(headers: JsonObject, now: number): number | null {
  const text = asText(headers['retry-after']).trim();
  const wait = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : Date.parse(text) - (Date.parse(asText(headers.date)) || now);
  return wait > 0 && wait <= MAX_RETRY_AFTER ? wait : null;
}
