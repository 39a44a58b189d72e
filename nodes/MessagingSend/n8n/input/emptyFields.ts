import type { IExecuteFunctions } from 'n8n-workflow';

import { textOf } from '../../delivery/compose';
import { plainPath, rawParameterOf, valueAt } from './itemParameters';

/** An expression within a text, as in `Hello {{ $json.name }}`. */
interface Part {
  readonly expression: string;
  /** The path of a field, or else the expression. */
  readonly name: string;
  /** The text right before and behind it, without white space: where the part is empty, both stand together. */
  readonly around: string;
}

const NONE: readonly string[] = [];

/** Of a longer expression, its beginning is enough to find it. */
const LONG = /^([^]{40})[^]+$/;

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
  if (pieces.length === 3 && squeezed(`${pieces[0]}${pieces[2]}`) === '') return [];
  return pieces.flatMap((source, index) => {
    if (index % 2 === 0) return [];
    const expression = `{{${source}}}`;
    const path = plainPath(`=${expression}`);
    return {
      expression,
      name: path === null ? source.trim().replace(LONG, '$1…') : path.join('.'),
      around: squeezed(`${pieces[index - 1]}${pieces[index + 1]}`),
    };
  });
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}
