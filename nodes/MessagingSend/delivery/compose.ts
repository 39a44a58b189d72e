import type { Failure } from '../api/failure';
import type { Draft, Message, Origin, Unsendable } from './message';
import { cleanPhone } from './phone';

/** What a set of drafts came to; each draft is in exactly one of the two lists. */
export interface Composed {
  readonly messages: readonly Message[];
  readonly unsendable: readonly Unsendable[];
}

/** The limit of POST /messages/send (API part 8), in Unicode code points; for bulk none is known. */
export const LONGEST_TEXT = 1000;

/**
 * Cleans and checks drafts, each on its own: a bad one never concerns another.
 * @param longestText in code points; null where the service decides
 */
export function compose(drafts: ReadonlyArray<Draft | Unsendable>, longestText: number | null): Composed {
  const messages: Message[] = [];
  const unsendable: Unsendable[] = [];
  for (const draft of drafts) {
    const result = 'failure' in draft ? draft : composeOne(draft, longestText);
    if ('failure' in result) unsendable.push(result);
    else messages.push(result);
  }
  return { messages, unsendable };
}

function composeOne(draft: Draft, longestText: number | null): Message | Unsendable {
  const { item, entry, phone: given, message } = draft;
  const phone = cleanPhone(given);
  if (phone.kind === 'wrong') {
    return unsendable(draft, 'INVALID_PHONE', at(phone.problem, draft), phone.remedy);
  }
  const text = asText(message);
  if (text === null) {
    return unsendable(
      draft,
      'INVALID_MESSAGE',
      at(`The message is ${Array.isArray(message) ? 'a list' : 'an object'}, not a text`, draft),
      'If it comes from an expression, point it at the field that holds the text.',
    );
  }
  if (text.trim() === '') {
    return unsendable(
      draft,
      'INVALID_MESSAGE',
      at('The message is empty', draft),
      'Fill in the text. If it comes from an expression, check that the item has that field.',
    );
  }
  const length = longestText !== null && text.length > longestText ? codePoints(text) : 0;
  if (longestText !== null && length > longestText) {
    return unsendable(
      draft,
      'INVALID_MESSAGE',
      at(`The message has ${length} characters; at most ${longestText} can be sent`, draft),
      'Shorten the text, or send it in parts.',
    );
  }
  return { item, entry, phone: phone.phone, text };
}

/** Adds which entry of a list is meant; which item, n8n shows itself. */
export function at(sentence: string, { entry }: Origin): string {
  return entry === null ? sentence : `${sentence} (entry ${entry} of the list)`;
}

export function unsendable(
  { item, entry, phone }: Origin & { phone: unknown },
  code: Failure['code'],
  message: string,
  description: string,
): Unsendable {
  return { item, entry, phone, failure: { code, httpStatus: null, message, description, scope: 'request' } };
}

function asText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol'
    ? null
    : String(value);
}

/** As the service counts: an emoji outside the basic plane is one, though a string has two units for it. */
function codePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
