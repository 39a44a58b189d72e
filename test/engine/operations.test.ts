import { WorkflowExecute } from 'n8n-core';

import { contacts, listOf, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { runRouting } from '../support/engine/workflow';
import { detailsOf, hintsOf, linked } from '../support/outputs';
import { GET_BALANCE, SEND, SEND_BULK, SEND_LIST } from '../support/parameters';
import { accountOf, receivedContacts, requestSizes } from '../support/sandbox';

const { sandbox, setupOf, run, received, requests } = nodeForTests();
const sizes = () => requestSizes(sandbox());

test('Get Balance returns credits that come as a text as a number', async () => {
  sandbox().setFaults([{ kind: 'body', status: 200, body: '{"success":true,"data":{"credits":"12"}}' }]);
  const { outputs } = await run({ parameters: GET_BALANCE });
  expect(outputs[0]?.map(({ json }) => json)).toEqual([{ credits: 12, user_id: null, user_name: null }]);
});

test.each([
  { operation: "={{ 'send' }}" },
  { operation: "={{ 'sendAndWait' }}" },
  { operation: 'sendAll' },
  { resource: "={{ 'message' }}" },
  { resource: 'sms' },
  { resource: 'balance' },
])('A workflow that was imported with anything else than an operation makes no request: %j', async (given) => {
  const setup = setupOf({ items: contacts(1), parameters: { ...SEND, ...given } });
  const message = "'Resource' and 'Operation' must be chosen from their lists";
  for (const type of ['', 'Tool'] as const) {
    expect((await run({ ...setup, type })).error?.message).toContain(message);
    await expect(runRouting({ ...setup, type })).rejects.toThrow(message);
  }
  expect(requests()).toEqual([]);
});

afterEach(() => jest.restoreAllMocks());

test.each(['send', 'sendBulk', 'sendAndWait'])('By the routing, %s makes no request and says so', async (operation) => {
  const engine = WorkflowExecute.prototype as unknown as { getCustomOperation: () => unknown };
  jest.spyOn(engine, 'getCustomOperation').mockReturnValue(undefined);
  const parameters = { ...SEND_BULK, operation, sendTo: '={{ $json.phone }}' };
  const { error, outputs } = await run({ items: contacts(3), parameters, onError: 'continueRegularOutput' });
  expect(error).toBeUndefined();
  const needs = "Sending needs n8n's engine v1, and this workflow runs on another engine";
  expect(linked(outputs[0], 'error')).toEqual([0, 1, 2].map((item) => [needs, { item }]));
  for (const item of outputs[0] ?? [])
    expect(detailsOf(item)).toMatchObject({ code: 'NOT_SET_UP', outcome: 'not_sent' });
  expect(requests()).toEqual([]);
});

describe.each(['/v1', '/api/v1'])('With a Base URL that ends in %s,', (prefix) => {
  const account = () => accountOf(sandbox(), prefix);

  test('Get Balance returns credits and owner, in a workflow and through its routing', async () => {
    const setup = setupOf({ account: account(), parameters: GET_BALANCE });
    const balance = [{ json: { credits: 100_000, user_id: 4711, user_name: 'Sandbox User' }, pairedItem: { item: 0 } }];
    expect((await run(setup)).outputs).toEqual([balance]);
    expect(await runRouting(setup)).toEqual(balance);
  });

  test('Get Balance tells with On Error set to Continue why it failed, in a workflow and through its routing', async () => {
    const setup = setupOf({ account: account(), parameters: GET_BALANCE, onError: 'continueRegularOutput' });
    sandbox().setFaults([{ kind: 'status', status: 422, times: 2 }]);
    const [item] = (await run(setup)).outputs[0] ?? [];
    expect(item?.json.error).toMatch(/^The service/);
    expect(await runRouting(setup)).toEqual([item]);
  });

  test('Send returns the result of each message, in a workflow and through its routing', async () => {
    const setup = setupOf({ account: account(), items: contacts(2), parameters: SEND });
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
    expect((await run(setup)).outputs).toEqual([[result(0, 99_999), result(1, 99_998)]]);
    // n8n's routing starts the requests of all items at the same time, so their order varies.
    expect(await runRouting(setup)).toEqual([result(0, expect.any(Number)), result(1, expect.any(Number))]);
    expect(received()).toHaveLength(4);
  });
});

describe('Send Bulk', () => {
  test.each([
    [1, [1]],
    [101, [100, 1]],
    [1000, Array(10).fill(100)],
  ])('packs %i items into as few requests as possible', async (count, expected) => {
    const items = contacts(count);
    const { outputs } = await run({ items, parameters: SEND_BULK });
    expect(sizes()).toEqual(expected);
    expect(receivedContacts(sandbox())).toEqual(items);
    expect(outputs).toHaveLength(1);
    expect(outputs[0]?.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(
      items.map(({ phone }, index) => {
        const batch = Math.floor(index / 100) + 1;
        const credits_remaining = 100_000 - Math.min(100 * batch, count);
        const json = { message_id: 1001 + index, phone, status: 'sent', batch, credits_remaining };
        return { json, pairedItem: { item: index } };
      }),
    );
  });

  test.each([
    ['an array', (list: object[]) => list],
    ['JSON text', (list: object[]) => JSON.stringify(list)],
    ['JSON text of a file', (list: object[]) => `\ufeff${JSON.stringify(list)}`],
    ['the body of a webhook', (list: object[]) => ({ messages: list })],
  ])('takes a list of any length as %s, in a workflow and through its routing', async (_what, wrap) => {
    const list = listOf(250);
    const setup = setupOf({ items: [{ list: wrap(list) }], parameters: SEND_LIST });
    const { outputs } = await run(setup);
    expect(linked(outputs[0])).toEqual(list.map(({ phone }) => [phone, { item: 0 }]));
    expect(sizes()).toEqual([100, 100, 50]);
    sandbox().reset();
    expect(await runRouting(setup)).toEqual(outputs[0]);
    expect(sizes()).toEqual([100, 100, 50]);
  });

  test('sends nothing for an empty list', async () => {
    const setup = setupOf({ items: [{ list: [] }], parameters: SEND_LIST });
    const ran = await run(setup);
    expect([ran.error, ran.outputs.flat()]).toEqual([undefined, []]);
    expect(hintsOf(ran)[0]?.message).toBe('Nothing was sent: the list is empty.');
    expect(await runRouting(setup)).toEqual([]);
    expect(requests()).toEqual([]);
  });
});
