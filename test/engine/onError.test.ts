import type { IDataObject } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { runWorkflow } from '../support/engine/workflow';
import { SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const received = () =>
  sandbox()
    .messages()
    .map(({ phone }) => phone);
const run = async (setup: Omit<Parameters<typeof runWorkflow>[0], 'account'>) =>
  await runWorkflow({ account: accountOf(sandbox()), ...setup });

/** Five contacts; those at 1 and 3 can't be sent. */
const mixed = contacts(5).map((contact, index): IDataObject => {
  if (index === 1) return { ...contact, phone: '07700 900001', name: 'Made-up Person' };
  if (index === 3) return { ...contact, text: '  ', name: 'Another Made-up Person' };
  return contact;
});

describe.each([
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
])('%s', (_name, parameters) => {
  test('On Error: Stop sends nothing when an item can not be sent, and names the items', async () => {
    const { error } = await run({ items: mixed, parameters });
    expect(error).toMatchObject({
      name: 'NodeOperationError',
      message: 'The phone number begins with 0, so its country code is missing',
      context: { itemIndex: 1 },
    });
    expect(error?.description).toContain('Nothing was sent. Items concerned: 1, 3.');
    expect(sandbox().requests()).toEqual([]);
  });

  test('On Error: Continue sends the others, and a bad item tells why in its place', async () => {
    const { outputs, error } = await run({ items: mixed, parameters, onError: 'continueRegularOutput' });
    expect(error).toBeUndefined();
    expect(received()).toEqual([0, 2, 4].map(phoneAt));
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

  test('with the error output, a failed item has the reason and its own fields', async () => {
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

  test('an expression that fails for one item costs no other its message', async () => {
    const failing = { ...parameters, message: '={{ $json.text.toUpperCase(1, $json.bad ? $("Nowhere").item : 0) }}' };
    const items = contacts(3).map((contact, index) => ({ ...contact, bad: index === 1 }));
    const { outputs } = await run({ items, parameters: failing, onError: 'continueErrorOutput' });
    expect(received()).toEqual([phoneAt(0), phoneAt(2)]);
    expect(outputs[1]?.map(({ json }) => json.error)).toEqual([expect.stringMatching(/^An expression failed/)]);
  });

  test('a wrong key fails every item after one request, and passes none on as sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 401, times: 99 }]);
    const { outputs } = await run({ items: contacts(250), parameters, onError: 'continueErrorOutput' });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]).toHaveLength(250);
    expect(sandbox().requests()).toHaveLength(1);
  });

  test('a node that is not set up fails every item, and passes none on as sent', async () => {
    const broken = { ...parameters, requestOptions: { proxy: 'http://' } };
    const { outputs } = await run({ items: contacts(3), parameters: broken, onError: 'continueErrorOutput' });
    expect(outputs[0]).toEqual([]);
    expect(outputs[1]?.map(({ json }) => json.error)).toEqual(Array(3).fill(expect.stringMatching(/proxy/)));
  });
});

test('Send refuses a text of 1,001 characters and gives its length; Send Bulk lets the service decide', async () => {
  const items = [{ phone: phoneAt(0), text: 'x'.repeat(1001) }];
  expect((await run({ items, parameters: SEND })).error?.message).toBe(
    'The message has 1001 characters; at most 1000 can be sent',
  );
  expect((await run({ items, parameters: SEND_BULK })).error).toBeUndefined();
});

test('On Error: Stop says how many messages had gone out, and starts no request after a failure', async () => {
  sandbox().setFaults([{ kind: 'status', status: 500, after: 1 }]);
  const parameters = withOptions(SEND_BULK, { parallelRequests: 1 });
  const { error } = await run({ items: contacts(350), parameters });
  expect(error).toMatchObject({ httpCode: '500', context: { itemIndex: 100 } });
  expect(error?.description).toContain('100 of 350 messages had gone out before');
  expect(sandbox().requests()).toHaveLength(2);
});

test('a batch whose fate is not known is uncertain, and the next batches are sent', async () => {
  sandbox().setFaults([{ kind: 'reset-after', after: 1 }]);
  const { outputs } = await run({ items: contacts(250), parameters: SEND_BULK, onError: 'continueErrorOutput' });
  expect(outputs[0]).toHaveLength(150);
  expect(outputs[1]).toHaveLength(100);
  expect(outputs[1]?.every(({ json }) => (json.details as IDataObject).outcome === 'uncertain')).toBe(true);
});

test('a batch that the credits do not cover is not sent, nor anything after it', async () => {
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

describe('a message that only the service knows to be bad', () => {
  // A number that the node takes and this sandbox refuses does not exist, so the fault names it.
  const refuse = (index: number, shape: object) =>
    sandbox().setFaults([{ kind: 'status', status: 422, on: 'bulk', ...shape, fields: [`messages.${index}.phone`] }]);

  test.each(['field-message', 'dotted', 'bracket', 'object', 'nested', 'text'] as const)(
    'costs no other of its batch (details: %s)',
    async (detailsShape) => {
      refuse(3, { detailsShape });
      const { outputs } = await run({ items: contacts(10), parameters: SEND_BULK, onError: 'continueErrorOutput' });
      expect(outputs[1]?.map(({ json }) => json.text)).toEqual(['Hello 3']);
      expect(outputs[1]?.[0]?.json).toMatchObject({
        details: { code: 'VALIDATION_ERROR', http_status: 422, outcome: 'not_sent', batch: 1 },
      });
      expect(received()).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9].map(phoneAt));
      expect(sandbox().requests()).toHaveLength(2);
    },
  );

  test('is named when the run stops', async () => {
    refuse(3, { detailsShape: 'dotted' });
    const { error } = await run({ items: contacts(10), parameters: SEND_BULK });
    expect(error).toMatchObject({
      message: 'The service does not accept the phone number of this message',
      context: { itemIndex: 3 },
    });
    expect(received()).toEqual([]);
  });
});

test('every bad entry of a list has an item of its own, with its place in the list', async () => {
  const list = [{ phone: phoneAt(0), message: 'Hello' }, 'nonsense', { phone: 'abc', message: 'Hello' }, null];
  const { outputs } = await run({ items: [{ list }], parameters: SEND_LIST, onError: 'continueErrorOutput' });
  expect(outputs[0]).toHaveLength(1);
  expect(outputs[1]?.map(({ json }) => [json.error, (json.details as IDataObject).entry])).toEqual([
    ['The entry is not an object (entry 1 of the list)', 1],
    ['The phone number contains letters (entry 2 of the list)', 2],
    ['The entry is not an object (entry 3 of the list)', 3],
  ]);
});

test.each([
  ['{ not json', 'Messages is not valid JSON'],
  ['"text"', 'Messages is not a list'],
  ['', 'Messages is not a list'],
])('a list that reads %s is an error that says so', async (list, message) => {
  const { error } = await run({ items: [{ list }], parameters: SEND_LIST });
  expect(error?.message).toBe(message);
});

test('with One Item per Request, what failed has items of its own', async () => {
  const parameters = withOptions(SEND_BULK, { output: 'batches' });
  const { outputs } = await run({ items: mixed, parameters, onError: 'continueErrorOutput' });
  expect(outputs[0]?.map(({ json }) => json.messages_sent)).toEqual([3]);
  expect(outputs[1]).toHaveLength(2);
});

test.each([
  ['On Error: Stop', 403, undefined],
  ['a wrong key', 401, 'continueErrorOutput'],
  ['no credits', 402, 'continueErrorOutput'],
] as const)(
  'after a failure (%s) no request starts, not even one that waits for its turn already',
  async (_name, status, onError) => {
    sandbox().setFaults([{ kind: 'status', status, after: 1, times: 99 }]);
    const parameters = { ...SEND, requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 1_000 } } } };
    await run({ items: contacts(30), parameters, ...(onError && { onError }) });
    expect(sandbox().requests()).toHaveLength(2);
    expect(received()).toEqual([phoneAt(0)]);
  },
);

test('a refusal that repeats the request is not taken for a list of what was sent', async () => {
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

test('an answer with an error field does not make n8n run the node again', async () => {
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
  expect(received()).toEqual(['447700900123', '4915123456789']);
});
