import { isRecord, type JsonRecord, words } from '../api/records';
import { serviceTexts } from '../api/serviceText';

/** What the service says of one message. */
export interface Reported {
  /** What its status and its flags say; null where they say nothing that is known. */
  readonly verdict: 'sent' | 'not_sent' | 'unclear' | null;
  /** Whether it has an error beside them. */
  readonly hasError: boolean;
  /** Whether the service itself has failed, perhaps after it had sent the message. */
  readonly isServerSide: boolean;
  /** The service's reasons, fit to show; empty where it gave none. */
  readonly reasons: string;
}

// The document shows the status `sent` alone (part 3) and no other field; these are the words that services use.

const SENT = /^(sent|queued|accepted|pending|scheduled|delivered|success|ok|no_errors?)$/;

/** Statuses that need no other words. */
const PLAINLY_NOT_SENT =
  /^(failed|failure|error|rejected|invalid|refused|not_sent|unsent|skipped|blocked|cancell?ed|undeliverable)$/;

const NOT_SENT =
  /^(fail|errored|declined|denied|dropped|discarded|forbidden|unauthori[sz]ed|opted_out|unsubscribed|unregistered|unsupported|black_?listed|block_?listed|false)$|^(not?|invalid|insufficient|out_of|failed_to|rejected|blocked|refused|unknown|unregistered|unsupported|bad)_|_(failed|failure|error|rejected|refused|blocked|denied|declined|invalid|cancell?ed|exceeded|not_found|missing)$/;

/** It may have been sent and not have arrived, may be sent later, or the service itself does not know. */
const UNCLEAR =
  /^((un|not_|non_)deliver(ed|y)|delivery_(failed|failure|error|rejected)|(.+_)?expired|bounced?|time_?out|.*timed_out|.*_timeout|unknown|unknown_status|(un|not_)confirmed|unclear|lost|aborted|unreachable|throttled|suspended|.+_limited|partial.*|not_yet_.+|(temp|soft|retry).*|http_.+|connection_.+|no_(response|answer|ack.*)|unknown_(state|result|outcome|reason)|(un|in)determin.+|(.+_)?unavailable)$/;

/** The same, of an error as of a status: something went wrong in the service, perhaps after it had sent the message. */
const SERVER_SIDE =
  /(^|_)((server|internal|network|gateway|connection|unexpected|unknown)_(error|failure)|bad_gateway|(service|temporarily)_unavailable|time_?out|timed_out)(_|$)|^(internal|unexpected|http_5\d\d)$/;

/** Flags that deny what they name. */
const DENIED_BY_FALSE = /^(sent|accepted|is_sent|was_sent)$/;
const DENIED_BY_TRUE = /^(failed|rejected|refused|blocked|skipped|invalid|is_error|has_failed)$/;

const ERROR_FIELD =
  /^(err|errors?|failure|error_(code|message|msg|reason|description|text|details?|type|name)|(fail|failed|failure|reject|rejected|rejection)_(reason|code|message))$/;

/** The same, unless it is the service that has failed. */
const FAILED_BY_FALSE = /^(success|ok|succeeded)$/;

/** Fields with reasons; of an entry itself, `message` may be the text that was to be sent. */
const REASON_FIELD = /^(reason|status_(reason|message|description|text|details?))$/;
const REASON_IN_ERROR = /^(message|msg|reason|description|detail|title|text|code|error|name)$/;

