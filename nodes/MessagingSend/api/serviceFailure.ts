import { isRecord, words } from './records';

/** The codes of part 7 by which nothing is sent, and the one that this node gives a 429. */
export const NOTHING_SENT: ReadonlySet<string> = new Set([
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'VALIDATION_ERROR',
  'INSUFFICIENT_CREDITS',
  'RATE_LIMITED',
]);

/** Codes of the same kind that the API does not list. */
const INVALID = /^invalid_(phone|number|recipient|message|text|value|parameter)s?(_|$)/;

/** Phrases of a service that failed, or waited in vain for another one, perhaps after it had sent the message. */
const PHRASE = new RegExp(
  [
    '(^|_)(',
    '(server|internal|network|gateway|proxy|upstream|backend|database|connection|socket|system|unexpected|unknown|unhandled)_(error|failure|exception|problem|fault)',
    '|bad_gateway|internal_server',
    '|(service|server|gateway|upstream|temporarily|currently)_((is|was|temporarily|currently)_)*(unavailable|down|overloaded|busy)',
    '|time_out(?!_of)|timed_out|deadline_exceeded',
    '|connection_((was|has_been)_)?(lost|reset|closed|aborted|broken)|socket_hang_up|econn(reset|aborted|refused)|epipe|ehostunreach',
    '|no_(response|answer|reply)_from|did_not_(respond|answer|reply)',
    '|something_went_wrong|(error|exception)_(has_)?occurred',
    '|(http|status|code|error)_(5\\d\\d|408|499)',
    '|partial(ly)?_(sent|success|failure|failed|delivered|accepted|processed|completed?)',
    ')s?(_|$)',
    '|timeout|timedout|^(internal|unexpected)$',
  ].join(''),
);

/** In a code, which has no spaces, a part is enough. */
const PART_OF_CODE = /server_error|internal|time_out|unavailable|gateway|partial/;
/** HTTP statuses that leave it open whether the request was handled; 408 and 499 come from a gateway that gave up. */
const HTTP_STATUS = /^(5\d\d|408|499)$/;
const NAME_OF_CODE = /(^|_)(code|status|type|name|kind|errno|error)$/;

const MAX_DEPTH = 6;
const MAX_TEXT = 2_000;

/**
 * Whether an answer, or the error of one message, says that the service failed or timed out: then it may have sent what
 * it was asked to send. Every text and code counts, wherever it is. Only a code that refuses counts more than the texts
 * around it, which may quote the message that was to be sent.
 * @param name of the field with this value
 */
export function isServiceFailure(value: unknown, name = 'error', depth = 0): boolean {
  if (typeof value === 'string' || typeof value === 'number') return saysFailure(String(value), name);
  if (value === true) return PHRASE.test(name);
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((inner) => isServiceFailure(inner, name, depth + 1));
  if (isRecord(value) && isRefusalCode(value.code)) return false;
  return Object.entries(value).some(([inner, each]) => isServiceFailure(each, words(inner), depth + 1));
}

/** Whether a code says that the request, or the message, was refused, so that a text beside it does not matter. */
export function isRefusalCode(code: unknown): boolean {
  if (typeof code !== 'string') return false;
  const name = words(code);
  return NOTHING_SENT.has(name.toUpperCase()) || INVALID.test(name);
}

function saysFailure(given: string, name: string): boolean {
  const text = words(given, MAX_TEXT);
  if (PHRASE.test(text)) return true;
  return NAME_OF_CODE.test(name) && !/\s/.test(given.trim()) && (HTTP_STATUS.test(text) || PART_OF_CODE.test(text));
}
