import { asText, isObject, type JsonObject } from './objects';

export interface Complaint {
  /** The index of the message that it is about, counted from 0; null if the error names none. */
  readonly index: number | null;
  /** Empty if it only names the message. */
  readonly text: string;
}

/**
 * `messages[3].phone`, `messages.3.phone`, `/messages/3/phone`, `$['messages'][3]['phone']`, with or without the field.
 */
const NAME = /\bmessages['"]?\]?[.[/]['"]?(\d{1,6})\b/g;
/** Keys that tell the user nothing about their text. */
const PLAIN = /^(\d*|message|errors?|details?)$/;
const [MAX_COMPLAINTS, MAX_DEPTH, MAX_KEY, MAX_TEXT] = [1_000, 8, 200, 10_000];

/**
 * Reads every text of an error. The API leaves the structure of error details open (part 7), so `messages[N]` may be in
 * the text itself, in the keys that lead to it, or in a path beside it in the same object.
 */
export function readComplaints(error: JsonObject): Complaint[] {
  const found: Complaint[] = [];
  search({ ...error, code: undefined, status: undefined }, '', [null], found, 0);
  return found;
}

function search(value: unknown, path: string, about: Array<number | null>, found: Complaint[], depth: number): void {
  if (found.length >= MAX_COMPLAINTS || depth > MAX_DEPTH) return;
  const text = plainText(value);
  if (text !== '' || value === true) {
    const key = path.replace(/^.*\./s, '');
    const label = PLAIN.test(key) || indicesIn(key).length > 0 ? '' : `${key}: `;
    const says = isPath(text) ? '' : label + text;
    const indices = [indicesIn(text), indicesIn(path)].find(({ length }) => length > 0) ?? about;
    found.push(...indices.slice(0, MAX_COMPLAINTS).map((index) => ({ index, text: says })));
  } else if (Array.isArray(value)) {
    // Texts are complaints about the list; for anything else, the index may be that of its message.
    value.forEach((each, index) =>
      search(each, plainText(each) === '' ? `${path}.${index}` : path, about, found, depth + 1),
    );
  } else if (isObject(value)) {
    const indices = Object.values(value).map(plainText).filter(isPath).flatMap(indicesIn);
    for (const [key, each] of Object.entries(value))
      search(each, `${path}.${key.slice(0, MAX_KEY)}`, indices.length > 0 ? indices : about, found, depth + 1);
  }
}

function indicesIn(text: string): number[] {
  return Array.from(text.slice(0, MAX_TEXT).matchAll(NAME), ([, index]) => Number(index));
}

function isPath(text: string): boolean {
  return !/\s/.test(text) && indicesIn(text).length > 0;
}

/** A text, a number, or a list of path parts such as `['messages', 3, 'phone']`; empty for anything else. */
function plainText(value: unknown): string {
  const isSplit = Array.isArray(value) && value.includes('messages') && value.every((part) => asText(part) !== '');
  return isSplit ? value.join('.') : asText(value);
}
