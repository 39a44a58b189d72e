/** The codes of this node's own and of the API (part 7) that say why something did not go as asked; docs/errors.md explains each. */
export const FAILURE_CODES = [
  'CONNECTION_LOST',
  'FORBIDDEN',
  'INSUFFICIENT_CREDITS',
  'INTERRUPTED',
  'INVALID_API_KEY',
  'INVALID_MESSAGE',
  'INVALID_MESSAGES',
  'INVALID_PARAMETER',
  'INVALID_PHONE',
  'MISSING_API_KEY',
  'NOT_ACCEPTED',
  'NOT_FOUND',
  'NOT_LISTED',
  'NOT_SET_UP',
  'NOT_STARTED',
  'RATE_LIMITED',
  'REDIRECTED',
  'REFUSED',
  'SERVER_ERROR',
  'STOPPED',
  'TIMEOUT',
  'UNCERTAIN',
  'UNREADABLE_ANSWER',
  'VALIDATION_ERROR',
] as const;

declare const given: unique symbol;

/** One of those, one made of a status or of a network error, or one that came from outside. */
export type FailureCode = (typeof FAILURE_CODES)[number] | `HTTP_${number}` | `UNREACHABLE_${string}` | CodeGiven;

/** A code that the service gave, or that was kept from an earlier try. */
export type CodeGiven = string & { readonly [given]: true };

/**
 * Why something did not go as asked, in the form in which every part of the node hands it on.
 *
 * `message` is one plain sentence in this node's own words; `description` says what to do and is
 * safe to render as HTML. Neither holds an API key, a phone number or a text.
 */
export interface Failure {
  readonly code: FailureCode;
  /** Status of the HTTP answer; null when there was none. */
  readonly httpStatus: number | null;
  readonly message: string;
  readonly description: string;
  /**
   * What it says of the rest of the run: `run` means that every other request would fail alike
   * (a wrong key, no credits), `request` that only this one is concerned.
   */
  readonly scope: 'request' | 'run';
}
