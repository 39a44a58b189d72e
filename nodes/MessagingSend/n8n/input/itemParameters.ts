import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../../api/records';

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
    if (!isPlain(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Whether an expression sees the value as it is; n8n replaces one that has its own `toJSON`. */
function isPlain(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return (isRecord(value) || Array.isArray(value)) && !('toJSON' in value);
}

/** A parameter as it is stored, with its expression, if it is one. */
export function rawParameterOf(
  context: Pick<IExecuteFunctions, 'getNodeParameter'>,
  name: string,
  fallback: unknown,
): unknown {
  return context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
}
