import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../../api/records';
import { textOf } from '../../delivery/compose';

/** Reads a parameter of an item. @throws what n8n throws for an expression that fails */
export type ReadParameter = (name: string, item: number, fallback?: unknown) => unknown;

/** How a parameter can be read without n8n's help. */
type Shortcut =
  /** It is the same for all items. */
  | { readonly kind: 'fixed'; readonly value: unknown }
  /** It only names a field; `confirmed` once n8n has given the same value for an item. */
  | { readonly kind: 'field'; readonly path: Path; confirmed: boolean }
  | { readonly kind: 'none' };

/**
 * Reads the parameters of the items of a run. n8n takes some 0.1 ms to evaluate an expression, so a plain one such as
 * `{{ $json.phone }}` is read from the item itself, once n8n has given the same value for one item (it rejects names that
 * could harm it). Everything else is left to n8n.
 */
export function parametersOf(context: IExecuteFunctions): ReadParameter {
  const items = context.getInputData();
  const shortcuts = new Map<string, Shortcut>();

  const shortcutFor = (name: string, fallback: unknown): Shortcut => {
    const parameter = rawParameterOf(context, name, fallback);
    const path = plainPath(parameter);
    if (path !== null) return { kind: 'field', path, confirmed: false };
    const mayDiffer =
      parameter === undefined ||
      typeof parameter === 'object' ||
      (typeof parameter === 'string' && parameter.startsWith('='));
    if (mayDiffer) return { kind: 'none' };
    // An option that is added and left empty counts as not set; an expression that gives nothing does not.
    const isLeftEmpty = parameter === '' && fallback !== undefined;
    return { kind: 'fixed', value: isLeftEmpty ? fallback : context.getNodeParameter(name, 0, fallback) };
  };
  return (name, item, fallback) => {
    let shortcut = shortcuts.get(name);
    if (shortcut === undefined) shortcuts.set(name, (shortcut = shortcutFor(name, fallback)));
    if (shortcut.kind === 'fixed') return shortcut.value;

    const direct = shortcut.kind === 'field' ? valueAt(items[item]?.json, shortcut.path) : undefined;
    if (shortcut.kind === 'none' || direct === undefined) return context.getNodeParameter(name, item, fallback);
    if (shortcut.confirmed) return direct;
    const value: unknown = context.getNodeParameter(name, item, fallback);
    shortcut.confirmed = Object.is(value, direct);
    return value;
  };
}

/** Names and places on the way from an item's `json` to a value. */
type Path = ReadonlyArray<string | number>;

