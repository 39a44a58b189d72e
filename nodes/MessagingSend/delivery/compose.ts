import { MAX_BATCH_SIZE, MAX_CHARACTERS } from '../api/endpoints';
import { withoutDirections } from '../api/serviceText';
import { type Failure, failure, isFailure } from '../failures/failure';
import { type Draft, type Drafts, type Message, type Unsendable, unsendable } from '../messages/message';
import { type ReadNumber, readPhone } from '../phone/phone';
import { codePoints, split, truncate } from './longText';
import type { DeliveryOptions } from './options';

/** Each draft is in exactly one of the two lists. */
export interface Composed {
  readonly messages: readonly Message[];
  readonly unsendable: readonly Unsendable[];
}

/**
 * Halves of characters, as of an emoji that was cut in two, and null characters. No reader sees them, and a service
 * that can't read or store them (PHP, PostgreSQL) would reject the whole batch, or crash on it.
 */
const NO_CHARACTER = /[\0\p{Surrogate}]/gu;

/** A character that a reader sees: no space, control character, or character that fonts leave out. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What JavaScript writes in place of a missing value, as a word of its own. */
const MISSING =
  /[Uu]ndefined|UNDEFINED|(?<!\p{L})(?:null|NULL|NaN|Invalid (?:Date(?:Time)?|Duration|Interval))(?!\p{L})|\[object Object\]/gu;

/** A field of an item, as in `$json.name`. */
const FIELD_OF_ITEM = /\$json[.[]/;

export interface Rules extends Pick<DeliveryOptions, 'longMessages' | 'numberCheck' | 'emptyFields'> {
  /** In code points; null if the service decides. */
  readonly maxCharacters: number | null;
}

/**
 * Composes the drafts of all items, each on its own: a bad one never harms another.
 * @param pause called after each item, because its expressions can take n8n some tenths of a millisecond
 */
export async function composeAll(drafts: Drafts, rules: Rules, pause: () => Promise<void>): Promise<Composed> {
  const messages: Message[] = [];
  const unsendables: Unsendable[] = [];
  for (let item = 0; item < drafts.items; item += 1) {
    const given = drafts.of(item);
    for (const draft of 'kind' in given ? [given] : given) {
      const composed = draft.kind === 'draft' ? compose(draft, rules) : draft;
      if ('kind' in composed) unsendables.push(composed);
      else if (isFailure(composed)) unsendables.push(unsendable(draft, composed));
      else messages.push(composed);
    }
    await pause();
  }
  return { messages, unsendable: unsendables };
}

export function compose(draft: Draft, rules: Rules): Message | Failure {
  const { message, countryCode } = draft;
  const read = readPhone(draft.phone, { countryCode, numberCheck: rules.numberCheck });
  if (isFailure(read)) return read;
  const given = textOf(message);
  if (given === null) return failure('textNotText', { kind: Array.isArray(message) ? 'a list' : 'an object' });
  // Only questions have a link. A person decides by what is shown, so nothing may reorder it.
  const readable = draft.link === undefined ? given : withoutDirections(given);
  const own = readable.replace(NO_CHARACTER, '');
  if (isUnevaluated(own)) return failure('textNotEvaluated');
  const isKeptBack = draft.empty !== undefined && rules.emptyFields === 'doNotSend';
  if (own.includes('[object Object]') && !isKeptBack) return failure('textOfObject');
  if (!VISIBLE.test(own.replace(MISSING, '')) || Number.isNaN(message)) return failure('textEmpty');
  if (draft.key !== null && isUnevaluated(draft.key)) return failure('keyNotEvaluated');
  const after = draft.link === undefined ? '' : `\n${draft.link}`;
  const text = own.replaceAll('\\{{', '{{') + after;
  // The API has no limit for bulk texts (part 8), so they are cut to Send's limit only if the user chose to.
  const max = rules.maxCharacters ?? (rules.longMessages === 'fail' ? null : MAX_CHARACTERS);
  const whole = messageOf(draft, read, text);
  // A string never has fewer units than code points, so only long texts need to be counted.
  if (max === null || text.length <= max || codePoints(text) <= max) return whole;
  switch (rules.longMessages) {
    case 'truncate': {
      const start = truncate(text, max);
      return VISIBLE.test(start)
        ? { ...whole, parts: [start] }
        : failure('textTooLong', { characters: codePoints(text), max });
    }
    case 'split': {
      const parts = split(text, max).filter((part) => VISIBLE.test(part));
      return parts.length > MAX_BATCH_SIZE
        ? failure('textTooLong', { characters: codePoints(text), max: max * MAX_BATCH_SIZE })
        : { ...whole, parts };
    }
    case 'fail':
      return failure('textTooLong', { characters: codePoints(text) - codePoints(after), max: max - codePoints(after) });
  }
}

/** Whether the text contains an unevaluated expression (without a backslash): every recipient would get it. */
function isUnevaluated(text: string): boolean {
  const start = text.search(/(?<!\\)\{\{/);
  return (start !== -1 && text.includes('}}', start)) || FIELD_OF_ITEM.test(text);
}

function messageOf(draft: Draft, { phone, readAs }: ReadNumber, text: string): Message {
  const { item, entry, key, empty } = draft;
  const phoneGiven = textOf(draft.phone) ?? '';
  return {
    item,
    entry,
    phone,
    text,
    ...(readAs !== null && { readAs }),
    ...(phoneGiven !== phone && { phoneGiven }),
    ...(key !== null && { key }),
    ...(empty && { empty }),
  };
}

/** How many words in a text stand for a missing value. */
export function missingWordsIn(text: string): number {
  return text.match(MISSING)?.length ?? 0;
}

/** Texts, numbers and booleans as text; null for anything else. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return '';
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return null;
  }
}
