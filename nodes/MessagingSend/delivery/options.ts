import type { PhoneRules } from '../phone/phone';
import type { RequestLimits } from '../requests/requests';
import type { SendWindow } from './sendWindow';

export interface DeliveryOptions extends Omit<RequestLimits, 'interval'>, Pick<PhoneRules, 'numberCheck'> {
  /** Sends nothing if the balance does not cover the run. */
  readonly checkCreditsFirst: boolean;
  readonly dryRun: boolean;
  /** What to do with a text if one of its expressions is empty for the item. */
  readonly emptyFields: 'send' | 'doNotSend';
  /** `sendOnce`: identical messages are sent once in a run; `sendOnceEver`: once in all executions. */
  readonly duplicateMessages: 'send' | 'sendOnce' | 'sendOnceEver';
  readonly longMessages: 'fail' | 'truncate' | 'split';
  /** Numbers that get no message, as the user wrote them (null: not set), and the country code of those without one. */
  readonly neverSendTo: { readonly numbers: readonly unknown[] | null; readonly countryCode: string | null };
  readonly parallelRequests: number;
  readonly sendWindow: SendWindow | null;
  readonly testRun: TestRun | null;
}

/** A run whose first messages are sent to a tester; the rest is not sent. */
export interface TestRun {
  readonly phone: string;
  readonly person: string;
  readonly count: number;
}
