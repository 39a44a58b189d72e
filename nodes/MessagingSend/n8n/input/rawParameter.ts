import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../../api/records';

type Context = Pick<IExecuteFunctions, 'getNode' | 'getNodeParameter'>;

/**
 * A parameter as it is stored, with its expression, if it is one.
 * @returns undefined where that is not certain: only n8n can say then what its value is for an item
 */
export function rawParameterOf(context: Context, name: string, fallback: unknown): unknown {
  const raw: unknown = context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
  let stored: unknown = context.getNode().parameters;
  for (const step of name.split('.')) stored = isRecord(stored) ? stored[step] : undefined;
  // An n8n that evaluates it all the same would give the value of the first item for all.
  return typeof stored === 'string' && stored !== raw ? undefined : raw;
}
