import { CATALOGUE, type FailureKind, type FailureName } from './catalogue';

/**
 * Why something did not go as asked, in the one form that all parts of the node use. No text in it contains an API key,
 * a phone number or the text of a message.
 */
export interface Failure extends FailureKind {
  /** The status of the HTTP answer; null if there was none. */
  readonly httpStatus: number | null;
  /** The service's own words, masked and safe to render as HTML; empty if it gave none. */
  readonly serviceSays: string;
  /** Only if credits ran out and both figures are known. */
  readonly credits?: Credits;
}

export interface Credits {
  readonly required: number;
  readonly available: number;
}

/** A text that a failure names, with its invisible characters shown as escapes. */
export function withEscapes(text: string): string {
  return text.replace(/\p{C}/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
}

export function isFailure(value: object): value is Failure {
  return 'serviceSays' in value;
}

/** Thrown if one of the user's settings can't be used. */
export class FailureError extends Error {
  constructor(readonly reason: Failure) {
    super(reason.message);
  }
}

/** The names in braces in a text. Braces with spaces in them belong to a list or an expression that the text shows. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string} ${string}` ? never : Name) | NamesIn<Rest>
  : never;
type NamesOf<Name extends FailureName> = NamesIn<(typeof CATALOGUE)[Name]['message' | 'advice']>;

/** What a failure adds to its kind, or replaces there. */
export type Details = Partial<Omit<Failure, 'message' | 'advice'>>;

export function failure<Name extends FailureName>(
  name: Name,
  ...[values, details = {}]: [NamesOf<Name>] extends [never]
    ? [values?: undefined, details?: Details]
    : [values: Readonly<Record<NamesOf<Name>, string | number>>, details?: Details]
): Failure {
  const { code, scope, outcome, message, advice }: FailureKind = CATALOGUE[name];
  const given: Readonly<Record<string, string | number>> = values ?? {};
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (braces, key: string) => String(given[key] ?? braces));
  return {
    httpStatus: null,
    serviceSays: '',
    code,
    scope,
    outcome,
    ...details,
    message: filled(message),
    advice: filled(advice),
  };
}
