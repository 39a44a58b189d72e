import type { Failure } from './failure';
import { failureOf } from './failureTexts';
import { isRecord, type JsonRecord } from './records';
import { readRetryAfter } from './retryAfter';

/** What one HTTP call came to. */
export type Reply =
  /** The service did what was asked; `data` is the envelope's (2.4). */
  | { readonly kind: 'accepted'; readonly data: JsonRecord }
  /** The service refused, or was never reached: nothing was sent. */
  | {
      readonly kind: 'rejected';
      readonly failure: Failure;
      /** The envelope's `error` (part 7); empty where there was none. */
      readonly error: JsonRecord;
      /** Whether the service was not reached, and a new try may reach it. */
      readonly unreached: boolean;
      /** How long the service asks to wait, in milliseconds. */
      readonly retryAfter: number | null;
    }
  /** The request may have reached the service, and no answer tells what became of it. */
  | { readonly kind: 'uncertain'; readonly failure: Failure };

/** The parts of an HTTP answer that a reply is read from. */
export interface HttpAnswer {
  readonly statusCode: number;
  /** As text, so that nothing is lost before it is read here. */
  readonly body: unknown;
  readonly headers: JsonRecord;
}

/**
 * Reads an HTTP answer by the API's envelope and codes (2.4 and part 7). A failure code inside an
 * answer counts more than its HTTP status, so `success: false` in a 200 is what its code says.
 * @param apiKey removed from the answer wherever a service might repeat it
 */
export function readReply(answer: HttpAnswer, apiKey: string): Reply {
  const envelope = parse(answer.body, apiKey);
  const succeeded = answer.statusCode >= 200 && answer.statusCode < 300;

  if (succeeded && envelope?.success === true && isRecord(envelope.data)) {
    return { kind: 'accepted', data: envelope.data };
  }
  const error = errorOf(envelope);
  const refused = succeeded && envelope?.success === false;
  const failure = failureOf({ ...answer, error, refused, readable: envelope !== null });
  return isUncertain(failure, succeeded && !refused)
    ? { kind: 'uncertain', failure }
    : { kind: 'rejected', failure, error, unreached: false, retryAfter: readRetryAfter(answer.headers, Date.now()) };
}

function isUncertain(failure: Failure, unreadable: boolean): boolean {
  return unreadable || failure.code === 'SERVER_ERROR' || (failure.httpStatus ?? 0) >= 500;
}

/** The body as a JSON object; null when it is anything else. */
function parse(body: unknown, apiKey: string): JsonRecord | null {
  if (isRecord(body)) return body;
  if (typeof body !== 'string') return null;
  try {
    const value: unknown = JSON.parse(exactIds(withoutKey(body, apiKey)));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** A message_id beyond 2^53 would be rounded by JSON.parse: such a one is kept as text. */
function exactIds(json: string): string {
  return json.replace(/("message_id"\s*:\s*)(\d{16,})/g, '$1"$2"');
}

function withoutKey(text: string, apiKey: string): string {
  // A key of a few characters would match by chance, and tear the JSON apart.
  return apiKey.length < 6 ? text : text.replaceAll(apiKey, '***');
}

/** The envelope's `error`; services that flatten it into the envelope or make it a text are read as well. */
function errorOf(envelope: JsonRecord | null): JsonRecord {
  if (envelope === null) return {};
  if (isRecord(envelope.error)) return envelope.error;
  if (typeof envelope.error === 'string') return { ...envelope, message: envelope.error };
  return envelope;
}
