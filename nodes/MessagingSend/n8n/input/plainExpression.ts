import { isRecord } from '../../api/records';

/** Names and places on the way from an item's `json` to a value. */
export type Path = ReadonlyArray<string | number>;

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
