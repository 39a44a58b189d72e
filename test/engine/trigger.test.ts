/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import type { INodeParameters } from 'n8n-workflow';

import { type Fault, startSandbox } from '../../sandbox/server';
import { contacts, KEY } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { activate, type Active, fetchTestEvent, type TriggerSetup } from '../support/engine/polling';
import { runWorkflow } from '../support/engine/workflow';
import { SEND, withOptions, WITHOUT_WAITING } from '../support/parameters';
import { accountOf } from '../support/sandbox';

const { sandbox, requests } = nodeForTests();

const parameters = (given: INodeParameters = {}, options: INodeParameters = {}): INodeParameters => ({
  event: 'lowBalance',
  threshold: 100,
  ...given,
  options: { ...WITHOUT_WAITING, ...options },
});
const setup = (given: Partial<TriggerSetup> = {}): TriggerSetup => ({
  account: accountOf(sandbox()),
  parameters: parameters(),
  ...given,
});

async function activateAt(credits: number, given: Partial<TriggerSetup> = {}): Promise<Active> {
  sandbox().setCredits(credits);
  return await activate(setup(given));
}

const reported = ({ started }: Active) => started.map((items) => items.map(({ json }) => json.credits));

async function pollWith(active: Active, ...credits: number[]): Promise<void> {
  for (const balance of credits) {
    sandbox().setCredits(balance);
    await active.poll();
  }
}

test('An active workflow starts once for one drop if polls overlap', async () => {
  const active = await activateAt(150);
  sandbox().setCredits(99);
  sandbox().setFaults([{ kind: 'delay', ms: 100, on: 'balance', times: 3 }]);
  await Promise.all([active.poll(), active.poll(), active.poll()]);
  expect(reported(active)).toEqual([[99]]);
});

test.each([
  ['nothing if the balance is the one it has reported', {}, [99], 99, []],
  ['another low balance in a new process, as the credits may have risen', {}, [99, 80], 80, [[80]]],
  ['a drop after a rise that n8n has not stored', { workflowId: 'a' }, [99, 200], 99, [[99]]],
  ['nothing in the same process if the credits have not risen', { workflowId: 'b' }, [99, 80], 79, []],
])('A workflow that is activated again reports %s', async (_what, given, balances, credits, expected) => {
  const active = await activateAt(150, given);
  await pollWith(active, ...balances);
  const again = await activateAt(credits, { ...given, stored: active.stored() });
  await pollWith(again, credits - 1);
  expect(reported(again)).toEqual(expected);
});

test.each([100_000, 100, 99])('A test run returns the balance of %i, and changes nothing stored', async (credits) => {
  const active = await activateAt(150);
  sandbox().setCredits(credits);
  const test = await fetchTestEvent(setup({ stored: active.stored() }));
  expect(test.error).toBeUndefined();
  expect(test.items).toMatchObject([
    { json: { credits, threshold: 100, user_id: 4711, user_name: 'Sandbox User', previous_credits: 150 } },
  ]);
  expect(test.staticData).toEqual(active.stored());
});

