import type { IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { asText, isObject, type JsonObject } from '../../api/objects';
import { failure, FailureError, withEscapes } from '../../failures/failure';
import { EMPTY, emptyWordsIn, INVISIBLE, ORDINARY } from '../../messages/emptyWords';
import { reasonOf } from '../output/sentences';

/** Distinguishes an option that isn't added from one whose expression gives nothing. No user enters this value. */
export const NOT_ADDED = '\0';

/** Gives a parameter as it is stored, with its expressions; n8n takes a tenth of the time for that. */
export const AS_STORED = { rawExpressions: true } as const;

/** Where parameters come from: a run in a workflow, or one item through the routing. */
export interface ParameterSource {
  /** The items whose fields are read directly; empty if n8n must evaluate every expression. */
  readonly items: readonly INodeExecutionData[];
  /**
   * The value of a parameter for an item.
   * @param options `rawExpressions` gives the parameter as it is stored
   * @throws what n8n throws for an expression that fails
   */
  readonly valueOf: (name: string, item: number, fallback: unknown, options?: typeof AS_STORED) => unknown;
  readonly evaluate: (expression: string, item: number) => unknown;
}

export function sourceOfRun(context: IExecuteFunctions): ParameterSource {
  return {
    items: context.getInputData(),
    valueOf: (name, item, fallback, options) => context.getNodeParameter(name, item, fallback, options),
    evaluate: (expression, item) => context.evaluateExpression(expression, item),
  };
}

/** For a context that is about one item: a call through the routing, or a poll. */
export function sourceOfItem(
  context: Pick<IPollFunctions, 'getNodeParameter'> & Partial<Pick<IExecuteSingleFunctions, 'evaluateExpression'>>,
): ParameterSource {
  return {
    items: [],
    valueOf: (name, _item, fallback, options) => context.getNodeParameter(name, fallback, options),
    evaluate: (expression, item) => context.evaluateExpression?.(expression, item),
  };
}

/** What is known about a parameter, the same for all items. */
interface Parameter {
  readonly stored: unknown;
  /** Where to find the field, if the expression only names one. */
  readonly path: Path | null;
  /** Whether n8n has given the same value for one item as the path. */
  isConfirmed: boolean;
  /** The value of a parameter without an expression. */
  fixed?: { readonly value: unknown };
  emptyIn?: EmptyFields;
}

/**
 * Reads the parameters of items. n8n takes some 0.1 ms to evaluate an expression, so a plain one such as
 * `{{ $json.phone }}` is read from the item itself, once n8n has given the same value for one item (it rejects names that
 * could harm it). Everything else is left to n8n.
 */
export class ItemParameters {
  private readonly known = new Map<string, Parameter>();

  constructor(private readonly source: ParameterSource) {}

  /**
   * @param accepts a list that n8n need not confirm: copying a long one, n8n runs into its own time limit
   * @throws FailureError for an expression that fails; it names the parameter as the panel shows it
   */
  read(name: string, item: number, fallback?: unknown, accepts?: (value: unknown) => boolean): unknown {
    try {
      const parameter = this.parameter(name, fallback);
      if (parameter.fixed !== undefined) return parameter.fixed.value;
      const { path } = parameter;
      const direct = path === null ? undefined : valueAt(this.source.items[item]?.json, path, accepts);
      if ((parameter.isConfirmed && direct !== undefined) || typeof direct === 'object') return direct;
      const value = this.source.valueOf(name, item, fallback);
      parameter.isConfirmed ||= direct !== undefined && Object.is(value, direct);
      return value;
    } catch (error) {
      throw expressionError(error, name);
    }
  }

  /** The names of the fields that a parameter with expressions lacks for an item: see {@link emptyFieldsIn}. */
  emptyIn(name: string, item: number, text: unknown): readonly string[] {
    const parameter = this.parameter(name);
    const isKey = name === MESSAGE_KEY;
    // The text may be a field alone, which is left to whoever filled it in.
    if (parameter.fixed !== undefined || (parameter.path !== null && !isKey)) return [];
    parameter.emptyIn ??= emptyFieldsIn(this.source, asText(parameter.stored), isKey);
    return parameter.emptyIn(item, text);
  }

  /** The first item for which an option has another value than for item 0; null if all have the same. */
  async differingItem(name: string, pause: () => Promise<void>, signal?: AbortSignal): Promise<number | null> {
    const { stored } = this.parameter(name, NOT_ADDED);
    if (!OF_ITEM.test(typeof stored === 'string' ? stored : JSON.stringify(stored))) return null;
    const valueFor = (item: number) => {
      try {
        // Each of nothing, null and an empty text counts as not added.
        return JSON.stringify(this.read(name, item, NOT_ADDED) ?? '');
      } catch {
        return null;
      }
    };
    const first = valueFor(0);
    for (let item = 1; item < this.source.items.length && signal?.aborted !== true; item += 1) {
      if (valueFor(item) !== first) return item;
      await pause();
    }
    return null;
  }

  private parameter(name: string, fallback?: unknown): Parameter {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const stored = this.source.valueOf(name, 0, fallback, AS_STORED);
    const parameter: Parameter = { stored, path: plainPath(stored), isConfirmed: false };
    if (stored !== undefined && typeof stored !== 'object' && !asText(stored).startsWith('=')) {
      // An option that is added and left empty counts as not added; an expression that gives nothing does not.
      const isNotAdded = stored === '' && fallback !== undefined;
      parameter.fixed = { value: isNotAdded ? fallback : this.source.valueOf(name, 0, fallback) };
    }
    this.known.set(name, parameter);
    return parameter;
  }
}

/** An expression that mentions the item, so that it may have another value for each. */
const OF_ITEM =
  /\$(?:json|binary|data|node|itemIndex|position|thisItem\w*|parameter|fromAI)\b|[.[{,]\s*["'`]?(?:item|pairedItem)\b/;

/** @param name of the parameter: `options.messageKey` is shown as 'Message Key', `sendTo` as 'Phone' */
export function expressionError(error: unknown, name = ''): FailureError {
  const [first = ''] = name.replace('options.', '').replace('sendTo', 'phone').split('.');
  const shown = first.replace(/^./, (letter) => letter.toUpperCase()).replace(/\B[A-Z]/g, ' $&');
  const place = shown && ` in '${shown}'`;
  const reason = reasonOf(error);
  const isLimit = /^Expression (?:timed out|exceeded memory limit)/.test(reason);
  return new FailureError(failure(isLimit ? 'expressionTooLong' : 'expressionFailed', { place, reason }));
}

/** Names, and places in lists, on the way from an item's `json` to a value. */
type Path = readonly string[];

/** The whole of an expression, with nothing around it; n8n turns anything else into text. */
const WHOLE =
  /^=\{\{\s*\$json((?:\.[A-Za-z_]\w*|\[(?:0|[1-9]\d{0,14})\]|\["[^"\\\r\n]*"\]|\['[^'\\\r\n]*'\])+)\s*\}\}$/;

/** Only one of the groups has the step's name. */
const STEP = /\.(\w+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g;

/**
 * Reads an expression that only names a field: `={{ $json.body["phone number"] }}` → `['body', 'phone number']`.
 * @returns null for every other parameter, which n8n must evaluate
 */
export function plainPath(parameter: unknown): Path | null {
  const steps = typeof parameter === 'string' ? WHOLE.exec(parameter)?.[1] : undefined;
  return steps === undefined ? null : Array.from(steps.matchAll(STEP), ([, ...groups]) => groups.join(''));
}

/**
 * The text, number or boolean at the end of a path, or anything that `accepts` is true for.
 * @returns undefined for everything else (nothing there, null, an object, a date, …), which is left to n8n
 */
export function valueAt(json: unknown, path: Path, accepts?: (value: unknown) => boolean): unknown {
  let value = json;
  for (const step of path) {
    // n8n replaces a value that has its own `toJSON`.
    const isPlain = (isObject(value) || Array.isArray(value)) && !('toJSON' in value) && Object.hasOwn(value, step);
    if (!isPlain) return undefined;
    value = (value as JsonObject)[step];
  }
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar || accepts?.(value) === true ? value : undefined;
}

/**
 * The fields of the first item that an option reads, with the node that it comes from: none, if it is fixed; null where it
 * is not known which item that is.
 */
export function fieldsBehind(source: ParameterSource, name: string) {
  const option = source.valueOf(name, 0, '', AS_STORED);
  if (typeof option !== 'string') return null;
  if (!option.startsWith('=')) return { of: '', names: [] };
  const all = Array.from(option.matchAll(/\$\((["'`])(.*?)\1\)|\$input\b/g), ([items, , node]) => {
    const item = source.evaluate(`{{ ${items}.first() }}`, 0);
    const { json, binary } = isObject(item) ? item : {};
    const names = [json, binary].flatMap((fields) => Object.keys(isObject(fields) ? fields : {}));
    return { of: node === undefined ? 'The input' : `'${node}'`, names };
  });
  return all.find(({ names }) => names.length > 0) ?? all[0] ?? null;
}

/** How many fields an error names, and how many characters of each. */
const [MAX_NAMES, MAX_NAME] = [10, 30];

/**
 * The first names, without those that can be numbers, as of a list without a header. A byte order mark, which can be in
 * one, is shown.
 */
export function fieldNames(names: readonly string[]): string {
  const shown = names.filter((field) => !/(?:\p{N}\P{N}*){5}/u.test(field)).slice(0, MAX_NAMES);
  return shown.map((field) => `'${withEscapes(field.slice(0, MAX_NAME))}'`).join(', ');
}

/** An expression within a text, as in `Hello {{ $json.name }}`. */
interface Part {
  readonly expression: string;
  /** The fields that it names, each as an expression. */
  readonly fields: readonly string[];
  /** How many words for a missing value its quoted texts contain. */
  readonly words: number;
  /** The text right before and behind it, squeezed: where the part is empty, both stand together. Null if it is alone. */
  readonly around: string | null;
}

/** n8n writes commas between the values of a list, also where all are missing. */
const BLANK_OR_COMMAS = new RegExp(`^(?:${INVISIBLE}|,)*$`, 'u');

/** A field of an item, or what a model fills in: `$json?.["first name"]`, `$('Form').first().json.at[0]`, `$fromAI('Name')`. */
const FIELD =
  /\$(?:fromAI\((?:[^()"'`]|"[^"]*"|'[^']*'|`[^`]*`)*\)|(?:json|vars|(?:input|node\["[^"]*"\]|\((?:"[^"]*"|'[^']*')\))(?:\.item|\.(?:first|last)\(\)|\.all\(\)\[\d+\])?\.json)\b(?:(?:\?\.)?\[(?:\d+|"[^"]*"|'[^']*')\]|\??\.\w+(?![\w(]))*)/g;

/** Texts in quotes, and those around the `${…}` of a template. */
const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[`}](?:\\.|[^`$\\]|\$(?!\{))*(?=`|\$\{)/g;

/** An expression that may choose an empty text, as in `$json.count === 1 ? '' : 's'`. */
const MAY_BE_EMPTY = /(?:[?:|]\s*|\$if\([^]*,\s*)(?:''|""|``)/;

/** The 'Message Key' of an item. Unlike in a text, a word such as "undefined" is a hole even among others of a field. */
export const MESSAGE_KEY = 'options.messageKey';

type EmptyFields = (item: number, text: unknown) => readonly string[];

/**
 * Finds the parts of a message, or of its key, without a value for an item: their expression wrote nothing, as in
 * "Hello ,", or more words such as "undefined" than its quoted texts and its fields contain; a field that is nothing but
 * such words has none. n8n evaluates a text as a whole, so a part is evaluated again, alone, where it may be empty: a text
 * is searched in a microsecond, n8n takes some 0.1 ms.
 * @returns for an item and its text the names of the empty fields, or an expression where none of its fields is empty, unless
 * it has chosen an empty text
 */
function emptyFieldsIn({ items, evaluate }: ParameterSource, stored: string, isKey: boolean): EmptyFields {
  const { parts, fixedWords } = partsOf(stored);
  /** What an expression writes, and how many words of its value's texts may be meant. */
  const evaluated = (expression: string, item: number, before = '') => {
    const path = plainPath(`=${expression}`);
    const direct = path === null ? undefined : valueAt(items[item]?.json, path);
    try {
      const value: unknown = direct ?? evaluate(`${before}${expression}`, item);
      let own = 0;
      JSON.stringify(value, (_, each: unknown) => {
        if (typeof each === 'string' && !EMPTY.test(each)) own += emptyWordsIn(each, isKey ? ORDINARY : undefined);
        return typeof each === 'object' ? each : null;
      });
      const text = [value].join('');
      // A list with an object in it is not empty.
      return { expression, text: Array.isArray(value) && !BLANK_OR_COMMAS.test(text) ? '?' : text, own };
    } catch {
      return { expression, text: '?', own: 0 };
    }
  };
  const emptyIn = ({ expression, fields, words, around }: Part, item: number, all: string): readonly string[] => {
    // Behind a space, n8n writes a value as it does in the message.
    const text = around === null ? all : evaluated(expression, item, ' ').text;
    // Without a field to compare with, a word of many texts is one.
    const meant = fields.length === 0 ? emptyWordsIn(text, ORDINARY) : 0;
    const [isBlank, given] = [BLANK_OR_COMMAS.test(text), emptyWordsIn(text) - meant];
    if (!isBlank && given <= words) return [];
    const values = fields.map((field) => evaluated(field, item));
    if (!isBlank && given <= values.reduce((sum, { own }) => sum + own, words)) return [];
    const empty = values.filter((value) => BLANK_OR_COMMAS.test(value.text) || emptyWordsIn(value.text) > value.own);
    if (empty.length === 0 && isBlank && MAY_BE_EMPTY.test(expression)) return [];
    return (empty.length === 0 ? [{ expression }] : empty).map((value) => nameOf(value.expression));
  };
  return (item, text) => {
    if (typeof text !== 'string') return [];
    const all = squeezed(text);
    const hasWords = emptyWordsIn(text) > fixedWords;
    const suspects = parts.filter(
      ({ around }) => hasWords || (around === null ? BLANK_OR_COMMAS.test(text) : all.includes(around)),
    );
    return [...new Set(suspects.flatMap((part) => emptyIn(part, item, text)))];
  };
}

/** The expressions in a parameter, and how many words for a missing value the text around them contains. */
function partsOf(stored: string): { readonly parts: readonly Part[]; readonly fixedWords: number } {
  // Texts at even places, and what is between braces at odd ones.
  const pieces = stored.slice(1).split(/(?<!\\)\{\{([^]*?)\}\}/);
  const fixed = pieces.filter((_, index) => index % 2 === 0);
  const isAlone = pieces.length === 3 && fixed.join('').trim() === '';
  const parts = pieces.flatMap((source, index): Part | [] => {
    if (index % 2 === 0) return [];
    const around = isAlone ? null : squeezed(`${pieces[index - 1]}${pieces[index + 1]}`);
    const fields = Array.from(source.matchAll(FIELD), ([field]) => `{{ ${field} }}`);
    const words = emptyWordsIn(source.match(QUOTED)?.join(' ') ?? '');
    return { expression: `{{ ${source.trim()} }}`, fields, words, around };
  });
  return { parts, fixedWords: emptyWordsIn(fixed.join(' ')) };
}

/** `{{ $json.at.city }}` → `at.city`; the expression itself where it does more than name a field. */
function nameOf(expression: string): string {
  return plainPath(`=${expression}`)?.join('.') ?? expression.slice(3, -3);
}

function squeezed(text: string): string {
  return text.replace(/[\s,]+/g, '');
}
