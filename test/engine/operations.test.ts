import { KEY } from '../support/account';
import { contacts, listOf, phoneAt } from '../support/contacts';
import { loadPackage } from '../support/engine/engine';
import { runRouting, runWorkflow } from '../support/engine/workflow';
import { GET_BALANCE, SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import {
  accountOf,
  receivedContacts,
  receivedPhones,
  receivedTexts,
  requestSizes,
  sandboxForTests,
} from '../support/sandbox';

const sandbox = sandboxForTests();

test.each([
  ['no credits', '{}'],
  ['credits that are no number', '{"credits":null,"user_id":1}'],
])('Get Balance fails if the service reports %s', async (_what, data) => {
  sandbox().setFaults([{ kind: 'body', status: 200, body: `{"success":true,"data":${data}}` }]);
  const { error } = await runWorkflow({ account: accountOf(sandbox()), items: [{}], parameters: GET_BALANCE });
  expect(error?.message).toBe('The service responded, but did not report the credits');
});

test('Get Balance returns credits that come as a text as a number', async () => {
  sandbox().setFaults([{ kind: 'body', status: 200, body: '{"success":true,"data":{"credits":"12"}}' }]);
  const { outputs } = await runWorkflow({ account: accountOf(sandbox()), items: [{}], parameters: GET_BALANCE });
  expect(outputs[0]?.map(({ json }) => json)).toEqual([{ credits: 12, user_id: null, user_name: null }]);
});

describe.each(['/v1', '/v1/', '/api/v1', '/api/v1//'])('With a Base URL that ends in %s,', (prefix) => {
  test('Get Balance returns credits and owner, in a workflow and through its routing', async () => {
    const setup = { account: accountOf(sandbox(), prefix), items: [{}], parameters: GET_BALANCE };
    const balance = [{ json: { credits: 100_000, user_id: 4711, user_name: 'Sandbox User' }, pairedItem: { item: 0 } }];

    expect((await runWorkflow(setup)).outputs).toEqual([balance]);
    expect(await runRouting(setup)).toEqual(balance);
  });

  test('Send returns the result of each message, in a workflow and through its routing', async () => {
    const setup = { account: accountOf(sandbox(), prefix), items: contacts(2), parameters: SEND };
    const result = (index: number, credits_remaining: unknown) => ({
      json: {
        message_id: expect.any(Number) as number,
        status: 'sent',
        credits_used: 1,
        credits_remaining,
        sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        phone: phoneAt(index),
      },
      pairedItem: { item: index },
    });

    expect((await runWorkflow(setup)).outputs).toEqual([[result(0, 99_999), result(1, 99_998)]]);
    // n8n's routing starts the requests of all items at the same time, so their order varies.
    expect(await runRouting(setup)).toEqual([result(0, expect.any(Number)), result(1, expect.any(Number))]);
    expect(receivedPhones(sandbox())).toHaveLength(4);
  });

  test('Send Bulk returns one item per message, in a workflow and through its routing', async () => {
    const setup = { account: accountOf(sandbox(), prefix), items: contacts(1), parameters: SEND_BULK };
    const result = {
      json: { message_id: expect.any(Number) as number, phone: phoneAt(0), status: 'sent', batch: 1 },
      pairedItem: { item: 0 },
    };

    expect((await runWorkflow(setup)).outputs).toEqual([[result]]);
    expect(await runRouting(setup)).toEqual([result]);
    expect(
      sandbox()
        .requests()
        .map(({ path }) => path),
    ).toEqual(Array(2).fill(`${prefix.replace(/\/+$/, '')}/messages/send-bulk`));
  });
});

describe('Send Bulk', () => {
  test.each([
    [1, [1]],
    [99, [99]],
    [100, [100]],
    [101, [100, 1]],
    [1000, Array(10).fill(100)],
  ])('packs %i items into as few requests as possible', async (count, sizes) => {
    const items = contacts(count);
    const { outputs } = await runWorkflow({ account: accountOf(sandbox()), items, parameters: SEND_BULK });

    expect(requestSizes(sandbox())).toEqual(sizes);
    expect(receivedContacts(sandbox())).toEqual(items);
    expect(outputs).toHaveLength(1);
    expect(outputs[0]?.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(
      items.map(({ phone }, index) => ({
        json: { message_id: 1001 + index, phone, status: 'sent', batch: Math.floor(index / 100) + 1 },
        pairedItem: { item: index },
      })),
    );
  });

  test('returns each answer with Output set to One Item per Request, linked to its items', async () => {
    const parameters = withOptions(SEND_BULK, { output: 'batches' });
    const { outputs } = await runWorkflow({ account: accountOf(sandbox()), items: contacts(101), parameters });

    expect(outputs[0]).toEqual([
      {
        json: expect.objectContaining({
          messages_sent: 100,
          credits_used: 100,
          credits_remaining: 99_900,
          batch: 1,
        }) as object,
        pairedItem: Array.from({ length: 100 }, (_, item) => ({ item })),
      },
      {
        json: {
          messages_sent: 1,
          credits_used: 1,
          credits_remaining: 99_899,
          batch: 2,
          messages: [expect.objectContaining({ phone: phoneAt(100) })],
        },
        pairedItem: [{ item: 100 }],
      },
    ]);
  });

  test.each([
    ['an array', (list: object[]) => list],
    ['JSON text', (list: object[]) => JSON.stringify(list)],
    ['the body of a webhook', (list: object[]) => ({ messages: list })],
  ])('takes a list of any length as %s, in a workflow and through its routing', async (_what, wrap) => {
    const list = listOf(250);
    const setup = { account: accountOf(sandbox()), items: [{ list: wrap(list) }], parameters: SEND_LIST };

    const { outputs } = await runWorkflow(setup);
    expect(outputs[0]?.map(({ json }) => json.phone)).toEqual(list.map(({ phone }) => phone));
    expect(outputs[0]?.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(true);
    expect(requestSizes(sandbox())).toEqual([100, 100, 50]);

    sandbox().reset();
    expect(await runRouting(setup)).toEqual(outputs[0]);
    expect(requestSizes(sandbox())).toEqual([100, 100, 50]);
  });

  test('packs the lists of several items together, and links each message to its item', async () => {
    const list = listOf(130);
    const items = [{ list: list.slice(0, 60) }, { list: list.slice(60) }];
    const { outputs } = await runWorkflow({ account: accountOf(sandbox()), items, parameters: SEND_LIST });

    expect(requestSizes(sandbox())).toEqual([100, 30]);
    expect(outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([
      ...Array<object>(60).fill({ item: 0 }),
      ...Array<object>(70).fill({ item: 1 }),
    ]);
  });

  test('sends nothing for an empty list', async () => {
    const setup = { account: accountOf(sandbox()), items: [{ list: [] }], parameters: SEND_LIST };
    expect((await runWorkflow(setup)).error).toBeUndefined();
    expect(await runRouting(setup)).toEqual([]);
    expect(sandbox().requests()).toEqual([]);
  });
});

test('Phone numbers are sent as digits, however they are written', async () => {
  const phones = [
    '+44 7700 900123',
    '0044-7700-900124',
    '(44) 7700/900.125',
    '+44 (0)7700\u00a0900126',
    447700900127,
    '\u202a447700900128\u202c',
  ];
  const items = phones.map((phone) => ({ phone, text: 'Hello' }));
  await runWorkflow({ account: accountOf(sandbox()), items, parameters: SEND_BULK });

  expect(receivedPhones(sandbox())).toEqual([123, 124, 125, 126, 127, 128].map((end) => `447700900${end}`));
});

test('A text arrives unchanged, with line breaks, emoji and markup', async () => {
  const text = 'Line 1\nLine 2 “quoted” <b>&amp;</b> 👋🏽 \\ { not an expression }';
  for (const parameters of [SEND, SEND_BULK]) {
    await runWorkflow({ account: accountOf(sandbox()), items: [{ phone: phoneAt(1), text }], parameters });
  }
  expect(receivedTexts(sandbox())).toEqual([text, text]);
});

test('Send accepts 1,000 characters, and counts an emoji as one', async () => {
  const items = [{ phone: phoneAt(1), text: '👋'.repeat(1000) }];
  const { error } = await runWorkflow({ account: accountOf(sandbox()), items, parameters: SEND });
  expect(error).toBeUndefined();
  expect(receivedPhones(sandbox())).toHaveLength(1);
});

test("A run leaves no key in the node's description, which all runs share", async () => {
  const setup = { account: accountOf(sandbox()), items: contacts(1), parameters: SEND };
  await runRouting(setup);
  await runWorkflow(setup);
  expect(JSON.stringify((await loadPackage()).node.description)).not.toContain(KEY);
});

test('The key is sent without the white space that was pasted with it', async () => {
  const account = { ...accountOf(sandbox()), apiKey: ` ${KEY}\n` };
  const { error } = await runWorkflow({ account, items: contacts(1), parameters: SEND });
  expect(error).toBeUndefined();
});
