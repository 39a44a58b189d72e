import { isRecord, type JsonRecord } from './records';

/** One complaint of a VALIDATION_ERROR: the path of what is wrong, in names and indices, and the reason if it gives one. */
export interface Complaint {
  readonly path: ReadonlyArray<string | number>;
  readonly text: string;
}

// The API does not show the structure of the details (part 7). These are the names that common validators give to the
// field in question and to the reason.
const NAMES_OF_PATH = 'field path param property name loc pointer key attribute source dataPath instancePath'.split(
  ' ',
);
const NAMES_OF_REASON = 'message msg reason error detail description text rule title'.split(' ');
const MAX_DEPTH = 8;
const MAX_COMPLAINTS = 200;

/**
 * The complaints in the `error` object of a VALIDATION_ERROR. Reads lists of `{ field, message }`, objects keyed by dotted or
 * bracketed paths, nested objects and lists (with null for valid entries), and plain texts. Never throws.
 */
export function readComplaints(error: JsonRecord): Complaint[] {
  const complaints: Complaint[] = [];
  for (const [name, value] of Object.entries(error)) {
    if (name === 'code' || name === 'message' || name === 'status') continue;
    // `details`, `errors` or `fields` contain the complaints. Any other name is that of a field.
    collect(value, isContainer(name) ? [] : [name], complaints, 0);
  }
  return complaints;
}

/** A path as text, such as `messages.3.phone`. */
export function pathText(path: Complaint['path']): string {
  return path.map(String).join('.');
}

/** The index, counted from 0, of the message that a complaint is about; null if it names none. */
export function messageIndex({ path }: Complaint): number | null {
  const start = path.lastIndexOf('messages');
  const index = path[start + 1];
  return typeof index === 'number' && (start >= 0 || path.length > 1) ? index : null;
}

/** In characters. Longer texts are cut, because a pattern that backtracks far can exhaust the stack. */
const MAX_PATH = 1_000;
const MAX_TEXT = 10_000;

function isContainer(name: string): boolean {
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
    // A text or a `{ field, message }` is a complaint. The index of any other entry is part of the path.
    const isComplaint =
      typeof value === 'string' ||
      (isRecord(value) &&
        (namedPath(value) !== null || (!Object.hasOwn(value, 'phone') && typeof value.message === 'string')));
    collect(value, isComplaint ? path : [...path, index], into, depth + 1);
  });
}

function collectRecord(record: JsonRecord, path: Complaint['path'], into: Complaint[], depth: number): void {
  const named = namedPath(record);
  // A record with a phone number repeats the message, so its `message` is the text that was to be sent.
  const repeats = typeof record.phone === 'string' && typeof record.message === 'string';
  const text = firstText(record, repeats ? NAMES_OF_REASON.filter((name) => name !== 'message') : NAMES_OF_REASON);
  const index = typeof record.index === 'number' ? ['messages', record.index] : [];
  if (named !== null || index.length > 0 || repeats) {
    into.push({ path: [...path, ...(named?.[0] === 'messages' ? [] : index), ...(named ?? [])], text });
    return;
  }
  for (const [name, value] of Object.entries(record)) {
    collect(value, [...path, ...splitPath(name)], into, depth + 1);
  }
}

function namedPath(record: JsonRecord): Array<string | number> | null {
  for (const name of NAMES_OF_PATH) {
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

/** The path in a sentence such as "messages[3].phone is invalid". */
function pathInText(text: string): Array<string | number> {
  const beginning = text.slice(0, MAX_TEXT);
  const mention =
    /\bmessages?(?:[.[/]\s*\d{1,6}\]?)(?:[./]?\w+)?/.exec(beginning) ?? /\b(?:phone|message)\b/.exec(beginning);
  return mention === null ? [] : splitPath(mention[0]);
}
