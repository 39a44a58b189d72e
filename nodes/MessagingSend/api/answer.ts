/**
 * What an answer from the service means, by the API's document (parts 2, 3 and 7). docs/how-sending-works.md says the
 * same to users. Anything that the document leaves open is uncertain.
 */
import { readComplaints } from './complaints';
import { asText, isObject, type JsonObject, MAX_DEPTH } from './objects';

export interface Answer {
  readonly statusCode: number;
  /** Whether its status is 2xx. */
  readonly isSuccess: boolean;
  /** The body as a JSON object; null if it is anything else. */
  readonly envelope: JsonObject | null;
  /** The envelope's `error`; empty if there is none. */
  readonly error: JsonObject;
  /** A body of plain text; empty if it is a JSON object or a page. */
  readonly text: string;
}

/**
 * Statuses below 500 that leave open whether the service handled the request: a result that is elsewhere, a timeout, a
 * conflict, or a gateway that gave up.
 */
const OPEN: ReadonlySet<number> = new Set([303, 408, 409, 425, 499]);

/** The codes of part 7 that mean that nothing was sent. */
const REFUSALS = new Set<unknown>(['MISSING_API_KEY', 'INVALID_API_KEY', 'VALIDATION_ERROR', 'INSUFFICIENT_CREDITS']);

/** How a service says that it failed, perhaps after it had sent the message. */
const SERVICE_FAILED = /timed?[\W_]?out(?!side| of)|(server|internal)[\W_]?error/i;

/** What an answer means for its request: with `accepted` the entries decide, with `rejected` nothing was sent. */
export function meaningOfAnswer(answer: Answer): 'accepted' | 'rejected' | 'uncertain' {
  const { statusCode, isSuccess, envelope, error } = answer;
  if (isSuccess && envelope?.success === true && isObject(envelope.data)) return 'accepted';
  const isRefusal = isSuccess
    ? envelope?.success === false && REFUSALS.has(error.code)
    : statusCode >= 300 && statusCode < 500 && !OPEN.has(statusCode);
  if (!isRefusal) return 'uncertain';
  if (hasEntries(envelope)) return 'accepted';
  if (saysSent(envelope)) return 'uncertain';
  const said = [envelope ?? {}, error].flatMap(({ code, message }) => [asText(code), asText(message)]);
  const serviceFailed = [...said, answer.text].some((each) => SERVICE_FAILED.test(each));
  // A 429 is the rate limit, with any body (part 8).
  return statusCode !== 429 && serviceFailed ? 'uncertain' : 'rejected';
}

/** Whether an answer has outcomes of messages, rather than a copy of the request. */
function hasEntries(envelope: JsonObject | null): boolean {
  const entries = isObject(envelope?.data) ? envelope.data.messages : null;
  const isEntry = (each: unknown) => isObject(each) && ('message_id' in each || 'status' in each || hasError(each));
  return Array.isArray(entries) && entries.some(isEntry);
}

const SENT: ReadonlySet<string> = new Set(['sent', 'queued', 'pending', 'accepted', 'scheduled', 'delivered']);
const NOT_SENT: ReadonlySet<string> = new Set(['failed', 'rejected', 'invalid', 'error']);

/** What an entry (2.3), or the data of a single send (2.2), means for its message. */
export function meaningOfEntry(entry: JsonObject): 'sent' | 'not_sent' | 'uncertain' {
  const status = statusOf(entry);
  const hasId = asText(entry.message_id).trim() !== '';
  const isWrong = hasError(entry);
  if (!isWrong && (SENT.has(status) || (status === '' && hasId))) return 'sent';
  const isRefused = !hasId && !SENT.has(status) && (isWrong || NOT_SENT.has(status));
  const serviceFailed = [status, ...wordsOfEntry(entry)].some((text) => SERVICE_FAILED.test(text));
  return isRefused && !serviceFailed ? 'not_sent' : 'uncertain';
}

/** The service's reasons in an entry. Its `message` may be the text that was to be sent. */
export function wordsOfEntry(entry: JsonObject): string[] {
  const status = statusOf(entry);
  const reasons = Object.entries(entry).filter(([name]) => /error|reason/i.test(name));
  const texts = readComplaints(Object.fromEntries(reasons)).map(({ text }) => text);
  return texts.length > 0 || SENT.has(status) || NOT_SENT.has(status) ? texts : [asText(entry.status)];
}

const ERROR = /error/i;

/** Whether a field about an error has a value, or the document's sign of a failure (2.4) is there. */
function hasError(entry: JsonObject): boolean {
  // Without a list of the names: this runs for each message.
  for (const name in entry) if (ERROR.test(name) && hasValue(entry[name])) return true;
  return entry.success === false;
}

function hasValue(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return depth > MAX_DEPTH || Object.values(value).some((inner) => hasValue(inner, depth + 1));
}

/** In lower case; empty if there is none, and "?" for anything but a text. */
function statusOf({ status }: JsonObject): string {
  if (typeof status === 'string') return status.trim().toLowerCase();
  return status === undefined || status === null ? '' : '?';
}

/** Whether an answer says anywhere that something was sent or paid: by an ID, or a count above 0 (2.2, 2.3). */
export function saysSent(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  return Object.entries(value).some(
    ([name, inner]) =>
      (name === 'message_id' && asText(inner).trim() !== '') ||
      ((name === 'messages_sent' || name === 'credits_used') && Number(asText(inner)) > 0) ||
      saysSent(inner, depth + 1),
  );
}

/** The code of an error, if it looks like those in the document. */
export function codeIn({ code }: JsonObject): string | null {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : null;
}
