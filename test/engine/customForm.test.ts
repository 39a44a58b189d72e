import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { linkIn, open, type Sent } from '../support/engine/webhook';
import { continueWaiting, keptIn, type Setup } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { SEND_AND_WAIT } from '../support/parameters';

const { setupOf, run, requests, texts } = nodeForTests({
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
const asksForm = (values = FIELDS, more: Partial<Setup> = {}) =>
  setupOf({ parameters: parametersWith(values), ...more });

/** Asks. @returns what opens the link, or sends the form of its page */
const ask = async (setup: Setup) => {
  const waiting = await run(setup);
  const link = linkIn(texts().at(-1) ?? '');
  return async (form?: IDataObject, sent: Sent = {}) => await open(waiting, setup, link, form, sent);
};

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

  test('goes on waiting until every field is right, and keeps what was written', async () => {
    const answer = await ask(asksForm());
    const wrong = await answer({ 'field-0': ' ', 'field-1': '1e999', 'field-2': '1' });
    expect([wrong.status, wrong.item]).toEqual([400, undefined]);
    expect(wrong.page).toContain('id="field-0-problem" role="alert" dir="auto">Write an answer first.<');
    expect(wrong.page).toContain('id="field-1-problem" role="alert" dir="auto">This number has too many digits.<');
    expect(wrong.page).toContain('name="field-2" value="1" checked>');
    expect((await answer({ 'field-0': 'Ada' })).item).toMatchObject({ data: { Name: 'Ada', Days: [] } });
  });

  test('takes the longest text in every field, and refuses a form of 15 MB', async () => {
    const answer = await ask(asksForm(['A', 'B', 'C'].map((fieldLabel) => ({ fieldLabel, fieldType: 'textarea' }))));
    const large = await answer({ 'field-0': 'x', more: 'x'.repeat(15_000_000) });
    expect([large.status, large.item]).toEqual([413, undefined]);
    expect(large.page).toContain('This is too long: at most 10,000 characters can be sent.');
    const text = '€'.repeat(10_000);
    const { item } = await answer({ 'field-0': text, 'field-1': text, 'field-2': text });
    expect(item).toMatchObject({ data: { A: text, B: text, C: text } });
  });

  test.each(['application/json', 'application/x-www-form-urlencoded', ''])(
    'is answered by nothing but the form of its page: %s',
    async (contentType) => {
      const answer = await ask(asksForm());
      const { status, item } = await answer({ 'field-0': 'Ada' }, { contentType });
      expect([status, item]).toEqual([415, undefined]);
    },
  );

  test('is not among the input that is passed on when the time is up', async () => {
    const answered = { Name: 'Ada', respondedAt: '2026-01-01T00:00:00.000Z' };
    const setup = asksForm(FIELDS, { items: [{ ...contacts(1)[0], data: answered }] });
    const { outputs } = await continueWaiting(await run(setup), setup);
    expect(outputs[0]?.map(({ json }) => json)).toEqual(contacts(1));
  });
});

describe('A custom form that can not be shown', () => {
  const NAME = { fieldLabel: 'Name', fieldType: 'text' };

  test.each<[string, IDataObject[], string]>([
    ['without fields', [], "'Form Elements' has no fields"],
    ['with an empty label', [NAME, { fieldLabel: '={{ $json.missing }}' }], "Field 2 in 'Form Elements' has no label"],
    ['with a label twice', [NAME, NAME], "Fields 1 and 2 in 'Form Elements' have the same label"],
    ['without options', [{ fieldLabel: 'Day', fieldType: 'radio' }], "Option 1 of field 1 in 'Form Elements' is empty"],
  ])('is refused before anything is sent: %s', async (_what, fields, message) => {
    const stopped = await run(asksForm(fields));
    expect(stopped.error?.message).toBe(message);
    const continued = await run(asksForm(fields, { onError: 'continueErrorOutput' }));
    expect(continued.run.waitTill).toBeUndefined();
    expect(continued.outputs[1]?.[0]?.json.error).toBe(message);
    expect(detailsOf(continued.outputs[1]?.[0])).toMatchObject({ outcome: 'not_sent', code: 'INVALID_PARAMETER' });
    expect(requests()).toEqual([]);
  });
});

describe('Human review', () => {
  test.each(['customForm', 'freeText', "={{ $fromAI('Response', '', 'string') }}", "={{ 'customForm' }}"])(
    'asks nothing if a call could be answered by something else than an approval: %s',
    async (responseType) => {
      const fields = [{ fieldLabel: 'approved', fieldType: 'text' }];
      const parameters = { ...parametersWith(fields), responseType, sendTo: phoneAt(0) };
      const { error, run: ended } = await run(setupOf({ parameters, type: 'HitlTool' }));
      expect(error?.message).toContain("'Response Type' must be Approval in human review");
      expect(ended.waitTill).toBeUndefined();
      expect(requests()).toEqual([]);
    },
  );
});

describe('A question that an older version of the package has asked', () => {
  test.each<[string, string, IDataObject, IDataObject]>([
    [
      'for approval',
      '{"text":"Refund?","response":{"kind":"approval","approveLabel":"Yes","declineLabel":"No","commentLabel":"Why?"},"thanks":"Bye"}',
      { decision: 'decline', comment: 'late' },
      { approved: false, comment: 'late' },
    ],
    [
      'for a text',
      '{"text":"When?","response":{"kind":"freeText","buttonLabel":"Send"},"thanks":"Bye"}',
      { text: 'Tuesday' },
      { text: 'Tuesday' },
    ],
  ])('can be answered: %s', async (_what, question, form, data) => {
    const setup = setupOf({});
    const waiting = await run(setup);
    const kept = keptIn(waiting);
    const { execution, run: number } = JSON.parse(kept.question as string) as { execution: string; run: number };
    kept.question = `{"execution":${JSON.stringify(execution)},"run":${number},"question":${question}}`;
    const { page, item } = await open(waiting, setup, linkIn(texts().at(-1) ?? ''), form);
    expect(page).toContain('<h1>Bye</h1>');
    expect(item).toMatchObject({ data });
  });
});
