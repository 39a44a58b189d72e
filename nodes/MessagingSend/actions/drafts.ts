import { isRecord } from '../api/records';
import { at, unsendable } from '../delivery/compose';
import type { Draft, Unsendable } from '../delivery/message';

/** Reads a parameter of one item; throws what n8n throws for an expression that fails. */
export type ReadParameter = (name: string) => unknown;

/** The message that the parameters `phone` and `message` make of one item. */
export function draftFromItem(item: number, read: ReadParameter): Draft | Unsendable {
  try {
    return { item, entry: null, part: null, phone: read('phone'), message: read('message') };
  } catch (error) {
    return brokenParameter(item, error);
  }
}

/** The messages in the parameter `messages` of one item: a list of `{ phone, message }`. */
export function draftsFromList(item: number, read: ReadParameter): Array<Draft | Unsendable> {
  let list: unknown;
  try {
    list = parseList(read('messages'));
  } catch (error) {
    return [brokenParameter(item, error)];
  }
  if (!Array.isArray(list)) {
    return [
      unsendable(
        { item, entry: null, part: null, phone: null },
        'INVALID_MESSAGES',
        'Messages is not a list',
        'Give a JSON array of objects, each with phone and message: [{ "phone": "447700900123", "message": "Hello" }]',
      ),
    ];
  }
  return list.map((value: unknown, entry) => {
    if (isRecord(value)) return { item, entry, part: null, phone: value.phone, message: value.message };
    const origin = { item, entry, part: null, phone: null };
    return unsendable(
      origin,
      'INVALID_MESSAGES',
      at('The entry is not an object', origin),
      'Each entry has the fields phone and message: { "phone": "447700900123", "message": "Hello" }',
    );
  });
}

/** A list as it comes: from an expression, as JSON text, or inside the body that a webhook got. */
function parseList(given: unknown): unknown {
  const value: unknown = typeof given === 'string' && given.trim() !== '' ? JSON.parse(given) : given;
  return isRecord(value) && Array.isArray(value.messages) ? value.messages : value;
}

function brokenParameter(item: number, error: unknown): Unsendable {
  const isJson = error instanceof SyntaxError;
  return unsendable(
    { item, entry: null, part: null, phone: null },
    'INVALID_PARAMETER',
    isJson ? 'Messages is not valid JSON' : `An expression failed: ${error instanceof Error ? error.message : 'unknown error'}`,
    isJson
      ? 'Check quotes and commas, or take the list from an expression such as {{ $json.body.messages }}.'
      : 'Check the expressions in the fields Phone and Message for this item.',
  );
}
