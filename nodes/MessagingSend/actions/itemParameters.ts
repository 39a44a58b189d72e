import type { IExecuteFunctions } from 'n8n-workflow';

import { plainPath, valueAt, type Path } from './plainExpression';

/** Reads a parameter of one item; throws what n8n throws for an expression that fails. */
export type ReadParameter = (name: string, otherwise?: unknown) => unknown;

interface Plain {
  readonly path: Path | null;
  /** Whether n8n was seen to come to the same value for an item. */
  confirmed: boolean;
}

/**
 * Reads the parameters of the items of a run. n8n takes some 0.1 ms to evaluate an expression, so a
 * plain one such as `{{ $json.phone }}` is read from the item itself, once n8n has shown for an item
 * that it sees the same there (it refuses names that could harm it). All else is left to n8n.
 */
export function parametersOf(context: IExecuteFunctions): (item: number) => ReadParameter {
  const items = context.getInputData();
  const known = new Map<string, Plain>();

  const plainOf = (name: string, otherwise: unknown): Plain => {
    const parameter: unknown = context.getNodeParameter(name, 0, otherwise, { rawExpressions: true });
    const plain = { path: plainPath(parameter), confirmed: false };
    known.set(name, plain);
    return plain;
  };
  return (item) => (name, otherwise) => {
    const plain = known.get(name) ?? plainOf(name, otherwise);
    const direct = plain.path === null ? undefined : valueAt(items[item]?.json, plain.path);
    if (direct !== undefined && plain.confirmed) return direct;
    const value: unknown = context.getNodeParameter(name, item, otherwise);
    if (direct !== undefined) plain.confirmed = Object.is(value, direct);
    return value;
  };
}
