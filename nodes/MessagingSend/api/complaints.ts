import { isRecord, type JsonRecord } from './records';

/** One complaint of a VALIDATION_ERROR: where, as a path of names and indices, and what, where it says so. */
export interface Complaint {
  readonly path: ReadonlyArray<string | number>;
  readonly text: string;
}

// The document leaves the structure of the details open ("not shown"), so these are the words that
// common validators use for "which field" and "what is wrong with it".
const WHERE = [
  'field',
  'path',
  'param',
  'property',
  'name',
  'loc',
  'pointer',
  'key',
  'attribute',
  'source',
  'dataPath',
  'instancePath',
];
const WHAT = ['message', 'msg', 'reason', 'error', 'detail', 'description', 'text', 'rule', 'title'];
const MAX_DEPTH = 8;
const MAX_COMPLAINTS = 200;

/**
 * The complaints in a VALIDATION_ERROR's `error` object, whatever their structure: a list of
 * `{ field, message }`, an object keyed by dotted or bracketed field, nested objects and arrays
 * (with null for what is right), or plain texts. Never throws.
 */
export function readComplaints(error: JsonRecord): Complaint[] {
  const complaints: Complaint[] = [];
  for (const [name, value] of Object.entries(error)) {
    if (name === 'code' || name === 'message' || name === 'status') continue;
    // `details`, `errors`, `fields` … are the wrapping, not part of a path; any other name is a field.
    collect(value, isWrapping(name) ? [] : [name], complaints, 0);
  }
  return complaints;
}

/** `messages.3.phone`, without the index counted from 1 or 0: as the service wrote it. */
export function pathText(path: Complaint['path']): string {
  return path.map(String).join('.');
}

/** The index of a bulk request's message that a complaint is about; null when it names none. */
export function messageIndex({ path }: Complaint): number | null {
  const start = path.lastIndexOf('messages');
  const index = path[start + 1];
  return typeof index === 'number' && (start >= 0 || path.length > 1) ? index : null;
}

/** In characters: no path and no complaint is longer, and a pattern that backtracks far can exhaust the stack. */
const MAX_PATH = 1_000;
const MAX_TEXT = 10_000;

function isWrapping(name: string): boolean {
  return /^(details?|errors?|fields?|validation.*|violations|issues|invalid.*|data|meta)$/i.test(name);
}

function collect(value: unknown, path: Complaint['path'], into: Complaint[], depth: number): void {
  if (depth > MAX_DEPTH || into.length >= MAX_COMPLAINTS || value === null || value === undefined) return;
  if (typeof value === 'string') {
    into.push({ path: path.length > 0 ? path : pathInText(value), text: value });
  } else if (Array.isArray(value)) {
    collectList(value, path, into, depth);
  } else if (isRecord(value)) {
    collectRecord(value, path, into, depth);
  } else if (value === true) {
    into.push({ path, text: '' });
  }
}

function collectList(list: unknown[], path: Complaint['path'], into: Complaint[], depth: number): void {
  list.forEach((value, index) => {
    // Texts and `{ field, message }` entries are a list of complaints; other entries are at the
    // place of what they complain about.
    const isComplaint =
      typeof value === 'string' ||
      (isRecord(value) &&
        (where(value) !== null || (!Object.hasOwn(value, 'phone') && typeof value.message === 'string')));
    collect(value, isComplaint ? path : [...path, index], into, depth + 1);
  });
}

function collectRecord(record: JsonRecord, path: Complaint['path'], into: Complaint[], depth: number): void {
  const place = where(record);
  // A record with a number repeats the message itself: its `message` is the text that was to be sent.
  const repeats = typeof record.phone === 'string' && typeof record.message === 'string';
  const text = firstText(record, repeats ? WHAT.filter((name) => name !== 'message') : WHAT);
  if (place !== null) {
    const index = typeof record.index === 'number' ? ['messages', record.index] : [];
    into.push({ path: [...path, ...(place[0] === 'messages' ? [] : index), ...place], text });
    return;
  }
  if (typeof record.index === 'number') {
    into.push({ path: [...path, 'messages', record.index], text });
    return;
  }
  if (repeats) {
    into.push({ path, text });
    return;
  }
  for (const [name, value] of Object.entries(record)) {
    collect(value, [...path, ...splitPath(name)], into, depth + 1);
  }
}

/** The place that an entry names; null when it is no entry of that kind. */
function where(record: JsonRecord): Array<string | number> | null {
  for (const name of WHERE) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (typeof value === 'string' && value !== '') return splitPath(value);
    if (isRecord(value) && typeof value.pointer === 'string') return splitPath(value.pointer);
    if (Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number')) {
      return value.flatMap((part) => (typeof part === 'number' ? [part] : splitPath(part)));
    }
  }
  return null;
}

function firstText(record: JsonRecord, names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && typeof value[0] === 'string') return value[0];
  }
  return '';
}

/** `messages.3.phone`, `messages[3].phone`, `/messages/3/phone`, `$.messages[3].phone` → ['messages', 3, 'phone']. */
function splitPath(path: string): Array<string | number> {
  return path
    .slice(0, MAX_PATH)
    .split(/[.[\]/$"']+/)
    .filter((part) => part !== '' && part !== 'body' && part !== '#')
    .map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : part));
}

/** A place mentioned inside a sentence: "messages[3].phone is invalid". */
function pathInText(text: string): Array<string | number> {
  const beginning = text.slice(0, MAX_TEXT);
  const mention =
    /\bmessages?(?:[.[/]\s*\d{1,6}\]?)(?:[./]?\w+)?/.exec(beginning) ?? /\b(?:phone|message)\b/.exec(beginning);
  return mention === null ? [] : splitPath(mention[0]);
}