describe('An error', () => {
  const FAILS = '={{ $("Gone").first().json.credits }}';
  const balance = (data: string): Fault => ({ kind: 'body', status: 200, body: `{"success":true,"data":${data}}` });
  const NO_CREDITS = /did not report the credits/;

  test.each<[string, Fault, RegExp, string | null]>([
    ['a wrong key', { kind: 'status', status: 401, code: 'INVALID_API_KEY' }, /API key is not valid/, '401'],
    ['a lost connection', { kind: 'reset-before' }, /connection to the service was lost/, null],
    ['a balance without credits', balance('{"user_id":4711}'), NO_CREDITS, null],
    ['credits that are null', balance('{"credits":null}'), NO_CREDITS, null],
  ])('because of %s prevents activation; later, it changes nothing stored', async (_what, fault, message, httpCode) => {
    const fail = () => sandbox().setFaults([{ ...fault, on: 'balance', times: 1 }]);
    fail();
    const refused = activate(setup());
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow('There was a problem activating the workflow');
    // n8n does not retry an activation at its start if the message contains this word.
    await expect(refused).rejects.not.toThrow('Authorization');

    const active = await activateAt(99);
    const known = active.inMemory();
    fail();
    await active.poll();
    expect(active.errors).toMatchObject([
      { name: 'NodeApiError', message: expect.stringMatching(message) as string, httpCode },
    ]);
    expect(active.errors[0]?.context).not.toHaveProperty('itemIndex');
    expect(active.inMemory()).toEqual(known);

    await pollWith(active, 98, 150, 97);
    expect(reported(active)).toEqual([[99], [97]]);
    expect(active.errors).toHaveLength(1);
  });

  test.each([
    ['starts', 'init'],
    ['becomes the leader', 'leadershipChange'],
  ] as const)('of the first poll is stored at once if n8n %s, and polls continue', async (_what, activation) => {
    const before = await activateAt(150);
    sandbox().setFaults([{ kind: 'status', status: 500, on: 'balance', times: 2 }]);
    const own = { workflowId: activation, parameters: parameters({}, { longestWait: 1 }) };
    const active = await activate(setup({ activation, stored: before.stored(), ...own }));
    await active.poll();
    expect(active.errors).toMatchObject([{ httpCode: '500' }, { httpCode: '500' }]);
    expect(active.stored()).toEqual(before.stored());

    await pollWith(active, 99, 98);
    expect(reported(active)).toEqual([[99]]);
    expect(active.errors).toHaveLength(2);
  });

  test.each<[string, Partial<TriggerSetup>, RegExp]>([
    ['the Base URL is not an address', { account: { baseUrl: '', apiKey: KEY } }, /Base URL/],
    ['Warn Below is empty', { parameters: parameters({ threshold: '' }) }, /Warn Below/],
    ['Warn Below is true', { parameters: parameters({ threshold: true }) }, /Warn Below/],
    ['Warn Below is of a node that is gone', { parameters: parameters({ threshold: FAILS }) }, /Warn Below.*'Gone'/],
    ['Remind Every is not a number', { parameters: parameters({}, { remindEvery: 'daily' }) }, /Remind Every/],
    ['the proxy is wrong', { parameters: { ...parameters(), requestOptions: { proxy: 'http://' } } }, /proxy/],
  ])('says before any request that %s', async (_what, wrong, message) => {
    const { error } = await fetchTestEvent(setup(wrong));
    expect(error).toMatchObject({ name: 'NodeOperationError', message: expect.stringMatching(message) as string });
    await expect(activate(setup(wrong))).rejects.toThrow(message);
    expect(requests()).toEqual([]);
  });
});

describe('A poll', () => {
  test('reads the balance again after a server error, within Max Wait', async () => {
    sandbox().setFaults([{ kind: 'status', status: 500, on: 'balance' }]);
    const active = await activateAt(99, { parameters: parameters({}, { longestWait: 1 }) });
    expect([reported(active), active.errors]).toEqual([[[99]], []]);
    expect(requests()).toHaveLength(2);
  });

  test('shares the limit with everything else that uses the key, at either address of the API', async () => {
    const apiKey = 'made-up-shared-key-01';
    const own = await startSandbox({ keys: [apiKey], limit: 0, credits: 99 });
    try {
      const account = { ...accountOf(own), apiKey };
      await runWorkflow({ account, items: contacts(2), parameters: withOptions(SEND, { requestsPerMinute: 2 }) });
      // This minute's two requests are used up, and n8n would abandon the poll before its turn.
      const refused = activate(
        setup({
          account: { ...accountOf(own, '/api/v1'), apiKey },
          parameters: parameters({}, { requestsPerMinute: 2 }),
          budget: 300,
        }),
      );
      await expect(refused).rejects.toThrow('could not be read in the time that n8n allows for a check');
      expect(own.requests()).toHaveLength(2);
    } finally {
      await own.close();
    }
  });

  test('ends with an error when the time that n8n gives it is over', async () => {
    const active = await activate(setup({ budget: 1_000 }));
    sandbox().setFaults([{ kind: 'silence', on: 'balance' }]);
    await active.poll();
    const message = 'The balance could not be read in the time that n8n allows for a check';
    expect(active.errors).toMatchObject([{ message }]);
  });
});
