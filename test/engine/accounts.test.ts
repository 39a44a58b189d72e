/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** A credential whose fields are expressions, so that the items of one run have several accounts. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, KEY, phoneAt, phones } from '../support/contacts';
import { type Given, nodeForTests } from '../support/engine/nodeForTests';
import { runRouting } from '../support/engine/workflow';
import { detailsOf, linked, outcomeOf, outcomesOf } from '../support/outputs';
import { GET_BALANCE, inBatchesOf, oneByOne, SEND, SEND_BULK, SENDERS, withOptions } from '../support/parameters';
import { accountOf, requestSizes } from '../support/sandbox';

const OTHER = 'made-up-other-key-0123';
const THIRD = 'made-up-third-key-0123';
const LIMITED = ['made-up-limited-key-1', 'made-up-limited-key-2'];
const node = nodeForTests({}, { keys: [KEY, OTHER, THIRD, ...LIMITED] });
const { sandbox, retry, received, requests } = node;
const CONTINUE = 'continueRegularOutput';

/** An account whose key is the field `key` of each item, or another expression. */
const accountWith = (apiKey = '={{ $json.key }}') => ({ ...accountOf(sandbox()), apiKey });
/** An account whose address is the field `path` of each item. */
const atPath = (apiKey: string) => ({ baseUrl: `={{ "${sandbox().url}" + $json.path }}`, apiKey });
const setupOf = (given: Given) => node.setupOf({ account: accountWith(), ...given });
const run = async (given: Given) => await node.run({ account: accountWith(), ...given });
const contactsOf = (count: number, keys: readonly string[]): IDataObject[] =>
  contacts(count).map((contact, index) => ({ ...contact, key: keys[index % keys.length] }));

/** The indexes of the messages that the sandbox got with each key. */
const receivedBy = () => {
  const received: Record<string, string[]> = {};
  for (const { key, phone } of sandbox().messages()) (received[key] ??= []).push(phone);
  return received;
};

