import { isRecord, type JsonRecord, words } from './records';
import { isServiceFailure } from './serviceFailure';
import { serviceTexts } from './serviceText';
import { FINE, NOT_SENT, ON_ITS_WAY, PLAINLY_NOT_SENT, SENT, UNCLEAR } from './statusWords';

export interface EntryReport {
  /** What its status and its flags say; null where they say nothing known. */
  readonly verdict: 'sent' | 'not_sent' | 'unclear' | null;
  readonly hasError: boolean;
  /** Whether the service itself failed, perhaps after it had sent the message. */
  readonly serviceFailed: boolean;
  /** The service's reasons, fit to show; empty where it gave none. */
  readonly reasons: string;
}

/** Flags that deny what they name. */
const DENIED_BY_FALSE = /^(sent|accepted|is_sent|was_sent)$/;
const DENIED_BY_TRUE = /^(failed|rejected|refused|blocked|skipped|invalid|is_error|has_failed)$/;

/** Flags that deny the message too, unless the service failed. */
const FAILED_BY_FALSE = /^(success|ok|succeeded)$/;

const ERROR_FIELD =
  /^(err|errors?|failure|error_(code|message|msg|reason|description|text|details?|type|name)|(fail|failed|failure|reject|rejected|rejection)_(reason|code|message))$/;

/** Fields with reasons. In the entry itself, `message` may be the text that was to be sent. */
const REASON_FIELD = /^(reason|status_(reason|message|description|text|details?))$/;
const REASON_IN_ERROR = /^(message|msg|reason|description|detail|title|text|code|error|name)$/;

/** Reads the entry of a message (API 2.3), or the data of a single send (API 2.2), in any form. */
export function readEntry(entry: JsonRecord): EntryReport {
  const fields = Object.entries(entry).map(([name, value]) => [words(name), value] as const);
  const status = statusOf(entry.status);
  const has = (flag: boolean, names: RegExp) => fields.some(([name, value]) => isFlag(value, flag) && names.test(name));
  const isDenied = has(false, DENIED_BY_FALSE) || has(true, DENIED_BY_TRUE);
  const isFailed = has(false, FAILED_BY_FALSE);
  const errors = fields.filter(([name, value]) => ERROR_FIELD.test(name) && isError(value));
  const serviceFailed =
    isServiceFailure(status, '') ||
    (isFailed && isServiceFailure(entry.code, 'code')) ||
    errors.some(([name, value]) => isServiceFailure(value, name));
  const said = fields.filter(([name]) => REASON_FIELD.test(name));
  const nested = isRecord(entry.status) ? [entry.status] : [];
  const values = [...[...errors, ...said].map(([, value]) => value), ...nested];
  const reasons = serviceTexts(values.flatMap((value) => textsOf(value)));
  const isNews = status !== '' && !PLAINLY_NOT_SENT.test(status) && !isGood(status);
  return {
    verdict: verdictOf(status, isDenied || (isFailed && !serviceFailed)),
    hasError: errors.length > 0,
    serviceFailed,
    reasons: reasons === '' && isNews ? serviceTexts([status]) : reasons,
  };
}

function verdictOf(status: string, isDenied: boolean): EntryReport['verdict'] {
  // "Sent" and "not sent" in one entry.
  if (isGood(status)) return isDenied ? 'unclear' : 'sent';
  if (UNCLEAR.test(status) || isServiceFailure(status, '')) return 'unclear';
  return isDenied || PLAINLY_NOT_SENT.test(status) || NOT_SENT.test(status) ? 'not_sent' : null;
}

function isGood(status: string): boolean {
  return SENT.test(status) || ON_ITS_WAY.test(status) || FINE.test(status);
}

/** A status in words. It may be a text, a number or an object. */
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
  // A number such as 422 may be an HTTP status, or the service's own.
  return /^[45]\d\d$/.test(name) ? `http_${name}` : name;
}

function isFlag(value: unknown, flag: boolean): boolean {
  return value === flag || (typeof value === 'string' && words(value) === String(flag));
}

/** Whether an error field has an error: not if it is empty, 0 or "none". */
function isError(value: unknown, depth = 0): boolean {
  if (typeof value === 'string')
    return !/^(|0+|false|none|null|nil|no|ok|success|no_errors?)$/.test(words(value)) || /[^\s -~]/.test(value);
  if (typeof value === 'number') return value !== 0;
  if (typeof value !== 'object' || value === null) return value === true;
  return depth < MAX_DEPTH && Object.values(value).some((inner) => isError(inner, depth + 1));
}

const MAX_DEPTH = 4;

function textsOf(value: unknown, depth = 0): unknown[] {
  if (typeof value === 'string') return [value];
  if (depth >= MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((inner) => textsOf(inner, depth + 1));
  if (!isRecord(value)) return [];
  const texts = Object.entries(value).filter(([name]) => REASON_IN_ERROR.test(words(name)));
  const others = texts.filter(([name]) => words(name) !== 'code');
  return (others.length > 0 ? others : texts).flatMap(([, inner]) => textsOf(inner, depth + 1));
}
