/** What an output schema promises, and how items differ from it. */
import type { IDataObject } from 'n8n-workflow';

/** As much of JSON Schema as n8n reads, and the output schemas use. */
export interface OutputSchema {
  readonly type: string | string[];
  readonly properties?: Readonly<Record<string, OutputSchema>>;
  readonly required?: string[];
}

export interface Comparison {
  /** What is in no schema, as `field` or `object.field`. */
  readonly unknown: string[];
  /** What the schema always promises and an item does not have. */
  readonly missing: string[];
  /** What has another type than the schema promises, as `field: type`. */
  readonly wrong: string[];
  /** What the schema promises and an item has, as `field: type`. */
  readonly seen: string[];
}

/** Compares items with a schema; each difference is named once. */
export function compare(schema: OutputSchema, items: IDataObject[]): Comparison {
  const all = items.map((item) => compareValue(schema, item, ''));
  const every = (difference: keyof Comparison) => [...new Set(all.flatMap((one) => one[difference]))];
  return { unknown: every('unknown'), missing: every('missing'), wrong: every('wrong'), seen: every('seen') };
}

/** Everything that a schema promises, as `field: type`. */
export function promisesOf({ type, properties = {} }: OutputSchema, path = ''): string[] {
  const own = path === '' ? [] : [type].flat().map((name) => `${path}: ${name}`);
  return [...own, ...Object.entries(properties).flatMap(([name, inner]) => promisesOf(inner, within(path, name)))];
}

function compareValue(schema: OutputSchema, value: unknown, path: string): Comparison {
  const { type, properties = {}, required = [] } = schema;
  const found = typeOf(value);
  if (![type].flat().includes(found)) return { unknown: [], missing: [], wrong: [`${path}: ${found}`], seen: [] };
  const fields = found === 'object' ? (value as IDataObject) : {};
  const inner = Object.entries(fields).map(([name, field]): Comparison => {
    const place = within(path, name);
    const promised = properties[name];
    if (promised === undefined) return { unknown: [place], missing: [], wrong: [], seen: [] };
    return compareValue(promised, field, place);
  });
  const missing = required.filter((name) => !(name in fields)).map((name) => within(path, name));
  return {
    unknown: inner.flatMap(({ unknown }) => unknown),
    missing: [...missing, ...inner.flatMap((one) => one.missing)],
    wrong: inner.flatMap(({ wrong }) => wrong),
    seen: [...(path === '' ? [] : [`${path}: ${found}`]), ...inner.flatMap(({ seen }) => seen)],
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function within(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
