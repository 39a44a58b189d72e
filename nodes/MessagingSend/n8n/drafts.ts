import { isRecord } from '../api/records';
import { at, unsendable } from '../delivery/compose';
import type { Draft, Origin, Unsendable } from '../messages/message';
import { OptionError, readCountryCode } from './deliveryOptions';
import type { ReadParameter } from './itemParameters';

/** Reads the parameters of the items of a run, one after the other, so that they need not all be kept. */
export function* draftsOf(
  count: number,
  draftsOfItem: (item: number) => Iterable<Draft | Unsendable>,
): Generator<Draft | Unsendable> {
  for (let item = 0; item < count; item += 1) yield* draftsOfItem(item);
}

/** The message that the parameters `phone` and `message` make of one item. */
export function draftFromItem(item: number, read: ReadParameter): [Draft | Unsendable] {
  try {
    const countryCode = readCountryCode(read('options.defaultCountryCode', ''));
    return [{ item, entry: null, part: null, phone: read('phone'), message: read('message'), countryCode }];
  } catch (error) {
    return [brokenParameter(item, error)];
  }
}

/** The messages in the parameter `messages` of one item: a list of `{ phone, message }`. */
export function* draftsFromList(item: number, read: ReadParameter): Generator<Draft | Unsendable> {
  const origin = { item, entry: null, part: null, phone: null };
  let given: unknown;
  let countryCode: string | null;
  try {
    given = read('messages');
    countryCode = readCountryCode(read('options.defaultCountryCode', ''));
  } catch (error) {
    yield brokenParameter(item, error);
    return;
  }
  const list = parseList(given);
  if (list === NOT_JSON) {
    const remedy = 'Check quotes and commas, or take the list from an expression such as {{ $json.body.messages }}.';
    yield unsendable(origin, 'INVALID_MESSAGES', 'Messages is not valid JSON', remedy);
  } else if (!Array.isArray(list)) {
    const remedy =
      'Give a JSON array of objects, each with phone and message: [{ "phone": "447700900123", "message": "Hello" }]';
    yield unsendable(origin, 'INVALID_MESSAGES', 'Messages is not a list', remedy);
  } else {
    for (const [entry, value] of list.entries()) yield draftFromEntry({ ...origin, entry }, value, countryCode);
  }
}

function draftFromEntry(
  place: Origin & { phone: null },
  value: unknown,
  countryCode: string | null,
): Draft | Unsendable {
  if (isRecord(value)) return { ...place, phone: value.phone, message: value.message, countryCode };
  const remedy = 'Each entry has the fields phone and message: { "phone": "447700900123", "message": "Hello" }';
  return unsendable(place, 'INVALID_MESSAGES', at('The entry is not an object', place), remedy);
}

const NOT_JSON = Symbol('not JSON');

/** A list as it comes: from an expression, as JSON text, or inside the body that a webhook got. */
function parseList(given: unknown): unknown {
  let value = given;
  if (typeof given === 'string' && given.trim() !== '') {
    try {
      value = JSON.parse(given);
    } catch {
      return NOT_JSON;
    }
  }
  return isRecord(value) && Array.isArray(value.messages) ? value.messages : value;
}

function brokenParameter(item: number, error: unknown): Unsendable {
  return unsendable(
    { item, entry: null, part: null, phone: null },
    'INVALID_PARAMETER',
    error instanceof OptionError
      ? error.message
      : `An expression failed: ${error instanceof Error ? error.message : 'unknown error'}`,
    'Check the expressions in the fields of this node for this item.',
  );
}
