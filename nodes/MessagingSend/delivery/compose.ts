import type { Failure } from '../failures/failure';
import type { Draft, Message, Origin, Unsendable } from '../messages/message';
import type { Interruptible } from '../n8n/slices';
import { codePoints, split, truncate } from './longText';
import type { DeliveryOptions } from './options';
import { cleanPhone } from './phone';

/** What a set of drafts came to; each draft is in exactly one of the two lists. */
export interface Composed {
  readonly messages: readonly Message[];
  readonly unsendable: readonly Unsendable[];
}

/** The limit of POST /messages/send (API part 8), in Unicode code points; for bulk none is known. */
export const LONGEST_TEXT = 1000;

/** A character that can be seen. */
const VISIBLE = /[^\s\u200b-\u200f\u2060\ufeff]/;

/** The rules that drafts are composed by. */
export interface Rules extends Pick<DeliveryOptions, 'longMessages'> {
  /** In code points; null where the service decides. */
  readonly longestText: number | null;
}

/** Cleans and checks drafts, each on its own: a bad one never concerns another. */
export function* compose(drafts: Iterable<Draft | Unsendable>, rules: Rules): Interruptible<Composed> {
  const messages: Message[] = [];
  const unsendable: Unsendable[] = [];
  for (const draft of drafts) {
    const result = 'failure' in draft ? draft : composeOne(draft, rules);
    if ('failure' in result) unsendable.push(result);
    else messages.push(...result);
    yield;
  }
  return { messages, unsendable };
}

/** One message, or the parts of a long one in their order. */
function composeOne(draft: Draft, rules: Rules): Message[] | Unsendable {
  const { item, entry, part, phone: given, message } = draft;
  const phone = cleanPhone(given, draft.countryCode);
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
  if (!VISIBLE.test(text) || Number.isNaN(message)) {
    return unsendable(
      draft,
      'INVALID_MESSAGE',
      at('The message is empty', draft),
      'Fill in the text. If it comes from an expression, check that the item has that field.',
    );
  }
  // For bulk no limit is known (API part 8), so there only who asks for it gets texts cut, to the one that is.
  const longest = rules.longestText ?? (rules.longMessages === 'fail' ? null : LONGEST_TEXT);
  // A string has at least as many units as code points, so most texts need not be counted.
  if (longest === null || text.length <= longest || codePoints(text) <= longest) {
    return [{ item, entry, part, phone: phone.phone, text }];
  }
  switch (rules.longMessages) {
    case 'truncate':
      return [{ item, entry, part, phone: phone.phone, text: truncate(text, longest) }];
    case 'split':
      return split(text, longest).map((piece, index) => ({
        item,
        entry,
        part: index,
        phone: phone.phone,
        text: piece,
      }));
    case 'fail':
      return unsendable(
        draft,
        'INVALID_MESSAGE',
        at(`The message has ${codePoints(text)} characters; at most ${longest} can be sent`, draft),
        'Shorten the text, or set the option Long Messages.',
      );
  }
}

/** Adds which entry of a list is meant; which item, n8n shows itself. */
export function at(sentence: string, { entry }: Origin): string {
  return entry === null ? sentence : `${sentence} (entry ${entry} of the list)`;
}

export function unsendable(
  { item, entry, part, phone }: Origin & { phone: unknown },
  code: Failure['code'],
  message: string,
  description: string,
): Unsendable {
  return { item, entry, part, phone, failure: { code, httpStatus: null, message, description, scope: 'request' } };
}

function asText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' || typeof value === 'function' || typeof value === 'symbol' ? null : String(value);
}
