import type { IDisplayOptions, INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { isRecord, type JsonRecord } from '../../api/records';
import { type Failure, failure, FailureError } from '../../failures/failure';
import type { RequestLimits } from '../../requests/requests';
import { reasonOf } from '../output/failureText';

// The options that every operation and the trigger have: how long requests wait for the service's limit.

export const maxWait: INodeProperties = {
  displayName: 'Max Wait (Minutes)',
  name: 'longestWait',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 5,
  description:
    'How long to keep trying while the service is busy or down. After that, the remaining messages are not sent.',
};

export const requestsPerMinute: INodeProperties = {
  displayName: 'Requests per Minute',
  name: 'requestsPerMinute',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 60,
  description:
    'How many requests to make per minute, at most. The service allows 60 for each API key: lower this if other programs use the same key. If several runs use the key, the value of the last one to start applies to all of them.',
};

export const includeOtherFields: INodeProperties = {
  displayName: 'Include Other Input Fields',
  name: 'includeOtherFields',
  type: 'boolean',
  noDataExpression: true,
  default: true,
  description:
    "Whether each output item also has the fields of its input item. Where both have a field of the same name, it is this node's.",
};

export function optionsField(options: INodeProperties[], show?: IDisplayOptions['show']): INodeProperties {
  return {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    ...(show && { displayOptions: { show } }),
    options,
  };
}

/** The contents of a fixed collection with entries of one kind, named as in n8n's own nodes. */
export function valuesOf(...values: INodeProperties[]): INodePropertyCollection[] {
  return [{ displayName: 'Values', name: 'values', values }];
}

/** What was entered in such a collection; no values where it can't be read. */
export function valuesIn(given: unknown): JsonRecord {
  return isRecord(given) && isRecord(given.values) ? given.values : {};
}

export function readLimitOptions(given: GivenOptions): Omit<RequestLimits, 'interval'> {
  return {
    maxWait: 60_000 * readNumber(given, maxWait),
    requestsPerMinute: Math.floor(readNumber(given, requestsPerMinute)),
  };
}

/**
 * Reads a parameter that holds for the whole run, by its path.
 * @throws what n8n throws for an expression that fails
 */
export type ReadRunParameter = (path: string, fallback: unknown) => unknown;

/**
 * The options in a collection of a node. Each is read alone: n8n evaluates a collection as a whole, so one failing
 * expression would end the run. An option that can't be used gets its default.
 */
export class GivenOptions {
  /** Why the first unusable option can't be used; its message names the option. */
  failure: Failure | null = null;

  /** @param read by the path within the collection */
  constructor(private readonly read: (path: string) => unknown) {}

  static in(collection: string, read: ReadRunParameter): GivenOptions {
    return new GivenOptions((path) => read(`${collection}.${path}`, ''));
  }

  /**
   * @param name as the panel shows it
   * @param parse throws a FailureError for a value that can't be used
   */
  get<Value>(path: string, name: string, fallback: Value, parse: (value: unknown) => Value): Value {
    try {
      return parse(this.read(path));
    } catch (error) {
      this.failure ??=
        error instanceof FailureError
          ? error.reason
          : failure('optionUnreadable', { option: name, reason: reasonOf(error) });
      return fallback;
    }
  }
}

// Readers of options by their fields, which give name, default and bounds.

/** A number of at least the field's `minValue`. */
export function readNumber(given: GivenOptions, field: INodeProperties): number {
  return given.get(field.name, nameOf(field), Number(field.default), (value) => {
    if (isUnset(value)) return Number(field.default);
    const min = field.typeOptions?.minValue ?? 0;
    const number = Number(value);
    if (Number.isFinite(number) && number >= min) return number;
    throw new FailureError(failure('optionNotNumber', { option: nameOf(field), min }));
  });
}

/** An expression may give a text; any other value is rejected, because money may depend on it. */
export function readBoolean(given: GivenOptions, field: INodeProperties): boolean {
  return given.get(field.name, nameOf(field), false, (value) => {
    const written = typeof value === 'string' ? value.trim().toLowerCase() : value;
    if (written === true || written === 'true') return true;
    if (written === false || written === 'false' || isUnset(written)) return false;
    throw new FailureError(failure('optionNotBoolean', { option: nameOf(field) }));
  });
}

/** @param choices the values of the field's options, the default first */
export function readChoice<Choice extends string>(
  given: GivenOptions,
  field: INodeProperties,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  return given.get(field.name, nameOf(field), choices[0], (value) => {
    if (isUnset(value)) return choices[0];
    const choice = choices.find((possible) => possible === value);
    if (choice !== undefined) return choice;
    throw new FailureError(failure('optionNotChoice', { option: nameOf(field), choices: choices.join(', ') }));
  });
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Without its unit. */
function nameOf({ displayName }: INodeProperties): string {
  return displayName.replace(/ \(.*\)$/, '');
}
