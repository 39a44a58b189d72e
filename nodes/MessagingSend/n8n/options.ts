import type { INodeProperties } from 'n8n-workflow';

import { isRecord, type JsonRecord } from '../api/records';
import { failure } from '../failures/catalogue';
import { FailureError } from '../failures/failure';
import type { RequestLimits } from '../requests/requests';

// The options that every operation and the trigger have: how long requests wait for the service's limit.

export const longestWait: INodeProperties = {
  displayName: 'Longest Wait (Minutes)',
  name: 'longestWait',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 5,
  description:
    'How long a request waits when the service says that there are too many. After that, what is left is not sent.',
};

export const requestsPerMinute: INodeProperties = {
  displayName: 'Requests per Minute',
  name: 'requestsPerMinute',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 60,
  description:
    'How many requests the service allows this API key in a minute. Lower it if other programs use the same key.',
};

/**
 * Reads them from the collection `options` of a node.
 * @throws FailureError if a value can't be used; its message names the option
 */
export function readLimitOptions(options: unknown): Omit<RequestLimits, 'interval'> {
  const given = isRecord(options) ? options : {};
  return {
    maxWait: 60_000 * readNumber(given, longestWait),
    requestsPerMinute: Math.floor(readNumber(given, requestsPerMinute)),
  };
}

// Readers of options by their fields, which give name, default and bounds. Each throws a FailureError that names the option.

/** A number of at least the field's `minValue`. */
export function readNumber(given: JsonRecord, field: INodeProperties): number {
  const value = given[field.name];
  if (isUnset(value)) return Number(field.default);
  const min = field.typeOptions?.minValue ?? 0;
  const number = Number(value);
  if (Number.isFinite(number) && number >= min) return number;
  throw new FailureError(failure('optionNotNumber', { option: nameOf(field), min }));
}

/** An expression may give a text; what is neither true nor false is an error, because money may depend on it. */
export function readBoolean(given: JsonRecord, field: INodeProperties): boolean {
  const value = given[field.name];
  const written = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (written === true || written === 'true') return true;
  if (written === false || written === 'false' || isUnset(written)) return false;
  throw new FailureError(failure('optionNotBoolean', { option: nameOf(field) }));
}

/** @param choices the values of the field's options, the default first */
export function readChoice<Choice extends string>(
  given: JsonRecord,
  field: INodeProperties,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = given[field.name];
  if (isUnset(value)) return choices[0];
  const choice = choices.find((possible) => possible === value);
  if (choice !== undefined) return choice;
  throw new FailureError(failure('optionNotChoice', { option: nameOf(field), choices: choices.join(', ') }));
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Without its unit. */
function nameOf({ displayName }: INodeProperties): string {
  return displayName.replace(/ \(.*\)$/, '');
}
