import { FailureError } from '../../nodes/MessagingSend/failures/failure';
import { readFormFields } from '../../nodes/MessagingSend/resources/message/formFields';

const options = (...texts: unknown[]) => ({ values: texts.map((option) => ({ option })) });
const radio = (...texts: unknown[]) => ({ fieldLabel: 'Day', fieldType: 'radio', fieldOptions: options(...texts) });

/** The message of the failure that rejects the fields. */
const refusal = (given: unknown): string => {
  try {
    readFormFields(given);
  } catch (error) {
    if (error instanceof FailureError) return `${error.reason.code}: ${error.reason.message}`;
    throw error;
  }
  throw new Error('the fields were accepted');
};

describe('The fields of a custom form', () => {
  test("are read by the names and values that n8n's own nodes have", () => {
    const given = [
      { fieldLabel: ' Name ', placeholder: 'Ada', requiredField: true },
      { fieldLabel: 'Note', fieldType: 'textarea', placeholder: 'Any', requiredField: 'true' },
      { fieldLabel: 1, fieldType: 'number' },
      { fieldLabel: 'Email', fieldType: 'email', fieldOptions: options('') },
      { fieldLabel: 'Date', fieldType: 'date', multiselect: true },
      { fieldLabel: 'One', fieldType: 'dropdown', fieldOptions: options(' a ', 2) },
      { fieldLabel: 'Several', fieldType: 'dropdown', fieldOptions: options('a'), multiselect: true },
      { ...radio('a', 'A'), multiselect: true },
      { fieldLabel: 'Boxes', fieldType: 'checkbox', fieldOptions: options('a'), multiselect: false },
    ];
    expect(readFormFields(given)).toEqual([
      { kind: 'text', label: 'Name', placeholder: 'Ada', required: true },
      { kind: 'textarea', label: 'Note', placeholder: 'Any', required: true },
      { kind: 'number', label: '1', placeholder: '', required: false },
      { kind: 'email', label: 'Email', placeholder: '', required: false },
      { kind: 'date', label: 'Date', placeholder: '', required: false },
      { kind: 'dropdown', label: 'One', options: ['a', '2'], required: false },
      { kind: 'checkbox', label: 'Several', options: ['a'], required: false },
      { kind: 'radio', label: 'Day', options: ['a', 'A'], required: false },
      { kind: 'checkbox', label: 'Boxes', options: ['a'], required: false },
    ]);
  });

  const label = (place: number) =>
    `Field ${place} in 'Form Elements' needs a label that no other field has, and not respondedAt or __proto__`;
  const OPTIONS = "Field 1 in 'Form Elements' needs 'Field Options', each with another text";
  const TYPES = 'checkbox, date, dropdown, email, number, radio, text, textarea';

  test.each<[unknown, string]>([
    [[], "'Form Elements' has no fields"],
    ['words', "'Form Elements' has no fields"],
    [[{ fieldLabel: 'A' }, { fieldLabel: ' ' }], label(2)],
    [[{ fieldLabel: '__proto__' }], label(1)],
    [[{ fieldLabel: 'A' }, { fieldLabel: 'B' }, { fieldLabel: 'A ' }], label(3)],
    [[null], label(1)],
    ...['file', 'Text', 'toString', 7].map((fieldType): [unknown, string] => [
      [{ fieldLabel: 'A', fieldType }],
      `Field 1 in 'Form Elements' must have one of these as its 'Element Type': ${TYPES}`,
    ]),
    ...['dropdown', 'radio', 'checkbox'].map((fieldType): [unknown, string] => [
      [{ fieldLabel: 'A', fieldType, fieldOptions: { values: [] } }],
      OPTIONS,
    ]),
    [[{ fieldLabel: 'A', fieldType: 'radio' }], OPTIONS],
    [[radio('a', ' ')], OPTIONS],
    [[radio({}, 'a')], OPTIONS],
    [[radio('a', 'b', ' a')], OPTIONS],
  ])('are refused if they are %j', (given, message) => {
    expect(refusal(given)).toBe(`INVALID_PARAMETER: ${message}`);
  });
});
