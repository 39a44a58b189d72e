import type { IDisplayOptions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { asText } from '../../api/objects';
import { type Failure, failure, FailureError } from '../../failures/failure';
import { reasonOf } from '../output/sentences';
import { AS_STORED, NOT_ADDED, type ParameterSource } from './itemParameters';

// The options that every operation and the trigger have: how long requests wait for the service's limit.

export const maxWait = numberField('Max Wait (Minutes)', 'longestWait', {
  min: 0,
  default: 5,
  description:
    'How long to keep trying while the service is busy or down. Then the run ends and reports what was not done, such as messages that were not sent.',
});

export const requestsPerMinute = numberField('Requests per Minute', 'requestsPerMinute', {
  min: 1,
  default: 60,
  description:
    'How many requests all workflows with this API key make per minute; the service allows 60. Lower it if other programs use the key, too.',
});

export const includeOtherFields = booleanField('Include Other Input Fields', 'includeOtherFields', {
  default: false,
  description:
    "Whether output items also have the fields of their input items, such as names, so that the table is easier to read. This node's own fields win.",
});

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

/** The part of an option's field that its reader needs. */
type OptionField = Pick<INodeProperties, 'name' | 'displayName' | 'typeOptions'>;

/**
 * The options of a node. Each is read alone: n8n evaluates a collection as a whole, so one failing expression would end
 * the run.
 */
export class GivenOptions {
  /** Why the first unusable option can't be used; its message names the option. */
  failure: Failure | null = null;
  /** The options that are added, as the panel shows them. */
  readonly added: Array<{ readonly path: string; readonly label: string }> = [];

  constructor(readonly source: ParameterSource) {}

  /**
   * @param parse reads a value that was given. It returns nothing for an empty one that counts as not added, and throws a
   * FailureError, or what n8n throws, for one that can't be used
   * @param absent holds if the option is not added, or can't be used
   * @param within the path to the field, with its last dot
   */
  read<Field extends OptionField, Value, Absent>(
    field: Field,
    parse: (value: unknown, field: Field, label: string) => Value | undefined,
    absent: Absent,
    within = 'options.',
  ): Value | Absent {
    // Without its unit.
    const label = field.displayName.replace(/ \(.*\)$/, '');
    try {
      const path = `${within}${field.name}`;
      if (this.source.valueOf(path, 0, NOT_ADDED, AS_STORED) === NOT_ADDED) return absent;
      const value = this.source.valueOf(path, 0, NOT_ADDED);
      this.added.push({ path, label });
      return parse(value, field, label) ?? absent;
    } catch (error) {
      this.failure ??=
        error instanceof FailureError
          ? error.reason
          : failure('optionUnreadable', { option: label, reason: reasonOf(error) });
      return absent;
    }
  }
}

// How values are read. An expression may give a text.

/** A number of at least the field's `minValue`. */
export function numberIn(value: unknown, { typeOptions }: OptionField, option: string): number | undefined {
  if (isEmpty(value)) return undefined;
  // Number() takes a blank text or an empty list for 0.
  const [number, min] = [Number(asText(value).trim() || NaN), typeOptions?.minValue ?? 0];
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

// How fields are declared: by the label that the panel shows, and the name that workflows store.

type Details<Value> = Partial<Omit<INodeProperties, 'displayName' | 'name' | 'type' | 'options'>> & { default: Value };

export function textField(label: string, name: string, details: Partial<Details<string>>) {
  return { displayName: label, name, type: 'string' as const, default: '', ...details };
}

export function numberField(label: string, name: string, details: Details<number> & { min: number; max?: number }) {
  const { min, max, ...others } = details;
  const typeOptions = { minValue: min, maxValue: max };
  return { displayName: label, name, type: 'number' as const, typeOptions, ...others };
}

export function booleanField(label: string, name: string, details: Details<boolean>) {
  return { displayName: label, name, type: 'boolean' as const, noDataExpression: true, ...details };
}

/** A field with choices, whose values its reader knows. */
type ChoiceField<Value extends string> = Omit<INodeProperties, 'options'> & {
  options: Array<INodePropertyOptions & { value: Value }>;
  default: Value;
};

type Choices<Value extends string> = Readonly<Record<Value, readonly [name: string, description?: string]>>;

/** @param details with the choices by their values: the name of each, and what it does */
export function choiceField<Value extends string>(
  label: string,
  name: string,
  details: Details<NoInfer<Value>> & { choices: Choices<Value> },
): ChoiceField<Value> {
  const { choices, default: initial, ...others } = details;
  const options = (Object.keys(choices) as Value[]).map((value) => {
    const [choice, description] = choices[value];
    return { name: choice, value, description };
  });
  return { displayName: label, name, type: 'options', default: initial, noDataExpression: true, options, ...others };
}
