import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { SEND_AND_WAIT } from '../support/parameters';

const { setupOf, run, ask, requests } = nodeForTests({
  items: contacts(1),
  parameters: SEND_AND_WAIT,
  mode: 'trigger',
});

const DAYS = { values: [{ option: 'Monday' }, { option: 'Tuesday' }] };
const FIELDS: IDataObject[] = [
  { fieldLabel: 'Name', fieldType: 'text', requiredField: true },
  { fieldLabel: 'Guests', fieldType: 'number' },
  { fieldLabel: 'Days', fieldType: 'dropdown', fieldOptions: DAYS, multiselect: true },
  { fieldLabel: '={{ $json.text }}', fieldType: 'radio', fieldOptions: DAYS },
];
const parametersWith = (values: IDataObject[], more: INodeParameters = {}) =>
  ({ ...SEND_AND_WAIT, responseType: 'customForm', formFields: { values }, ...more }) as INodeParameters;
describe('The link of a question with a custom form', () => {
  test('shows the fields, and passes the answers on by their labels', async () => {
    const options = { responseButtonLabel: 'Book', thankYouText: 'Booked.' };
    const answer = await ask(setupOf({ parameters: parametersWith(FIELDS, { options }) }));
    const { status, page, item } = await answer();
    expect([status, item]).toEqual([200, undefined]);
    expect(page).toContain('<label for="field-0">Name *</label>');
    expect(page).toContain('<legend>Hello 0</legend>');
    expect(page).toContain('Book</button>');
    const answered = await answer({ 'field-0': 'Ada', 'field-1': '2', 'field-2': ['0', '1'] });
    expect(answered.page).toContain('Booked.');
    const respondedAt = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const data = { Name: 'Ada', Guests: 2, Days: ['Monday', 'Tuesday'], 'Hello 0': null, respondedAt };
    expect(answered.item).toEqual({ data });
  });

  test.each<[options: INodeParameters, title: RegExp]>([
    [{}, /<title>Made-up workflow<\/title>/],
    [{ responseFormTitle: 'Order 1042' }, /<title>Order 1042<\/title>/],
  ])('has the title that the options %j give it', async (options, title) => {
    const answer = await ask(setupOf({ parameters: parametersWith(FIELDS, { options }) }));
    expect((await answer()).page).toMatch(title);
  });

  test('can only be answered by the form of its page', async () => {
    const answer = await ask(setupOf({ parameters: parametersWith(FIELDS) }));
    const { status, item } = await answer({ 'field-0': 'Ada' }, { contentType: 'application/x-www-form-urlencoded' });
    expect([status, item]).toEqual([415, undefined]);
  });
});

const NO_APPROVAL = "'Response Type' must be Approval in human review";

test.each([
  ['answer it by a form', { responseType: 'customForm' }, NO_APPROVAL],
  ['answer it by what the model chooses', { responseType: "={{ $fromAI('Response', '', 'string') }}" }, NO_APPROVAL],
  ['answer it by an expression', { responseType: "={{ 'customForm' }}" }, NO_APPROVAL],
  ['be chosen by the model', { sendTo: "={{ $fromAI('Phone', ``, 'string') }}" }, "The model can't fill in 'Phone'"],
])('Human review asks nothing if the person who approves a call could %s', async (_what, changed, message) => {
  const fields = [{ fieldLabel: 'approved', fieldType: 'text' }];
  const parameters = { ...parametersWith(fields), responseType: 'approval', sendTo: phoneAt(0), ...changed };
  const { error, run: ended } = await run(setupOf({ parameters, type: 'HitlTool' }));
  expect(error?.message).toContain(message);
  expect(ended.waitTill).toBeUndefined();
  expect(requests()).toEqual([]);
});
