import type { IDisplayOptions, INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { type Failure, failure, FailureError } from '../../failures/failure';
import type { RequestLimits } from '../../requests/requests';
import { reasonOf } from '../output/sentences';

// The options that every operation and the trigger have: how long requests wait for the service's limit.

export const maxWait = {
  displayName: 'Max Wait (Minutes)',
  name: 'longestWait',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 5,
  description:
    'How long to keep trying while the service is busy or down. After that, the remaining messages are not sent.',
} satisfies INodeProperties;

export const requestsPerMinute = {
  displayName: 'Requests per Minute',
  name: 'requestsPerMinute',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 60,
  description:
    "How many requests to make per minute with this API key; the service allows 60. Runs that don't set it leave it as it is.",
} satisfies INodeProperties;

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

export function readLimitOptions(given: GivenOptions): Omit<RequestLimits, 'interval'> {
  const limit = given.read(requestsPerMinute, numberIn, null);
  return {
    maxWait: 60_000 * given.read(maxWait, numberIn, maxWait.default),
    requestsPerMinute: limit === null ? null : Math.floor(limit),
  };
}

/** Tells an option that is not added from one whose expression gives nothing. No value of a user is like it. */
export const NOT_ADDED = '\0';

/** What reading needs of the field of an option. */
type OptionField = Pick<INodeProperties, 'name' | 'displayName' | 'typeOptions'>;

/**
 * The options of a node. Each is read alone: n8n evaluates a collection as a whole, so one failing expression would end
 * the run.
 */
export class GivenOptions {
  /** Why the first unusable option can't be used; its message names the option. */
  failure: Failure | null = null;

  constructor(
    /** @throws what n8n throws for an expression that fails */
    private readonly valueOf: (path: string, fallback: unknown) => unknown,
    /** Names the fields of the items that an option's expression reads, where that is known. */
    readonly fieldsBehind: (path: string) => string = () => '',
  ) {}

  /**
   * @param field of the collection `options`; a name with a leading slash, as in n8n's own fields, is a path from the root
   * @param parse reads a value that was given. It returns nothing for an empty one that counts as not added, and throws a
   * FailureError, or what n8n throws, for one that can't be used
   * @param absent holds if the option is not added, or can't be used
   */
  read<Field extends OptionField, Value, Absent>(
    field: Field,
    parse: (value: unknown, field: Field, label: string) => Value | undefined,
    absent: Absent,
  ): Value | Absent {
    const { name, displayName } = field;
    // Without its unit.
    const label = displayName.replace(/ \(.*\)$/, '');
    try {
      const value = this.valueOf(name.startsWith('/') ? name.slice(1) : `options.${name}`, NOT_ADDED);
      return value === NOT_ADDED ? absent : (parse(value, field, label) ?? absent);
    } catch (error) {
      this.failure ??=
        error instanceof FailureError
          ? error.reason
          : failure('optionUnreadable', { option: label, reason: reasonOf(error) });
      return absent;
    }
  }
}

/** A field by its path from the root. */
export function within<Field extends INodeProperties>(path: string, field: Field): Field {
  return { ...field, name: `/${path}.${field.name}` };
}

// How values are read. An expression may give a text.

/** A number of at least the field's `minValue`. */
export function numberIn(value: unknown, { typeOptions }: OptionField, option: string): number | undefined {
  if (isEmpty(value)) return undefined;
  const [number, min] = [Number(value), typeOptions?.minValue ?? 0];
  if (Number.isFinite(number) && number >= min) return number;
  throw new FailureError(failure('optionInvalid', { option, needed: `a number of at least ${min}` }));
}

/** Only true or false: money may depend on it. */
export function booleanIn(value: unknown, _field: OptionField, option: string): boolean | undefined {
  const written = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (isEmpty(written)) return undefined;
  if (written === true || written === 'true') return true;
  if (written === false || written === 'false') return false;
  throw new FailureError(failure('optionInvalid', { option, needed: 'true or false' }));
}

export function choiceIn<Value extends string>(
  value: unknown,
  { options }: ChoiceField<Value>,
  option: string,
): Value | undefined {
  if (isEmpty(value)) return undefined;
  const choices = options.map((choice) => choice.value);
  const choice = choices.find((possible) => possible === value);
  if (choice !== undefined) return choice;
  throw new FailureError(failure('optionInvalid', { option, needed: `one of ${choices.join(', ')}` }));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
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
