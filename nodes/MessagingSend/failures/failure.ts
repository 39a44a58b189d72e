import { CATALOGUE, type Entry, type FailureName, type Scope, type SendAgain } from './catalogue';

/**
 * Why something did not go as asked, in the form in which every part of the node passes it on. None of its texts holds
 * an API key, a phone number or the text of a message.
 */
export interface Failure {
  /** Of the catalogue, or made from an HTTP status or a network error, or the service's. */
  readonly code: string;
  /** Status of the HTTP answer; null when there was none. */
  readonly httpStatus: number | null;
  /** What happened: one sentence in this node's own words, without a full stop. */
  readonly message: string;
  /** What to do, in sentences; empty where the only advice is to try again later, or to check first. */
  readonly advice: string;
  /** The service's own words, masked and safe to render as HTML; empty where it gave none. */
  readonly serviceSays: string;
  readonly scope: Scope;
  readonly sendAgain: SendAgain;
  /** Only where credits ran out and both figures are known. */
  readonly credits?: Credits;
}

export interface Credits {
  readonly required: number;
  readonly available: number;
}

export function isFailure(value: object): value is Failure {
  return 'sendAgain' in value;
}

/** Thrown where one of the user's settings can't be used. */
export class FailureError extends Error {
  constructor(readonly reason: Failure) {
    super(reason.message);
  }
}

type ValuesOf<Name extends FailureName> = Parameters<(typeof CATALOGUE)[Name]['message']>[0];

/** What a failure adds to its entry, or knows better. */
export type Details = Partial<Omit<Failure, 'message' | 'advice'>>;

export function failure<Name extends FailureName>(
  name: Name,
  ...[values, details = {}]: ValuesOf<Name> extends undefined
    ? [values?: undefined, details?: Details]
    : [values: ValuesOf<Name>, details?: Details]
): Failure {
  const { code, scope, sendAgain, message, advice } = CATALOGUE[name] as Entry<unknown>;
  return {
    code: details.code ?? code,
    httpStatus: details.httpStatus ?? null,
    message: message(values),
    advice: advice(values),
    serviceSays: details.serviceSays ?? '',
    scope: details.scope ?? scope,
    sendAgain: details.sendAgain ?? sendAgain,
    ...(details.credits && { credits: details.credits }),
  };
}