describe.each(SENDERS)('%s', (_name, parameters) => {
  test('sends each item from its own account, and returns the items in their order', async () => {
    const { outputs, error } = await run({ items: contactsOf(6, [KEY, OTHER, OTHER]), parameters });
    expect(error).toBeUndefined();
    expect(receivedBy()).toEqual({ 'key 1': phones(0, 3), 'key 2': phones(1, 2, 4, 5) });
    expect(linked(outputs[0])).toEqual(contacts(6).map(({ phone }, item) => [phone, { item }]));
  });

  test('does not send items without an account, names what is wrong, and sends the others', async () => {
    const items = contactsOf(5, [KEY, '', 'fails', OTHER, KEY]);
    const account = accountWith('={{ $json.key === "fails" ? $("No such node").first().json.key : $json.key }}');
    const ran = await run({ account, items, parameters, onError: CONTINUE });
    const { outputs } = ran;
    expect(outcomesOf(ran)).toEqual(['sent', 'not_sent', 'not_sent', 'sent', 'sent']);
    expect(outputs[0]?.[1]?.json.error).toBe("'API Key' in the credential is empty");
    expect(outputs[0]?.[2]?.json.error).toMatch(/^The credential can't be read: .* \('No such node'\)$/);
    expect(detailsOf(outputs[0]?.[2])).toMatchObject({ code: 'NOT_SET_UP', phone: phoneAt(2) });
    expect(receivedBy()).toEqual({ 'key 1': phones(0, 4), 'key 2': phones(3) });
  });

  test('skips no message as a duplicate of one that has no account', async () => {
    const [first = {}, second = {}] = contacts(2);
    const items = [
      { ...first, key: '' },
      { ...first, key: KEY },
      { ...second, key: KEY },
    ];
    const once = withOptions(parameters, { duplicateMessages: 'sendOnce' });
    const { outputs } = await run({ items, parameters: once, onError: CONTINUE });
    expect(outputs[0]?.map(outcomeOf)).toEqual(['not_sent', 'sent', 'sent']);
    expect(receivedBy()).toEqual({ 'key 1': phones(0, 1) });
  });

  test('ends only the messages of an account whose key is wrong, with On Error set to Continue', async () => {
    const items = contactsOf(8, [KEY, 'made-up-wrong-key']);
    const { outputs } = await run({ items, parameters, onError: CONTINUE });
    expect(outputs[0]?.map(outcomeOf)).toEqual(items.map(({ key }) => (key === KEY ? 'sent' : 'not_sent')));
    const errors = outputs[0]?.map(({ json }) => json.error).filter(Boolean);
    expect(errors).toEqual(Array(4).fill('The API key is not valid'));
    expect(requests().filter(({ key }) => key === null)).toHaveLength(1);
  });

  test('ends the messages of an account at its first failure, with On Error set to Stop, and no others', async () => {
    const items = contactsOf(6, [KEY, 'made-up-wrong-key']);
    const { error } = await run({ items, parameters: inBatchesOf(1, oneByOne(parameters)) });
    expect(error?.message).toBe('The API key is not valid');
    expect(error?.context.itemIndex).toBe(1);
    expect(receivedBy()).toEqual({ 'key 1': phones(0, 2, 4) });
  });

  test('never sends a message again in a retry, no matter which account its item has now', async () => {
    const setup = setupOf({ items: contactsOf(6, [KEY, OTHER]), parameters: inBatchesOf(1, oneByOne(parameters)) });
    sandbox().setFaults([{ kind: 'status', status: 403, after: 3, times: 99 }]);
    const ran = await run(setup);
    expect(ran.error).toBeDefined();
    sandbox().setFaults([]);
    expect((await retry(ran, setup, { account: accountWith(THIRD) })).error).toBeUndefined();
    expect(received().sort()).toEqual(contacts(6).map(({ phone }) => phone));
  });

  test('reads a credential without expressions once, and one with expressions once for each item', async () => {
    let reads = 0;
    const onCredentialRead = () => (reads += 1);
    await run({ account: accountOf(sandbox()), items: contacts(20), parameters, onCredentialRead });
    expect(reads).toBe(1);
    await run({ items: contactsOf(20, [KEY, OTHER]), parameters, onCredentialRead });
    expect(reads).toBe(21);
  });
});

test('Batches hold messages of one account, and their numbers are unique in a run', async () => {
  const { outputs } = await run({ items: contactsOf(10, [KEY, OTHER]), parameters: inBatchesOf(3, SEND_BULK) });
  expect(requestSizes(sandbox()).sort()).toEqual([2, 2, 3, 3]);
  const batches = new Map(outputs[0]?.map(({ json }) => [json.batch, new Set<unknown>()]));
  for (const { json } of outputs[0] ?? []) batches.get(json.batch)?.add(Number(json.phone) % 2);
  expect([...batches.keys()].sort()).toEqual([1, 2, 3, 4]);
  expect([...batches.values()].every(({ size }) => size === 1)).toBe(true);
});

test('The limit of one account does not hold up another', async () => {
  const parameters = { ...SEND, options: { requestsPerMinute: 1, longestWait: 0 } };
  // With one request a minute for both, the second would wait for longer than the test may take.
  expect(outcomesOf(await run({ items: contactsOf(2, LIMITED), parameters }))).toEqual(['sent', 'sent']);
});

test.each([
  [3, 'not_sent'],
  [4, 'sent'],
])('Two addresses of an account with %i credits: four messages are %s', async (credits, outcome) => {
  sandbox().setCredits(credits);
  // The second address is asked for the balance while the first one could send.
  sandbox().setFaults([{ kind: 'delay', ms: 200, on: 'balance', after: 1, times: 1 }]);
  const items = contacts(4).map((contact, index) => ({ ...contact, path: index < 2 ? '/v1' : '/api/v1' }));
  const parameters = withOptions(SEND_BULK, { checkCreditsFirst: true });
  const ran = await run({ account: atPath(KEY), items, parameters, onError: CONTINUE });
  expect(outcomesOf(ran)).toEqual(Array(4).fill(outcome));
});

test('Through the routing, an item is sent to the address of its own account', async () => {
  const items = [
    { ...contacts(1)[0], path: '/v1', key: KEY },
    { ...contacts(2)[1], path: '/api/v1', key: OTHER },
  ];
  await runRouting({ account: atPath('={{ $json.key }}'), items, parameters: SEND });
  expect(Object.fromEntries(requests().map(({ path, key }) => [key, path]))).toEqual({
    'key 1': '/v1/messages/send',
    'key 2': '/api/v1/messages/send',
  });
});

describe('Get Balance', () => {
  test('of 250 items makes a request for each account', async () => {
    sandbox().setCredits(7, 'key 2');
    const items = contactsOf(250, [KEY, OTHER]);
    const { outputs } = await run({ items, parameters: GET_BALANCE });
    expect(requests()).toHaveLength(2);
    const credits = items.map(({ key }, item) => [key === OTHER ? 7 : 100_000, { item }]);
    expect(linked(outputs[0], 'credits')).toEqual(credits);
  });

  test('tells no item that its address is wrong because that of another item is', async () => {
    const items = [{ path: '/v7' }, { path: '/v1' }];
    const { outputs } = await run({ account: atPath(KEY), items, parameters: GET_BALANCE, onError: CONTINUE });
    expect(outputs[0]?.map(({ json }) => json.credits)).toEqual([undefined, 100_000]);
  });

  test('fails only the items whose account fails, or with On Error set to Stop, ends at the first of them', async () => {
    const items = contactsOf(5, [KEY, 'made-up-wrong-key', '', KEY, 'made-up-wrong-key']);
    const { outputs, error } = await run({ items, parameters: GET_BALANCE, onError: 'continueErrorOutput' });
    expect(error).toBeUndefined();
    expect(linked(outputs[0], 'credits')).toEqual([0, 3].map((item) => [100_000, { item }]));
    const wrong = ['The API key is not valid', 'INVALID_API_KEY'];
    expect(outputs[1]?.map((item) => [item.json.error, detailsOf(item).code, item.pairedItem])).toEqual([
      [...wrong, { item: 1 }],
      ["'API Key' in the credential is empty", 'NOT_SET_UP', { item: 2 }],
      [...wrong, { item: 4 }],
    ]);
    expect(requests()).toHaveLength(2);
    const message = 'The API key is not valid';
    const stopped = await run({ items, parameters: GET_BALANCE });
    expect(stopped.error).toMatchObject({ name: 'NodeApiError', message, context: { itemIndex: 1 } });
  });
});

test.each([
  ['Get Balance', GET_BALANCE, 2],
  ["A run with 'Check Credits First'", withOptions(SEND, { checkCreditsFirst: true }), 3],
])('%s reads the balance again after a server error, within Max Wait', async (_what, parameters, expected) => {
  sandbox().setFaults([{ kind: 'status', status: 500, on: 'balance' }]);
  const options = { ...(parameters.options as IDataObject), longestWait: 1 };
  const given = { ...parameters, options } as INodeParameters;
  const { error } = await run({ items: contactsOf(1, [KEY]), parameters: given });
  expect(error).toBeUndefined();
  expect(requests()).toHaveLength(expected);
});
