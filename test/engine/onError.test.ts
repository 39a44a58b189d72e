import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../sandbox/server';
import { contacts, listOf, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { runRouting, type StoredError } from '../support/engine/workflow';
import { detailsOf, hintsOf } from '../support/outputs';
import { GET_BALANCE, inBatchesOf, SEND, SEND_BULK, SEND_LIST, SENDERS, withOptions } from '../support/parameters';

const ITEM = { phone: phoneAt(0), text: 'Hello', list: listOf(1) };
const { sandbox, setupOf, run, received, requests } = nodeForTests({ items: [ITEM] });

/** Five contacts, of which numbers 1 and 3 (from 0) are invalid. */
const mixed = contacts(5).map((contact, index): IDataObject => {
  if (index === 1) return { ...contact, phone: '07700 900001', name: 'Made-up Person' };
  if (index === 3) return { ...contact, text: '  ', name: 'Another Made-up Person' };
  return contact;
});
const WRONG_PHONE = 'The phone number begins with 0, so its country code is missing';

describe.each(SENDERS)('%s', (_name, parameters) => {
  test('sends nothing with On Error set to Stop if items are invalid, and names these items', async () => {
    const { error } = await run({ items: mixed, parameters });
    expect(error).toMatchObject({ name: 'NodeOperationError', message: WRONG_PHONE, context: { itemIndex: 1 } });
    expect(error?.description).toMatch(/^Nothing was sent\.<br>Write it with its country code, /);
    expect(error?.description?.split('<br>').slice(2)).toEqual([
      '1 not sent: the phone number begins with 0, so its country code is missing (item 1).',
      '1 not sent: the message is empty (item 3).',
      'Items are numbered from 0.',
    ]);
    expect(requests()).toEqual([]);
  });

  test('sends the others with On Error set to Continue, and an invalid item has its reason in its place', async () => {
    const { outputs, error } = await run({ items: mixed, parameters, onError: 'continueRegularOutput' });
    expect(error).toBeUndefined();
    expect(received()).toEqual(phones(0, 2, 4));
    expect(outputs).toHaveLength(1);
    expect(outputs[0]?.map(({ json, pairedItem }) => [json.phone ?? json.error, pairedItem])).toEqual(
      [phoneAt(0), WRONG_PHONE, phoneAt(2), 'The message is empty', phoneAt(4)].map((what, item) => [what, { item }]),
    );
  });

  test('gives a failed item its reason and its own fields on the error output', async () => {
    const { outputs } = await run({ items: mixed, parameters, onError: 'continueErrorOutput' });
    const [sent, failed] = outputs;
    expect(sent?.map(({ json }) => json.phone)).toEqual(phones(0, 2, 4));
    const itemOf = (item: number, code: string, error: string, phone: string) => ({
      json: {
        ...mixed[item],
        error,
        details: { code, http_status: null, outcome: 'not_sent', phone, description: expect.any(String) as string },
      },
      pairedItem: { item },
    });
    expect(failed?.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual([
      itemOf(1, 'INVALID_PHONE', WRONG_PHONE, '07700 900001'),
      itemOf(3, 'INVALID_MESSAGE', 'The message is empty', phoneAt(3)),
    ]);
  });
});

test('The error of a run names a message that only the service refuses, and its item says why', async () => {
  // The sandbox accepts every number that the node accepts, so a fault rejects one.
  sandbox().setFaults([{ kind: 'status', status: 422, phones: [phoneAt(3)] }]);
  const { error } = await run({ items: contacts(10), parameters: SEND_BULK });
  expect(error).toMatchObject({ message: 'The service rejected this message', context: { itemIndex: 3 } });
  expect(error?.description).toContain(
    '1 not sent: the service rejected this message (item 3).<br>9 not sent: another',
  );
  const { outputs } = await run({ items: contacts(10), parameters: SEND_BULK, onError: 'continueErrorOutput' });
  const details = { code: 'VALIDATION_ERROR', http_status: 422, outcome: 'not_sent', batch: 1 };
  expect(outputs[1]).toMatchObject([{ json: { text: 'Hello 3', details } }]);
});

test('Every invalid entry of a list has its own item, with its place in the list, and without the list', async () => {
  const list = [{ phone: phoneAt(0), message: 'Hello' }, 'nonsense', { phone: 'abc', message: 'Hello' }, null];
  const { outputs } = await run({ items: [{ list }], parameters: SEND_LIST, onError: 'continueErrorOutput' });
  expect(outputs[0]).toHaveLength(1);
  expect(outputs[1]?.map(({ json }) => [json.error, detailsOf({ json }).entry])).toEqual([
    ["The entry needs the fields 'phone' and 'message'", 1],
    ['The phone number contains letters', 2],
    ["The entry needs the fields 'phone' and 'message'", 3],
  ]);
  expect(outputs.flatMap((items) => items.map(({ json, pairedItem }) => [json.list, pairedItem]))).toEqual(
    list.map(() => [undefined, { item: 0 }]),
  );
});

test.each(['"text"', '5', '', '{ not json', `[{ "phone": "${phoneAt(0)}", "message": "Hi "Ada"" }]`])(
  'A list that is %j fails with a message that says how to write one, and repeats none of it',
  async (list) => {
    const { error } = await run({ items: [{ list }], parameters: SEND_LIST });
    expect(error?.message).toBe("'Messages' is not a list in JSON");
    expect(error?.description).toMatch(/an expression that returns a list/);
    expect(error?.description).not.toMatch(/Ada|447700900000/);
  },
);

const namesOf = (count: number): IDataObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${'n'.repeat(29)}${at}`, 1]));

test.each<[fields: string, list: object | string]>([
  [" It has only 'to', 'text'.", [{ to: phoneAt(0), text: 'Hi Ada' }]],
  [" It has only 'to', 'text'.", `[{ "to": "${phoneAt(0)}", "text": "Hi Ada" }]`],
  [" It has only 'phone', 'text'.", [{ phone: phoneAt(0), text: 'Hi Ada' }]],
  [" It has only 'Phone', 'Message'.", { Phone: phoneAt(0), Message: 'Hi Ada' }],
  ['', [{ [phoneAt(0)]: 'Hi Ada', '٠٧٧٠٠ ٩٠٠': 1, '07 - 70 - 09': 1 }]],
  [' It has only ' + Array.from({ length: 10 }, (_, at) => `'${'n'.repeat(29)}${at}'`).join(', ') + '.', [namesOf(12)]],
])('An entry without phone and message needs both, and the error says what it has:%s', async (fields, list) => {
  const ran = await run({ items: [{ list }], parameters: SEND_LIST, onError: 'continueErrorOutput' });
  const form = `Enter a list such as [{ "phone": "+447700900123", "message": "Hello" }].${fields}`;
  const why = "Nothing was sent: the entry needs the fields 'phone' and 'message'.";
  expect(hintsOf(ran)[0]?.message).toBe(`${why}<br>${form}`);
  expect(detailsOf(ran.outputs[1]?.[0]).description).toBe(form);
  expect(received()).toEqual([]);
});

test('The only entry of a list can be given without a list', async () => {
  for (const wrap of [(entry: unknown) => entry, JSON.stringify])
    await run({ items: listOf(2).map((entry) => ({ list: wrap(entry) }) as IDataObject), parameters: SEND_LIST });
  expect(received()).toEqual(phones(0, 1, 0, 1));
});

const OPERATIONS = [
  ['Get Balance', GET_BALANCE],
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
  ['Send Bulk from a list', SEND_LIST],
] as const;
const PATHS = ['in a workflow', 'through its routing'] as const;
const EVERY_WAY = OPERATIONS.flatMap(([name, parameters]) => PATHS.map((path) => [name, path, parameters] as const));

async function errorOf(path: (typeof PATHS)[number], parameters: (typeof OPERATIONS)[number][1]): Promise<StoredError> {
  const error: unknown =
    path === 'in a workflow'
      ? (await run({ parameters })).error
      : await runRouting(setupOf({ parameters })).catch((thrown: unknown) => thrown);
  if (Array.isArray(error) || error === undefined) throw new Error('no error');
  return error as StoredError;
}

const body = (status: number, text: string): Fault => ({ kind: 'body', status, body: text });
const status = (code: number, given: Partial<Fault> = {}) => ({ kind: 'status', status: code, ...given }) as Fault;
const NO_CREDITS = { required_credits: 250, available_credits: 7 };

test('The error of a run without enough credits says how many are needed for all that is left of it', async () => {
  sandbox().setCredits(150);
  const items = contacts(600);
  const { error } = await run({ items, parameters: withOptions(SEND_BULK, { parallelRequests: 1 }) });
  expect(error?.message).toBe('Not enough credits (500 needed, 50 left)');
  sandbox().setCredits(3);
  // All requests have left before one is refused.
  sandbox().setFaults([{ kind: 'delay', ms: 100, on: 'bulk' }]);
  const { error: afterSmaller } = await run({ items: contacts(7), parameters: inBatchesOf(2, SEND_BULK) });
  expect(afterSmaller?.message).toBe('Not enough credits (4 needed, 0 left)');
  sandbox().setCredits(150);
  const checking = withOptions(SEND_BULK, { checkCreditsFirst: true });
  const { error: ofTwice } = await run({ items: [...contacts(200), ...contacts(200)], parameters: checking });
  expect(ofTwice?.message).toBe('Not enough credits (200 needed, 150 left)');
  sandbox().setCredits(50);
  const { outputs } = await run({ items, parameters: SEND_BULK, onError: 'continueErrorOutput' });
  expect(outputs[1]?.[0]?.json).toMatchObject({
    error: 'Not enough credits',
    details: { required_credits: 100, available_credits: 50 },
  });
});

describe.each(EVERY_WAY)('%s %s', (_name, path, parameters) => {
  const ofTool = /Nothing was sent\.|Entries that (were not|may have been) sent: 0\.|Do not call this tool again/;
  const ofMessages = path === 'in a workflow' ? /Nothing was sent\.|0 sent, 1 uncertain/ : ofTool;
  const progress = parameters === GET_BALANCE ? /./ : ofMessages;

  test.each<[string, Fault, RegExp, string | null]>([
    ['a 401 without a body', body(401, ''), /API key is not valid/, '401'],
    ['insufficient credits', status(402, { error: NO_CREDITS }), /^Not enough credits/, '402'],
    ['a 429', status(429, { retryAfter: 7 }), /limit is reached: the service allows 60 requests per minute for/, '429'],
    ['a server error', status(500), /^The service, or a gateway in front of it, did not return .* \(HTTP 500\)/, '500'],
    ['a refused value', status(422, { details: null }), /^The service rejected a value of the request/, '422'],
    ['any other refusal', body(418, ''), /^The service rejected the request \(HTTP 418\)/, '418'],
    ['an answer of another API', body(200, '<p>'), /^The response is not from this API \(HTTP 200\)/, '200'],
    ['a redirect', { kind: 'redirect', location: 'https://new.example.com/v1/x' }, /has moved/, '307'],
    ['a connection that is reset', { kind: 'reset-before' }, /connection to the service was lost/, null],
  ])('names the reason for %s', async (_case, fault, message, httpCode) => {
    sandbox().setFaults([{ ...fault, on: 'any' }]);
    const error = await errorOf(path, parameters);
    expect(error.name).toBe('NodeApiError');
    expect(error.message).toMatch(message);
    expect(error.httpCode ?? null).toBe(httpCode);
    expect(error.context.itemIndex).toBe(0);
    // A model gets only the message.
    expect(`${error.message} ${error.description ?? ''}`).toMatch(progress);
  });
});
