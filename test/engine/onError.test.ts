import type { IDataObject } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { runWorkflow } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const run = async (setup: Omit<Parameters<typeof runWorkflow>[0], 'account'>) =>
  await runWorkflow({ account: accountOf(sandbox()), ...setup });

/** Five contacts; those with the indexes 1 and 3 are invalid. */
const mixed = contacts(5).map((contact, index): IDataObject => {
  if (index === 1) return { ...contact, phone: '07700 900001', name: 'Made-up Person' };
  if (index === 3) return { ...contact, text: '  ', name: 'Another Made-up Person' };
  return contact;
});

describe.each(SENDING_OPERATIONS)('%s', (_name, parameters) => {
  test('sends nothing with On Error set to Stop if items are invalid, and names these items', async () => {
    const { error } = await run({ items: mixed, parameters });
    expect(error).toMatchObject({
      name: 'NodeOperationError',
      message: 'The phone number begins with 0, so its country code is missing',
      context: { itemIndex: 1 },
    });
    expect(error?.description).toContain('Nothing was sent. Affected items (counted from 0): 1, 3.');
    expect(sandbox().requests()).toEqual([]);
  });

  test('sends the others with On Error set to Continue, and an invalid item has its reason in its place', async () => {
    const { outputs, error } = await run({ items: mixed, parameters, onError: 'continueRegularOutput' });
    expect(error).toBeUndefined();
    expect(receivedPhones(sandbox())).toEqual([0, 2, 4].map(phoneAt));
    expect(outputs).toHaveLength(1);
    expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3, 4].map((item) => ({ item })));
    expect(outputs[0]?.map(({ json }) => json.phone ?? json.error)).toEqual([
      phoneAt(0),
      'The phone number begins with 0, so its country code is missing',
      phoneAt(2),
      'The message is empty',
      phoneAt(4),
    ]);
  });

  test('gives a failed item its reason and its own fields on the error output', async () => {
    const { outputs } = await run({ items: mixed, parameters, onError: 'continueErrorOutput' });
    const [sent, failed] = outputs;
    expect(sent?.map(({ json }) => json.phone)).toEqual([0, 2, 4].map(phoneAt));
    expect(failed?.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual([
      {
        json: {
          ...mixed[1],
          error: 'The phone number begins with 0, so its country code is missing',
          details: {
            code: 'INVALID_PHONE',
            http_status: null,
            outcome: 'not_sent',
            phone: '07700 900001',
            description: expect.any(String) as string,
          },
        },
        pairedItem: { item: 1 },
      },
      {
        json: {
          ...mixed[3],
          error: 'The message is empty',
          details: {
            code: 'INVALID_MESSAGE',
            http_status: null,
            outcome: 'not_sent',
            phone: phoneAt(3),
            description: expect.any(String) as string,
          },
        },
        pairedItem: { item: 3 },
      },
    ]);
  });

  test('sends the other items if an expression fails for one', async () => {
    const failing = { ...parameters, message: '={{ $json.text.toUpperCase(1, $json.bad ? $("Nowhere").item : 0) }}' };
    const items = contacts(3).map((contact, index) => ({ ...contact, bad: index === 1 }));
    const { outputs } = await run({ items, parameters: failing, onError: 'continueErrorOutput' });
    expect(receivedPhones(sandbox())).toEqual([phoneAt(0), phoneAt(2)]);
    expect(outputs[1]?.map(({ json }) => json.error)).toEqual([
      expect.stringMatching(/^An expression can't be evaluated/),
    ]);
  });

  test('fails every item after one request with a wrong key, and passes none on as sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 401, times: 99 }]);
    const { outputs } = await run({ items: contacts(250), parameters, onError: 'continueErrorOutput' });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]).toHaveLength(250);
    expect(sandbox().requests()).toHaveLength(1);
  });

  test('fails every item if the node is not set up, and passes none on as sent', async () => {
    const broken = { ...parameters, requestOptions: { proxy: 'http://' } };
    const { outputs } = await run({ items: contacts(3), parameters: broken, onError: 'continueErrorOutput' });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map(({ json }) => json.error)).toEqual(Array(3).fill(expect.stringMatching(/proxy/)));
  });
});

