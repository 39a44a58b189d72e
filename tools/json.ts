/** Reads values from outside: each function returns what it promises, or throws an error that names the place. */

export type JsonObject = Record<string, unknown>;

export function asObject(value: unknown, where: string): JsonObject {
  if (!isObject(value)) throw new Error(`${where} is not an object`);
  return value;
}

export function asArray(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where} is not an array`);
  return value;
}

export function asObjects(value: unknown, where: string): JsonObject[] {
  return asArray(value, where).map((entry) => asObject(entry, `an entry of ${where}`));
}

export function asString(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new Error(`${where} is not a string`);
  return value;
}

/** Whether a value is an object, and neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
