import type { IDisplayOptions, INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { isRecord, type JsonRecord } from '../../api/records';
import { type Failure, failure, FailureError } from '../../failures/failure';
import type { RequestLimits } from '../../requests/requests';
import { reasonOf } from '../output/sentences';

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
    "How many requests to make per minute with this API key; the service allows 60. Runs that don't set it leave it as it is.",
};

export const includeOtherFields: INodeProperties = {
  displayName: 'Include Other Input Fields',
  name: 'includeOtherFields',
  type: 'boolean',
  noDataExpression: true,
  default: false,
  description: "Whether each output item also has the fields of its input item. This node's own fields win.",
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
    requestsPerMinute: readSet<number | null>(given, requestsPerMinute, null, (value, option) =>
      Math.floor(numberFrom(value, option, 1)),
    ),
  };
}

/**
 * The options in a collection of a node. Each is read alone: n8n evaluates a collection as a whole, so one failing
 * expression would end the run. An option that can't be used gets its default.
 */
export class GivenOptions {
  /** Why the first unusable option can't be used; its message names the option. */
  failure: Failure | null = null;

  constructor(
    private readonly collection: string,
    /** @throws what n8n throws for an expression that fails */
    readonly read: (path: string, fallback: unknown) => unknown,
    /** Names the fields of the items that an option's expression reads, where that is known. */
    readonly fieldsBehind: (path: string) => string = () => '',
  ) {}

  /**
   * @param path in the collection; one with a leading slash, as in n8n's own fields, is outside
   * @param name as the panel shows it
   * @param parse throws a FailureError for a value that can't be used
   * @param notSet what `parse` is given where the option is not added
   */
  get<Value>(path: string, name: string, fallback: Value, parse: (value: unknown) => Value, notSet = ''): Value {
    try {
      return parse(this.read(path.startsWith('/') ? path.slice(1) : `${this.collection}.${path}`, notSet));
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
  return readSet(given, field, Number(field.default), (value, option) =>
    numberFrom(value, option, field.typeOptions?.minValue ?? 0),
  );
}

/** @throws FailureError, which names the option, unless the value is a number of at least `min` */
export function numberFrom(value: unknown, option: string, min: number): number {
  const number = Number(value);
  if (Number.isFinite(number) && number >= min) return number;
  throw new FailureError(failure('optionInvalid', { option, needed: `a number of at least ${min}` }));
}

/** A field by its path within the collection of the options. */
export function within<Field extends INodeProperties>(path: string, field: Field): Field {
  return { ...field, name: `${path}.${field.name}` };
}

/** An expression may give a text; any other value is rejected, because money may depend on it. */
export function readBoolean(given: GivenOptions, field: INodeProperties): boolean {
  return readSet(given, field, false, (value, option) => {
    const written = typeof value === 'string' ? value.trim().toLowerCase() : value;
    if (written === true || written === 'true') return true;
    if (written === false || written === 'false' || written === '') return false;
    throw new FailureError(failure('optionInvalid', { option, needed: 'true or false' }));
  });
}

/** A field with choices, whose values its reader knows. */
export type ChoiceField<Value extends string> = Omit<INodeProperties, 'options'> & {
  options: Array<INodePropertyOptions & { value: Value }>;
  default: Value;
};

/** @param choices by their values: the name of each, and what it does */
export function choiceField<Value extends string>({
  choices,
  ...field
}: Omit<INodeProperties, 'type' | 'options'> & {
  default: NoInfer<Value>;
  choices: Readonly<Record<Value, readonly [name: string, description?: string]>>;
}): ChoiceField<Value> {
  const options = (Object.keys(choices) as Value[]).map((value) => {
    const [name, description] = choices[value];
    return { name, value, description };
  });
  return { ...field, type: 'options', noDataExpression: true, options };
}

/** @param absent what holds without the option, if not the field's default */
export function readChoice<Value extends string, Absent extends string = Value>(
  given: GivenOptions,
  field: ChoiceField<Value>,
  absent: Value | Absent = field.default,
): Value | Absent {
  return readSet(given, field, absent, (value, option) => {
    const choices = field.options.map((choice) => choice.value);
    const choice = choices.find((possible) => possible === value);
    if (choice !== undefined) return choice;
    throw new FailureError(failure('optionInvalid', { option, needed: `one of ${choices.join(', ')}` }));
  });
}

/** An option that is empty counts as not set. */
function readSet<Value>(
  given: GivenOptions,
  { name, displayName }: INodeProperties,
  absent: Value,
  parse: (value: unknown, option: string) => Value,
): Value {
  const option = displayName.replace(/ \(.*\)$/, '');
  return given.get(name, option, absent, (value) =>
    value === undefined || value === null || value === '' ? absent : parse(value, option),
  );
}
