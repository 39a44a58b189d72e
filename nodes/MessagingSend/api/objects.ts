/** The objects of the API (part 2) that this node reads. In a real answer, any field may be missing. */

/** A JSON object of the service, not yet checked. */
export type JsonObject = Record<string, unknown>;

/** The node reads nothing deeper than this in an answer. */
export const MAX_DEPTH = 100;

/** A JSON value that fits into an n8n item as it is. */
export type JsonScalar = string | number | boolean | null;

/** Balance record (2.1). */
export const BALANCE_FIELDS = ['credits', 'user_id', 'user_name'] as const;

/** Single send result (2.2). */
export const SEND_FIELDS = ['message_id', 'status', 'credits_used', 'credits_remaining', 'sent_at'] as const;

/** A text, or the digits of a number; empty for anything else. */
export function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The named fields of an object, in that order; null for a missing one, so that items always have the same shape. */
export function pick<Field extends string>(object: JsonObject, fields: readonly Field[]): Record<Field, JsonScalar> {
  return Object.fromEntries(fields.map((field) => [field, scalar(object, field)])) as Record<Field, JsonScalar>;
}

/** A field of an object; null if it is missing, a list or an object. */
export function scalar(object: JsonObject, field: string): JsonScalar {
  const value = Object.hasOwn(object, field) ? object[field] : null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
