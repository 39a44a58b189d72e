import { type Fault } from '../../sandbox/server';
import { contacts, listOf, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { runRouting, type StoredError } from '../support/engine/workflow';
import { GET_BALANCE, SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';

const { sandbox, setupOf, run } = nodeForTests({ items: [{ phone: phoneAt(0), text: 'Hello', list: listOf(1) }] });

const OPERATIONS = [
  ['Get Balance', GET_BALANCE],
  ['Send', SEND],
  ['Send Bulk', SEND_BULK],
  ['Send Bulk from a list', SEND_LIST],
] as const;
const PATHS = ['in a workflow', 'through its routing'] as const;
const EVERY_WAY = OPERATIONS.flatMap(([name, parameters]) => PATHS.map((path) => [name, path, parameters] as const));

/** The error that ends a run. */
async function errorOf(path: (typeof PATHS)[number], parameters: (typeof OPERATIONS)[number][1]): Promise<StoredError> {
  const error: unknown =
    path === 'in a workflow'
      ? (await run({ parameters })).error
      : await runRouting(setupOf({ parameters })).catch((thrown: unknown) => thrown);
  if (Array.isArray(error) || error === undefined) throw new Error('no error');
  return error as StoredError;
}

const body = (status: number, text: string): Fault => ({ kind: 'body', status, body: text });
const NO_CREDITS = { required_credits: 250, available_credits: 7 };

test('The error of a run without enough credits says how many are needed for all that is left of it', async () => {
  sandbox().setCredits(150);
  const items = contacts(600);
  const { error } = await run({ items, parameters: withOptions(SEND_BULK, { parallelRequests: 1 }) });
  expect(error?.message).toBe('Not enough credits (500 needed, 50 left)');
  const twice = [...contacts(200), ...contacts(200)];
  sandbox().setCredits(150);
  const { error: ofTwice } = await run({
    items: twice,
    parameters: withOptions(SEND_BULK, { checkCreditsFirst: true }),
  });
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
    ['insufficient credits', { kind: 'status', status: 402, error: NO_CREDITS }, /^Not enough credits/, '402'],
    ['a 429', { kind: 'status', status: 429, retryAfter: 7 }, /rate limit is reached/, '429'],
    ['a server error', { kind: 'status', status: 500 }, /did not return a result/, '500'],
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
