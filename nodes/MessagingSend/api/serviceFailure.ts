import { isRecord, words } from './records';

/** The codes by which nothing is sent (part 7), and the code that this node gives a 429. */
export const NOTHING_SENT: ReadonlySet<string> = new Set([
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'VALIDATION_ERROR',
  'INSUFFICIENT_CREDITS',
  'RATE_LIMITED',
]);

/** Codes that the API does not list, and that say what is wrong with the message. */
const INVALID = /^invalid_(phone|number|recipient|message|text|value|parameter)s?(_|$)/;

/** How a service says that it failed, or timed out: perhaps after it had sent the message. */
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
    '|part(ly|ial(ly)?)_(sent|success|failure|failed|delivered|accepted|processed|completed?)',
    ')s?(_|$)',
    '|timeout|timedout|^(internal|unexpected)$',
  ].join(''),
);

/** In a code, these parts are enough. */
const PART_OF_CODE = /server_error|internal|time_out|timed_out|unavailable|gateway|partial|partly/;
/** Codes that are HTTP statuses: of a server that failed, or of a gateway that gave up (408, 499). */
const HTTP_STATUS = /^(5\d\d|408|499)$/;
const NAME_OF_CODE = /(^|_)(code|status|type|name|kind|errno|errors?|message|reason)$/;

const MAX_DEPTH = 6;
const MAX_TEXT = 2_000;

/**
 * Whether an answer, or the error of one message, says that the service failed or timed out. Then the message may have
 * been sent. All texts and codes count, at any place. Only a code that refuses outweighs the texts beside it, because these
 * may quote the message.
 * @param name of the field with this value, in words
 */
export function isServiceFailure(value: unknown, name = 'error', depth = 0): boolean {
  if (typeof value === 'string' || typeof value === 'number') return saysFailure(String(value), name);
  if (value === true) return PHRASE.test(name);
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((inner) => isServiceFailure(inner, name, depth + 1));
  if (isRecord(value) && isRefusalCode(value.code)) return false;
  return Object.entries(value).some(([inner, each]) => isServiceFailure(each, words(inner), depth + 1));
}

/** Whether a code says that the request or the message was refused, whatever the text beside it. */
export function isRefusalCode(code: unknown): boolean {
  if (typeof code !== 'string') return false;
  const name = words(code);
  return NOTHING_SENT.has(name.toUpperCase()) || (INVALID.test(name) && !saysFailure(code, 'code'));
}

function saysFailure(given: string, name: string): boolean {
  const text = words(given, MAX_TEXT);
  if (PHRASE.test(text)) return true;
  // In fields that may have a code or a sentence, a code has no spaces.
  const isCode = name === 'code' || (NAME_OF_CODE.test(name) && !/\s/.test(given.trim()));
  return isCode && (HTTP_STATUS.test(text) || PART_OF_CODE.test(text));
}
