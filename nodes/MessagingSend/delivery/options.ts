/** What the user can choose for a delivery; every option has a value that makes sense when none is set. */
export interface DeliveryOptions {
  /** Nothing is sent if the balance does not cover the run. */
  readonly checkCreditsFirst: boolean;
  /** Everything is checked and packed, nothing is sent. */
  readonly dryRun: boolean;
  /** `sendOnce`: the same text goes to the same number once in a run. */
  readonly duplicateMessages: 'send' | 'sendOnce';
  readonly longMessages: 'fail' | 'truncate' | 'split';
  /** How long a request may wait out the service's limit, in milliseconds. */
  readonly longestWait: number;
  /** Requests under way at once, at most. */
  readonly parallelRequests: number;
  readonly requestsPerMinute: number;
  /** What a re-run does with a message of which it is not known whether it went out. */
  readonly uncertain: 'report' | 'sendAgain';
  readonly whenCreditsRunOut: 'stop' | 'sendWhatCreditsAllow';
}

export const DEFAULT_OPTIONS: DeliveryOptions = {
  checkCreditsFirst: false,
  dryRun: false,
  duplicateMessages: 'send',
  longMessages: 'fail',
  longestWait: 5 * 60_000,
  parallelRequests: 16,
  requestsPerMinute: 60,
  uncertain: 'report',
  whenCreditsRunOut: 'stop',
};
