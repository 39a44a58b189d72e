import { type Failure, failure as explained } from '../failures/failure';
import { answerFailure } from './answerFailure';
import type { Endpoint } from './endpoints';
import { type KeyMask, masked } from './keyMask';
import { asText, isRecord, type JsonRecord } from './records';
import { readRetryAfter } from './retryAfter';
import { NOTHING_SENT } from './serviceFailure';
import { hasSignOfSending } from './signOfSending';

export interface ApiRequest {
  readonly endpoint: Endpoint;
  readonly body?: JsonRecord;
  /** In milliseconds; default is the user's 'Timeout'. */
  readonly timeout?: number;
}

/** Makes one HTTP call. Never throws for what the service or the network does. */
export type Call = (request: ApiRequest) => Promise<Reply>;

export type Reply =
  /** The service handled the request; `data` is the envelope's (2.4). */
  | { readonly kind: 'accepted'; readonly data: JsonRecord }
  | Rejected
  /** The request may have reached the service, and no usable answer tells its result. */
  | { readonly kind: 'uncertain'; readonly failure: Failure };

/** The service rejected the request, or was never reached: nothing was sent. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly failure: Failure;
  /** The envelope's `error` (part 7), or an empty record. */
  readonly error: JsonRecord;
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
  /** Text, so that IDs keep all their digits; or parsed by n8n. */
  readonly body: unknown;
  readonly headers: JsonRecord;
}

/**
 * Reads an HTTP answer by the API's envelope and codes (2.4 and part 7). An error code outweighs a status of success: a 200
 * with `success: false` means what its code says.
 * @param mask hides the API key wherever the answer has it
 * @param messages how many the request had
 */
export function readReply(answer: HttpAnswer, mask: KeyMask, messages: number): Reply {
  const envelope = parse(answer.body, mask);
  const succeeded = answer.statusCode >= 200 && answer.statusCode < 300;
  const data = isRecord(envelope?.data) ? envelope.data : null;
  if (succeeded && envelope?.success === true && data !== null) return { kind: 'accepted', data };

  const error = masked(errorOf(envelope), mask.inError) as JsonRecord;
  const refused = succeeded && envelope?.success === false;
  const retryAfter = readRetryAfter(answer.headers, Date.now());
  const location = mask.inError(asText(answer.headers.location));
  const body = envelope ?? answer.body;
  const failure = answerFailure({ statusCode: answer.statusCode, location, body, error, refused, retryAfter });
  const isDocumented = failure.sendAgain === 'safe' && NOTHING_SENT.has(failure.code);
  // A batch of which only a part was sent: each entry has the outcome of its message.
  if (answer.statusCode < 500 && data !== null && hasEntries(data) && !isDocumented) return { kind: 'accepted', data };
  if (failure.sendAgain === 'checkFirst') return { kind: 'uncertain', failure };
  if (envelope !== null && hasSignOfSending(envelope, messages, isDocumented)) {
    const { serviceSays, httpStatus } = failure;
    return { kind: 'uncertain', failure: explained('messageUnclear', undefined, { serviceSays, httpStatus }) };
  }
  return rejected(failure, { error, fromService: isFromService(answer, envelope), retryAfter });
}

function isFromService({ statusCode }: HttpAnswer, envelope: JsonRecord | null): boolean {
  return statusCode === 429 || typeof envelope?.success === 'boolean' || envelope?.error !== undefined;
}

function hasEntries({ messages }: JsonRecord): boolean {
  // A list without IDs and statuses repeats the request.
  return (
    Array.isArray(messages) && messages.some((entry) => isRecord(entry) && ('message_id' in entry || 'status' in entry))
  );
}

/** The body as a JSON object; null if it is anything else. */
function parse(body: unknown, { inAnswer }: KeyMask): JsonRecord | null {
  if (typeof body !== 'string' && !isRecord(body)) return null;
  try {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const value: unknown = JSON.parse(exactIds(text));
    const clean = inAnswer(text) === text ? value : masked(value, inAnswer);
    return isRecord(clean) ? clean : null;
  } catch {
    return null;
  }
}

/** Makes long IDs texts, because JSON.parse rounds numbers beyond 2^53. */
function exactIds(json: string): string {
  return json.replace(/("message_id"\s*:\s*)(\d{16,})(?![\d.eE])/g, '$1"$2"');
}

/** The envelope's `error`, also where it is a text or its fields are in the envelope itself. */
function errorOf(envelope: JsonRecord | null): JsonRecord {
  if (envelope === null) return {};
  if (isRecord(envelope.error)) return envelope.error;
  if (typeof envelope.error === 'string') return { ...envelope, message: envelope.error };
  return envelope;
}
