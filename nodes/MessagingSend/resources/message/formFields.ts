import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { asText, isObject, type JsonObject } from '../../api/objects';
import { failure, FailureError } from '../../failures/failure';
import { textField, valuesOf } from '../../n8n/input/readOptions';
import type { Field } from '../../questions/field';

// The fields of Custom Form, with the names and the values that they have in n8n's own nodes.

const TYPES: Record<Field['kind'], string> = {
  checkbox: 'Checkboxes',
  date: 'Date',
  dropdown: 'Dropdown',
  email: 'Email',
  number: 'Number',
  radio: 'Radio Buttons',
  text: 'Text Input',
  textarea: 'Textarea',
};

export const formFields: INodeProperties = {
  displayName: 'Form Elements',
  name: 'formFields',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true, sortable: true },
  placeholder: 'Add Form Element',
  default: {},
  description: 'Fields of the answer page',
  options: valuesOf(
    textField('Label', 'fieldLabel', {
      required: true,
      placeholder: 'e.g. Delivery date',
      description: 'Text above the field. The output has the answer under this name.',
    }),
    {
      displayName: 'Element Type',
      name: 'fieldType',
      type: 'options',
      options: Object.entries(TYPES).map(([value, name]): INodePropertyOptions => ({ name, value })),
      default: 'text',
      description: 'What the page shows for the field',
    },
    {
      displayName: 'Field Options',
      name: 'fieldOptions',
      type: 'fixedCollection',
      typeOptions: { multipleValues: true, sortable: true },
      placeholder: 'Add Field Option',
      displayOptions: { show: { fieldType: ['checkbox', 'dropdown', 'radio'] } },
      default: { values: [{ option: '' }] },
      description: 'What can be chosen',
      options: valuesOf(
        textField('Option', 'option', {
          placeholder: 'e.g. In the morning',
          description: 'Text of the choice, on the page and in the output',
        }),
      ),
    },
    {
      displayName: 'Multiple Choice',
      name: 'multiselect',
      type: 'boolean',
      displayOptions: { show: { fieldType: ['dropdown'] } },
      default: false,
      description: 'Whether several options can be chosen. The page then shows them as checkboxes.',
    },
    textField('Placeholder', 'placeholder', {
      displayOptions: { show: { fieldType: ['email', 'number', 'text', 'textarea'] } },
      placeholder: 'e.g. name@example.com',
      description: 'Text inside the field while it is empty',
    }),
    {
      displayName: 'Required Field',
      name: 'requiredField',
      type: 'boolean',
      default: false,
      description: 'Whether the form can be sent only with an answer in this field',
    },
  ),
};

/** `respondedAt` is the time of the answer; not every program accepts the other as a name. */
const RESERVED = ['respondedAt', '__proto__'];

/**
 * Reads the fields of the form.
 * @throws FailureError for the first one that can't be shown. Fields are named by their places, counted from 1, because their
 * texts could come from an item.
 */
export function readFormFields(given: unknown): Field[] {
  const fields = Array.isArray(given) ? given.map((field: unknown) => (isObject(field) ? field : {})) : [];
  if (fields.length === 0) throw new FailureError(failure('formEmpty'));
  const labels = fields.map((field) => asText(field.fieldLabel).trim());
  return fields.map((field, index) => {
    const place = index + 1;
    const label = labels[index] ?? '';
    if (['', ...RESERVED].includes(label) || labels.indexOf(label) !== index) {
      throw wrong(place, `needs a label that no other field has, and not ${RESERVED.join(' or ')}`);
    }
    return readField(field, place, { label, required: isOn(field.requiredField) });
  });
}

function readField(given: JsonObject, place: number, named: Pick<Field, 'label' | 'required'>): Field {
  const type = given.fieldType === undefined ? 'text' : asText(given.fieldType);
  switch (type) {
    case 'checkbox':
    case 'dropdown':
    case 'radio': {
      const kind = type === 'dropdown' && isOn(given.multiselect) ? 'checkbox' : type;
      return { ...named, kind, options: readOptions(given.fieldOptions, place) };
    }
    case 'date':
    case 'email':
    case 'number':
    case 'text':
    case 'textarea':
      return { ...named, kind: type, placeholder: asText(given.placeholder).trim() };
    default:
      throw wrong(place, `must have one of these as its 'Element Type': ${Object.keys(TYPES).join(', ')}`);
  }
}

function readOptions(given: unknown, place: number): string[] {
  const values: unknown = isObject(given) ? given.values : [];
  const options = [values].flat().map((value) => (isObject(value) ? asText(value.option).trim() : ''));
  const isValid = options.length > 0 && !options.includes('') && new Set(options).size === options.length;
  if (!isValid) throw wrong(place, "needs 'Field Options', each with another text");
  return options;
}

function wrong(place: number, what: string): FailureError {
  return new FailureError(failure('formFieldInvalid', { place, wrong: what }));
}

/** An expression may give a text. */
function isOn(value: unknown): boolean {
  return value === true || value === 'true';
}