/** Reads what the entry of a message reports, whatever its form. */
export function reported(entry: JsonRecord): Reported {
  const fields = Object.entries(entry).map(([name, value]) => [words(name), value] as const);
  const status = statusOf(entry.status);
  const isDenied = fields.some(
    ([name, value]) => (isFalse(value) && DENIED_BY_FALSE.test(name)) || (isTrue(value) && DENIED_BY_TRUE.test(name)),
  );
  const isFailed = fields.some(([name, value]) => isFalse(value) && FAILED_BY_FALSE.test(name));
  const errors = fields.filter(([name, value]) => ERROR_FIELD.test(name) && isError(value)).map(([, value]) => value);
  const said = fields.filter(([name]) => REASON_FIELD.test(name)).map(([, value]) => value);
  const nested = isRecord(entry.status) ? [entry.status] : [];
  const codes = [...errors, ...(isFailed ? [entry.code] : [])].flatMap((error) => codesIn(error));
  const isServerSide = [status, ...codes].some((code) => SERVER_SIDE.test(code));
  const verdict = verdictOf(status, isDenied || (isFailed && !isServerSide));
  const isNews = status !== '' && !PLAINLY_NOT_SENT.test(status) && !SENT.test(status);
  const reasons = serviceTexts([...errors, ...said, ...nested].flatMap((value) => textsOf(value)));
  return {
    verdict,
    hasError: errors.length > 0,
    isServerSide,
    reasons: reasons === '' && isNews ? serviceTexts([status]) : reasons,
  };
}

function verdictOf(status: string, isDenied: boolean): Reported['verdict'] {
  // "Sent" and "not sent" in one entry.
  if (SENT.test(status)) return isDenied ? 'unclear' : 'sent';
  if (UNCLEAR.test(status) || SERVER_SIDE.test(status)) return 'unclear';
  return isDenied || PLAINLY_NOT_SENT.test(status) || NOT_SENT.test(status) ? 'not_sent' : null;
}

/** A status in words; also of one that is an object, and of one that is an HTTP status. */
function statusOf(status: unknown): string {
  if (isRecord(status)) {
    const { code, name, status: inner, state, value } = status;
    return [name, inner, state, value, code].map(plainStatus).find((text) => text !== '') ?? '';
  }
  return plainStatus(status);
}

function plainStatus(status: unknown): string {
  if (status === false) return 'false';
  if (typeof status !== 'string' && typeof status !== 'number') return '';
  const name = words(String(status));
  // A number that looks like a refusal of HTTP may still be the service's own.
  return /^[45]\d\d$/.test(name) ? `http_${name}` : name;
}

function isFalse(value: unknown): boolean {
  return value === false || (typeof value === 'string' && words(value) === 'false');
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && words(value) === 'true');
}

/** Whether the value of an error field is an error: an empty one, 0 or "none" is not. */
function isError(value: unknown, depth = 0): boolean {
  if (typeof value === 'string')
    return !/^(|0+|false|none|null|nil|no|ok|success|no_errors?)$/.test(words(value)) || /[^\s -~]/.test(value);
  if (typeof value === 'number') return value !== 0;
  if (typeof value !== 'object' || value === null) return value === true;
  return depth < MAX_DEPTH && Object.values(value).some((inner) => isError(inner, depth + 1));
}

const MAX_DEPTH = 4;

/** The code of an error; its texts, where it has none. All in words. */
function codesIn(error: unknown, depth = 0): string[] {
  if (typeof error === 'string' || typeof error === 'number') return [plainStatus(error)];
  if (typeof error !== 'object' || error === null || depth >= MAX_DEPTH) return [];
  if (isRecord(error) && plainStatus(error.code) !== '') return [plainStatus(error.code)];
  return Object.values(error).flatMap((inner) => codesIn(inner, depth + 1));
}

/** The texts that give reasons in the value of a field. */
function textsOf(value: unknown, depth = 0): unknown[] {
  if (typeof value === 'string') return [value];
  if (depth >= MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((inner) => textsOf(inner, depth + 1));
  if (!isRecord(value)) return [];
  const texts = Object.entries(value).filter(([name]) => REASON_IN_ERROR.test(words(name)));
  const others = texts.filter(([name]) => words(name) !== 'code');
  return (others.length > 0 ? others : texts).flatMap(([, inner]) => textsOf(inner, depth + 1));
}
