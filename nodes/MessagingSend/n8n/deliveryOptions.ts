import { isRecord } from '../api/records';
import { DEFAULT_OPTIONS, type DeliveryOptions } from '../delivery/options';

/** An option has a value that can't be used; the message names it. */
export class OptionError extends Error {}

/**
 * Reads the collection `options` of the node, as far as it holds for a whole run.
 * @throws if a value can't be used; the message names the option
 */
export function readDeliveryOptions(value: unknown): DeliveryOptions {
  const given = isRecord(value) ? value : {};
  return {
    checkCreditsFirst: onOff(given.checkCreditsFirst, 'Check Credits First'),
    dryRun: onOff(given.dryRun, 'Dry Run'),
    duplicateMessages: oneOf(given.duplicateMessages, 'Duplicate Messages', ['send', 'sendOnce'] as const),
    longMessages: oneOf(given.longMessages, 'Long Messages', ['fail', 'truncate', 'split'] as const),
    longestWait: optionNumber(given.longestWait, 'Longest Wait', 0, DEFAULT_OPTIONS.longestWait / 60_000) * 60_000,
    parallelRequests: Math.floor(
      optionNumber(given.parallelRequests, 'Parallel Requests', 1, DEFAULT_OPTIONS.parallelRequests),
    ),
    requestsPerMinute: Math.floor(
      optionNumber(given.requestsPerMinute, 'Requests per Minute', 1, DEFAULT_OPTIONS.requestsPerMinute),
    ),
    uncertain: oneOf(given.uncertain, 'If the Outcome Is Uncertain', ['report', 'sendAgain'] as const),
    whenCreditsRunOut: oneOf(given.whenCreditsRunOut, 'When Credits Run Out', [
      'stop',
      'sendWhatCreditsAllow',
    ] as const),
  };
}

/**
 * Reads the option Default Country Code, the one that can differ from item to item.
 * @throws if it is not one
 */
export function readCountryCode(value: unknown): string | null {
  const digits = String(value ?? '').replace(/^\s*(?:\+|00)?|\s+$/g, '');
  if (digits === '') return null;
  if (/^[1-9]\d{0,3}$/.test(digits)) return digits;
  throw new OptionError('The option Default Country Code has to be 1 to 4 digits, such as 44');
}

/** An expression may well give a text; what is neither on nor off is an error, because money may hang on it. */
function onOff(value: unknown, name: string): boolean {
  const text = String(value ?? '')
    .trim()
    .toLowerCase();
  if (text === 'true') return true;
  if (text === 'false' || text === '') return false;
  throw new OptionError(`The option ${name} has to be true or false`);
}

/** The first choice is the one that holds when none is set. */
function oneOf<Choice extends string>(value: unknown, name: string, choices: readonly [Choice, ...Choice[]]): Choice {
  if (value === undefined || value === null || value === '') return choices[0];
  const choice = choices.find((possible) => possible === value);
  if (choice !== undefined) return choice;
  throw new OptionError(`The option ${name} has to be one of ${choices.join(', ')}`);
}

/** @throws if it is set and not a number of at least `least`; the message names the option */
export function optionNumber(value: unknown, name: string, least: number, otherwise: number): number {
  if (value === undefined || value === null || value === '') return otherwise;
  const given = Number(value);
  if (Number.isFinite(given) && given >= least) return given;
  throw new OptionError(`The option ${name} has to be a number of at least ${least}`);
}
