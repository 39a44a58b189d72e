import type { RequestLimits } from '../requests/requests';

/** What the user can choose for a delivery. */
export interface DeliveryOptions extends Omit<RequestLimits, 'interval'> {
  /** Nothing is sent if the balance does not cover the run. */
  readonly checkCreditsFirst: boolean;
  /** Everything is checked and packed, nothing is sent. */
  readonly dryRun: boolean;
  /** `sendOnce`: of messages that are the same, one is sent in a run; `sendOnceEver`: one is sent, in whatever run. */
  readonly duplicateMessages: 'send' | 'sendOnce' | 'sendOnceEver';
  readonly longMessages: 'fail' | 'truncate' | 'split';
  /** `off`: a phone number can have any 7 to 15 digits, whatever its country. */
  readonly numberCheck: 'on' | 'off';
  /** The most requests in flight at the same time; null for as many as the service's answers need. */
  readonly parallelRequests: number | null;
  /** How many messages are remembered with `sendOnceEver`. */
  readonly rememberLast: number;
  /** What a re-run does with a message that may have been sent. */
  readonly uncertain: 'report' | 'sendAgain';
  readonly whenCreditsRunOut: 'stop' | 'sendWhatCreditsAllow';
}
