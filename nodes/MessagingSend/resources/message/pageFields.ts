import type { INodeProperties } from 'n8n-workflow';

import { asText, isObject, type JsonObject } from '../../api/objects';
import { failure, FailureError } from '../../failures/failure';
import { booleanField, choiceField, textField, valuesOf } from '../../n8n/input/readOptions';
import type { Field } from '../../questions/field';
import type { Button, Question, Response } from '../../questions/question';

// The user's settings for the page behind the link, named as in n8n's own nodes where those have the same.

export const responseType = choiceField('Response Type', 'responseType', {
  default: 'approval',
  description: 'How the recipient answers the question',
  choices: {
    approval: ['Approval', 'The page shows a button to approve and one to decline'],
    customForm: ['Custom Form', 'The page shows the fields that you add'],
    freeText: ['Free Text', 'The page shows a text field'],
  },
});

// Only an approval approves a tool's call, so human review offers nothing else where n8n shows the list.
for (const choice of responseType.options)
  if (choice.value !== 'approval') choice.displayOptions = { hide: { '@tool': [true] } };

const approvalType = choiceField('Type of Approval', 'approvalType', {
  default: 'double',
  choices: { double: ['Approve and Decline'], single: ['Approve Only'] },
});

const approveLabel = textField('Approve Button Label', 'approveLabel', { default: 'Approve' });

const disapproveLabel = textField('Decline Button Label', 'disapproveLabel', {
  displayOptions: { show: { approvalType: ['double'] } },
  default: 'Decline',
});

const commentLabel = textField('Comment Field Label', 'commentLabel', {
  placeholder: 'e.g. Comment (optional)',
  hint: 'Without a label, the page has no comment field',
  description: 'Label of a field for a comment beside the decision',
});

export const approvalOptions: INodeProperties = {
  displayName: 'Approval Options',
  name: 'approvalOptions',
  type: 'fixedCollection',
  placeholder: 'Add option',
  default: {},
  description: 'Buttons and comment field of the answer page',
  options: valuesOf(approvalType, approveLabel, disapproveLabel, commentLabel),
};

/** What a field of Custom Form can be, by the values of n8n's own nodes. */
const fieldType = choiceField<Field['kind']>('Element Type', 'fieldType', {
  noDataExpression: false,
  default: 'text',
  description: 'What the page shows for the field',
  choices: {
    checkbox: ['Checkboxes'],
    date: ['Date'],
    dropdown: ['Dropdown'],
    email: ['Email'],
    number: ['Number'],
    radio: ['Radio Buttons'],
    text: ['Text Input'],
    textarea: ['Textarea'],
  },
});

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
    fieldType,
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
    booleanField('Multiple Choice', 'multiselect', {
      noDataExpression: false,
      displayOptions: { show: { fieldType: ['dropdown'] } },
      default: false,
      description: 'Whether several options can be chosen. The page then shows them as checkboxes.',
    }),
    textField('Placeholder', 'placeholder', {
      displayOptions: { show: { fieldType: ['email', 'number', 'text', 'textarea'] } },
      placeholder: 'e.g. name@example.com',
      description: 'Text inside the field while it is empty',
    }),
    booleanField('Required Field', 'requiredField', {
      noDataExpression: false,
      default: false,
      description: 'Whether the form can be sent only with an answer in this field',
    }),
  ),
};

export const buttonLabel = textField('Response Button Label', 'responseButtonLabel', {
  displayOptions: { show: { '/responseType': ['customForm', 'freeText'] } },
  default: 'Send',
  description: 'Label of the button that sends the text or the form',
});

export const pageTitle = textField('Page Title', 'responseFormTitle', {
  placeholder: 'e.g. Order 1042',
  description: "Title of the answer page, which browsers show in the tab. The default is the workflow's name.",
});

export const thanks = textField('Thank You Text', 'thankYouText', {
  default: 'Thank you. You can close this page.',
  description: 'Text that the page shows after the answer',
});

/**
 * Reads the page's parameters.
 * @param workflow its name, which is the page's title by default
 * @throws FailureError for a form that can't be shown, and what n8n throws for an expression that fails
 */
export function readPage(
  read: (name: string, fallback: unknown) => unknown,
  workflow: string | undefined,
): Omit<Question, 'text'> {
  const textIn = (collection: string, { name, default: fallback }: INodeProperties): string => {
    const given = read(`${collection}.${name}`, '');
    return typeof given === 'string' && given.trim() !== '' ? given : (fallback as string);
  };
  const approval = (field: INodeProperties) => textIn(`${approvalOptions.name}.values`, field);
  const page = { title: textIn('options', pageTitle) || workflow, thanks: textIn('options', thanks) };
  const textarea = { kind: 'textarea', placeholder: '' } as const;
  const send = () => [{ label: textIn('options', buttonLabel), decision: null }];
  const responseWith = (kind: unknown): Response => {
    if (kind === 'freeText')
      return { kind, fields: [{ ...textarea, name: 'text', label: '', required: true }], buttons: send() };
    if (kind === 'customForm')
      return { kind, fields: readFormFields(read(`${formFields.name}.values`, [])), buttons: send() };
    const label = approval(commentLabel);
    const buttons: Button[] = [{ label: approval(approveLabel), decision: 'approve' }];
    if (approval(approvalType) !== 'single') buttons.push({ label: approval(disapproveLabel), decision: 'decline' });
    const fields = label === '' ? [] : [{ ...textarea, name: 'comment', label, required: false }];
    return { kind: 'approval', fields, buttons };
  };
  return { ...page, response: responseWith(read(responseType.name, '')) };
}

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
    return readField(field, place, { name: `field-${index}`, label, required: isOn(field.requiredField) });
  });
}

function readField(given: JsonObject, place: number, named: Pick<Field, 'name' | 'label' | 'required'>): Field {
  const { fieldType: chosen = fieldType.default } = given;
  const kinds = fieldType.options.map(({ value }) => value);
  const type = kinds.find((value) => value === chosen);
  if (type === undefined) throw wrong(place, `must have one of these as its 'Element Type': ${kinds.join(', ')}`);
  if (type !== 'checkbox' && type !== 'dropdown' && type !== 'radio')
    return { ...named, kind: type, placeholder: asText(given.placeholder).trim() };
  const kind = type === 'dropdown' && isOn(given.multiselect) ? 'checkbox' : type;
  return { ...named, kind, options: readOptions(given.fieldOptions, place) };
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
