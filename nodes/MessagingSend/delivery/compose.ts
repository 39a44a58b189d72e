import { MAX_BATCH_SIZE, MAX_CHARACTERS } from '../api/endpoints';
import { withoutDirections } from '../api/serviceText';
import { type Failure, failure, isFailure } from '../failures/failure';
import { BLANK, EMPTY } from '../messages/emptyWords';
import { type Draft, type Drafts, markSeveral, type Row } from '../messages/row';
import { type ReadNumber, readPhone } from '../phone/phone';
import { codePoints, split, truncate } from './longText';
import type { DeliveryOptions } from './select';

/**
 * Halves of characters, as of an emoji that was cut in two, and null characters. No reader sees them, and a service
 * that can't read or store them (PHP, PostgreSQL) would reject the whole batch, or crash on it.
 */
const UNSENDABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const MAY_NOT_BE_NFC = /[^\0-\u02ff]/;

export type Rules = Pick<DeliveryOptions, 'longMessages' | 'numberCheck' | 'emptyFields'>;

/** In items: their expressions can take n8n some tenths of a millisecond each. */
const PAUSE_EVERY = 8;

export interface Composed {
  readonly rows: readonly Row[];
  /** Those that the messages use; null is none. */
  readonly countryCodes: ReadonlySet<string | null>;
}

/** Makes a row of each draft, in the order of the input. A bad draft never harms another. */
export async function composeAll(drafts: Drafts, rules: Rules, pause: () => Promise<void>): Promise<Composed> {
  const rows: Row[] = [];
  const people = new Set<string>();
  const countryCodes = new Set<string | null>();
  let count = 0;
  for (let item = 0; item < drafts.items; item += 1) {
    const given = drafts.of(item);
    for (const draft of 'item' in given ? [given] : given) {
      const row = compose(draft, rules);
      rows.push(row);
      if (draft.failure === undefined) countryCodes.add(draft.countryCode);
      if (row.defect !== null) continue;
      people.add(row.person);
      count += 1;
    }
    if (item % PAUSE_EVERY === 0) await pause();
  }
  // The usual case: each person gets one message.
  if (people.size < count) markSeveral(rows);
  return { rows, countryCodes };
}

const NO_NUMBER: ReadNumber = { phone: '', person: '', readAs: null };
const NO_TEXT: Content = { text: '', parts: null };

/** A row with the number and the text to send, or with the reason why it can't be sent. */
export function compose(draft: Draft, rules: Rules): Row {
  const { item, entry, phone: phoneGiven, countryCode, key, empty = NONE } = draft;
  const number = draft.failure ?? readPhone(phoneGiven, { countryCode, numberCheck: rules.numberCheck });
  const content = isFailure(number) ? number : contentOf(draft, rules);
  const { phone, person, readAs } = isFailure(number) ? NO_NUMBER : number;
  const { text, parts } = isFailure(content) ? NO_TEXT : content;
  return {
    item,
    entry,
    phoneGiven,
    phone,
    person,
    readAs,
    text,
    parts,
    key,
    empty,
    defect: isFailure(content) ? content : null,
    testFor: null,
    isOneOfSeveral: false,
    repetition: 0,
    duplicateOf: null,
    page: -1,
    batch: null,
    data: null,
    isUnanswered: false,
    isRecalled: false,
    outcome: null,
  };
}

const NONE: readonly string[] = [];

type Content = Pick<Row, 'text' | 'parts'>;

function contentOf({ message, key, link, empty }: Draft, { longMessages, emptyFields }: Rules): Content | Failure {
  const given = textOf(message);
  if (given === null) return failure('textNotText', { kind: Array.isArray(message) ? 'a list' : 'an object' });
  // Only questions have a link. A person decides by what is shown, so nothing may reorder it.
  const readable = link === undefined ? given : withoutDirections(given);
  const own = readable.replace(UNSENDABLE, '');
  if (isUnevaluated(own)) return failure('textNotEvaluated');
  const isKeptBack = empty !== undefined && emptyFields === 'doNotSend';
  if (own.includes('[object Object]') && !isKeptBack) return failure('textOfObject');
  if (EMPTY.test(own)) return failure('textEmpty');
  if (key !== null && isUnevaluated(key)) return failure('keyNotEvaluated');
  const after = link === undefined ? '' : `\n${link}`;
  const whole = `${own.includes('{{') ? own.replaceAll('\\{{', '{{') : own}${after}`;
  // A text in Latin script without combining marks, as nearly all are, is in NFC.
  const text = MAY_NOT_BE_NFC.test(whole) ? whole.normalize('NFC') : whole;
  // A string never has fewer units than code points, so only long texts need to be counted.
  const characters = text.length > MAX_CHARACTERS ? codePoints(text) : 0;
  return characters > MAX_CHARACTERS ? shortened(text, characters, after, longMessages) : { text, parts: null };
}

/** @param after the end of the text that is not the user's */
function shortened(
  text: string,
  characters: number,
  after: string,
  longMessages: Rules['longMessages'],
): Content | Failure {
  if (longMessages === 'split') {
    const parts = split(text, MAX_CHARACTERS).filter((part) => !BLANK.test(part));
    if (parts.length <= MAX_BATCH_SIZE) return { text, parts };
    return failure('textOfManyParts', { characters });
  }
  const start = truncate(text, MAX_CHARACTERS);
  if (longMessages === 'truncate' && !BLANK.test(start)) return { text, parts: [start] };
  const extra = codePoints(after);
  return failure('textTooLong', { characters: characters - extra, max: MAX_CHARACTERS - extra });
}

const BRACES = /(?<!\\)\{\{/;

/** Whether the text contains an unevaluated expression (`{{ }}` without a backslash, `$json.name`): every recipient would get it. */
function isUnevaluated(text: string): boolean {
  if (text.includes('$json.') || text.includes('$json[')) return true;
  const start = text.includes('{{') ? text.search(BRACES) : -1;
  return start !== -1 && text.includes('}}', start);
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