test('Send refuses a text of 1,001 characters and reports its length, and Send Bulk lets the service decide', async () => {
  const items = [{ phone: phoneAt(0), text: 'x'.repeat(1001) }];
  expect((await run({ items, parameters: SEND })).error?.message).toBe(
    'The message has 1001 characters, but at most 1000 can be sent',
  );
  expect((await run({ items, parameters: SEND_BULK })).error).toBeUndefined();
});

test('A run that stops reports how many messages were sent, and starts no request after the failure', async () => {
  sandbox().setFaults([{ kind: 'status', status: 500, after: 1 }]);
  const parameters = withOptions(SEND_BULK, { parallelRequests: 1 });
  const { error } = await run({ items: contacts(350), parameters });
  expect(error).toMatchObject({ httpCode: '500', context: { itemIndex: 100 } });
  expect(error?.description).toContain('100 of 350 messages were sent');
  expect(sandbox().requests()).toHaveLength(2);
});

test('A batch whose answer is lost is uncertain, and the next batches are sent', async () => {
  sandbox().setFaults([{ kind: 'reset-after', after: 1 }]);
  const { outputs } = await run({ items: contacts(250), parameters: SEND_BULK, onError: 'continueErrorOutput' });
  expect(outputs[0]).toHaveLength(150);
  expect(outputs[1]).toHaveLength(100);
  expect(outputs[1]?.every(({ json }) => detailsOf({ json }).outcome === 'uncertain')).toBe(true);
});

test('A batch that the credits do not cover is not sent, and neither is any batch after it', async () => {
  sandbox().setCredits(150);
  const parameters = withOptions(SEND_BULK, { parallelRequests: 1 });
  const { outputs } = await run({ items: contacts(250), parameters, onError: 'continueErrorOutput' });
  expect(outputs[0]).toHaveLength(100);
  expect(outputs[1]).toHaveLength(150);
  expect(outputs[1]?.[0]?.json).toMatchObject({
    error: 'Not enough credits: 100 needed, 50 available',
    details: { outcome: 'not_sent', http_status: 402 },
  });
});

describe('A message that only the service refuses', () => {
  // The sandbox accepts every number that the node accepts, so a fault refuses one.
  const refuse = (index: number, shape: object) =>
    sandbox().setFaults([{ kind: 'status', status: 422, on: 'bulk', ...shape, fields: [`messages.${index}.phone`] }]);

  test.each(['field-message', 'dotted', 'bracket', 'object', 'nested', 'text'] as const)(
    'does not keep the others of its batch from being sent, with details of the shape %s',
    async (detailsShape) => {
      refuse(3, { detailsShape });
      const { outputs } = await run({ items: contacts(10), parameters: SEND_BULK, onError: 'continueErrorOutput' });
      expect(outputs[1]?.map(({ json }) => json.text)).toEqual(['Hello 3']);
      expect(outputs[1]?.[0]?.json).toMatchObject({
        details: { code: 'VALIDATION_ERROR', http_status: 422, outcome: 'not_sent', batch: 1 },
      });
      expect(receivedPhones(sandbox())).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9].map(phoneAt));
      expect(sandbox().requests()).toHaveLength(2);
    },
  );

  test('is named when the run stops', async () => {
    refuse(3, { detailsShape: 'dotted' });
    const { error } = await run({ items: contacts(10), parameters: SEND_BULK });
    expect(error).toMatchObject({
      message: 'The service rejected the phone number of this message',
      context: { itemIndex: 3 },
    });
    expect(receivedPhones(sandbox())).toEqual([]);
  });
});

