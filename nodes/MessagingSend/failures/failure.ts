import type { CATALOGUE, FailureName } from './catalogue';

declare const given: unique symbol;

/** A code that the service gave, or that was kept from an earlier attempt. */
export type CodeGiven = string & { readonly [given]: true };

/** A code of the catalogue, one made from an HTTP status or a network error, or one that came from outside. */
export type FailureCode =
  (typeof CATALOGUE)[FailureName]['code'] | `HTTP_${number}` | `UNREACHABLE_${string}` | CodeGiven;

/**
 * Which messages a failure is about: `run` means that every other request would fail alike (a wrong key, no credits),
 * `request` that only this one is concerned; `unclear` is an answer that fits both (a 403, perhaps of a firewall).
 */
export type Scope = 'request' | 'run' | 'unclear';

/** Whether nothing was sent, so that sending again is safe, or the message may have been sent already. */
export type SendAgain = 'safe' | 'checkFirst';

/**
 * Why something did not go as asked, in the form in which every part of the node passes it on. None of its texts holds
 * an API key, a phone number or the text of a message.
 */
export interface Failure {
  readonly code: FailureCode;
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
  /** Only where credits are too few, and both figures are known. */
  readonly credits?: Credits;
}

/** What was needed and what there was when credits were too few. */
export interface Credits {
  readonly required: number;
  readonly available: number;
}

/** Distinguishes a failure from a result. */
export function isFailure(value: object): value is Failure {
  return 'sendAgain' in value;
}

/** Thrown where one of the user's settings can't be used. */
export class FailureError extends Error {
  constructor(readonly reason: Failure) {
    super(reason.message);
  }
}