/** The whole of an expression, with nothing around it; n8n turns anything else into text. */
const WHOLE = /^=\{\{\s*\$json((?:\.[A-Za-z_]\w*|\[\d{1,15}\]|\["[^"\\\r\n]*"\]|\['[^'\\\r\n]*'\])+)\s*\}\}$/;

const STEP = /\.(?<name>[A-Za-z_]\w*)|\[(?<index>\d+)\]|\["(?<double>[^"]*)"\]|\['(?<single>[^']*)'\]/g;

/**
 * Reads an expression that only names a field: `={{ $json.body["phone number"] }}` → `['body', 'phone number']`.
 * @returns null for every other parameter, which n8n must evaluate
 */
export function plainPath(parameter: unknown): Path | null {
  const steps = typeof parameter === 'string' ? WHOLE.exec(parameter)?.[1] : undefined;
  if (steps === undefined) return null;
  return Array.from(steps.matchAll(STEP), ({ groups = {} }) => {
    const { name, index, double, single } = groups;
    return index === undefined ? (name ?? double ?? single ?? '') : Number(index);
  });
}

/**
 * The text, number or boolean at the end of a path.
 * @returns undefined for everything else (nothing there, null, an object, a date, …), which is left to n8n
 */
export function valueAt(json: unknown, path: Path): string | number | boolean | undefined {
  let value = json;
  for (const step of path) {
    // n8n replaces a value that has its own `toJSON`.
    const isPlain = (isRecord(value) || Array.isArray(value)) && !('toJSON' in value) && Object.hasOwn(value, step);
    if (!isPlain) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** A parameter as it is stored, with its expression, if it is one. */
export function rawParameterOf(
  context: Pick<IExecuteFunctions, 'getNodeParameter'>,
  name: string,
  fallback: unknown,
): unknown {
  return context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
}

/**
 * The fields of the first item that an expression reads, as in " 'List' has the fields 'Name', 'Phone'."; empty where that
 * is not known. Of a list without a header, a number can be the name of a field, and a byte order mark part of one.
 */
export function fieldsBehind(context: IExecuteFunctions, name: string): string {
  const source = /\$\((["'`])(.*?)\1\)|\$input\b/.exec(String(rawParameterOf(context, name, '')));
  const item: unknown = source && context.evaluateExpression(`{{ ${source[0]}.first().json }}`, 0);
  const names = Object.keys(isRecord(item) ? item : {}).filter((field) => !/(?:\d\D?){5}/.test(field));
  const seen = (field: string) => field.replace(/\p{C}/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
  const from = source?.[2] === undefined ? 'The input' : `'${source[2]}'`;
  return names.length === 0 ? '' : ` ${from} has the fields ${names.map((field) => `'${seen(field)}'`).join(', ')}.`;
}

/** An expression within a text, as in `Hello {{ $json.name }}`. */
interface Part {
  readonly expression: string;
  /** The path of a field, or else the expression. */
  readonly name: string;
  /** The text right before and behind it, without white space: where the part is empty, both stand together. */
  readonly around: string;
}

const NONE: readonly string[] = [];

/**
 * Finds the parts of a text that are empty because their expression gives nothing for an item, as in "Hello ,".
 * n8n evaluates a text as a whole, so a part is evaluated again, alone, where it may be empty: a text is searched in a
 * microsecond, n8n takes some 0.1 ms.
 * @param name of the parameter
 * @returns for an item and its text the names of the empty parts
 */
export function emptyFieldsIn(
  context: Pick<IExecuteFunctions, 'getInputData' | 'getNode' | 'getNodeParameter' | 'evaluateExpression'>,
  name: string,
): (item: number, text: unknown) => readonly string[] {
  const items = context.getInputData();
  let parts: readonly Part[] | undefined;
  const isEmpty = ({ expression }: Part, item: number): boolean => {
    const path = plainPath(`=${expression}`);
    try {
      const value =
        (path && valueAt(items[item]?.json, path)) ?? (context.evaluateExpression(expression, item) as unknown);
      return textOf(value)?.trim() === '';
    } catch {
      return false;
    }
  };
  return (item, text) => {
    parts ??= partsOf(rawParameterOf(context, name, ''));
    if (parts.length === 0 || typeof text !== 'string') return NONE;
    const all = squeezed(text);
    const empty = parts.filter((part) => all.includes(part.around) && isEmpty(part, item));
    return empty.length === 0 ? NONE : [...new Set(empty.map((part) => part.name))];
  };
}

/** The expressions in a parameter that contains more than one of them alone. */
function partsOf(parameter: unknown): readonly Part[] {
  if (typeof parameter !== 'string' || !parameter.startsWith('=')) return [];
  // Texts at even places, and what is between braces at odd ones.
  const pieces = parameter.slice(1).split(/\{\{([^]*?)\}\}/);
  if (pieces.length === 3 && `${pieces[0]}${pieces[2]}`.trim() === '') return [];
  return pieces.flatMap((source, index) => {
    if (index % 2 === 0) return [];
    const expression = `{{${source}}}`;
    const path = plainPath(`=${expression}`);
    return {
      expression,
      name: path === null ? source.trim() : path.join('.'),
      around: squeezed(`${pieces[index - 1]}${pieces[index + 1]}`),
    };
  });
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}