test('Every invalid entry of a list has its own item, with its place in the list', async () => {
  const list = [{ phone: phoneAt(0), message: 'Hello' }, 'nonsense', { phone: 'abc', message: 'Hello' }, null];
  const { outputs } = await run({ items: [{ list }], parameters: SEND_LIST, onError: 'continueErrorOutput' });
  expect(outputs[0]).toHaveLength(1);
  expect(outputs[1]?.map(({ json }) => [json.error, detailsOf({ json }).entry])).toEqual([
    ['The entry is not an object (entry 1 of the list)', 1],
    ['The phone number contains letters (entry 2 of the list)', 2],
    ['The entry is not an object (entry 3 of the list)', 3],
  ]);
});

test.each([
  ['invalid JSON', '{ not json', "'Messages' is not valid JSON"],
  ['a quoted text', '"text"', "'Messages' is not a list"],
  ['an empty text', '', "'Messages' is not a list"],
])('A list that is %s fails with a message that says so', async (_what, list, message) => {
  const { error } = await run({ items: [{ list }], parameters: SEND_LIST });
  expect(error?.message).toBe(message);
});

test('With One Item per Request, each failed message has its own item', async () => {
  const parameters = withOptions(SEND_BULK, { output: 'batches' });
  const { outputs } = await run({ items: mixed, parameters, onError: 'continueErrorOutput' });
  expect(outputs[0]?.map(({ json }) => json.messages_sent)).toEqual([3]);
  expect(outputs[1]).toHaveLength(2);
});

test.each([
  ['a failure that stops the run', 403, undefined],
  ['a wrong key', 401, 'continueErrorOutput'],
  ['a lack of credits', 402, 'continueErrorOutput'],
] as const)(
  'No request starts after %s, not even one that already waits for its turn',
  async (_name, status, onError) => {
    sandbox().setFaults([{ kind: 'status', status, after: 1, times: 99 }]);
    const parameters = inBatchesOf(1, SEND, 1_000);
    await run({ items: contacts(30), parameters, ...(onError && { onError }) });
    expect(sandbox().requests()).toHaveLength(2);
    expect(receivedPhones(sandbox())).toEqual([phoneAt(0)]);
  },
);

test('A refusal that repeats the request is not read as a list of sent messages', async () => {
  const { phone, text } = contacts(1)[0] ?? {};
  const body = {
    success: false,
    error: { code: 'INSUFFICIENT_CREDITS', message: 'no' },
    data: { messages: [{ phone, message: text }] },
  };
  sandbox().setFaults([{ kind: 'body', status: 402, body: JSON.stringify(body) }]);
  const { outputs } = await run({ items: contacts(1), parameters: SEND_BULK, onError: 'continueErrorOutput' });
  expect(outputs[1]?.[0]?.json).toMatchObject({ details: { code: 'INSUFFICIENT_CREDITS', outcome: 'not_sent' } });
});

test('An answer with a field named error does not make n8n run the node again', async () => {
  const body = {
    success: true,
    data: { error: 'deprecated', messages_sent: 1, messages: [{ message_id: 1, phone: phoneAt(0), status: 'sent' }] },
  };
  sandbox().setFaults([{ kind: 'body', status: 201, body: JSON.stringify(body), times: 9 }]);
  const parameters = withOptions(SEND_BULK, { output: 'batches' });
  await run({ items: contacts(1), parameters, onError: 'continueRegularOutput', retryOnFail: { maxTries: 3 } });
  expect(sandbox().requests()).toHaveLength(1);
});

test('Default Country Code can differ from item to item', async () => {
  const items = [
    { phone: '07700 900123', text: 'Hello', code: '44' },
    { phone: '0151 23456789', text: 'Hello', code: '+49' },
  ];
  await run({ items, parameters: withOptions(SEND_BULK, { defaultCountryCode: '={{ $json.code }}' }) });
  expect(receivedPhones(sandbox())).toEqual(['447700900123', '4915123456789']);
});
