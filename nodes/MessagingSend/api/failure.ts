/**
 * Why something did not go as asked, in the form in which every part of the node hands it on.
 *
 * `message` is one plain sentence in this node's own words; `description` says what to do and is
 * safe to render as HTML. Neither holds an API key, a phone number or a text.
 */
export interface Failure {
  /** The API's `error.code` (part 7), or one of this node's own in the same style. */
  readonly code: string;
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
