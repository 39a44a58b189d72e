import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type Fault, startSandbox } from '../../sandbox/server';
import { KEY } from '../support/account';
import { contacts } from '../support/contacts';
import { loadPackage } from '../support/engine/engine';
import { activate, type Active, fetchTestEvent, type TriggerSetup } from '../support/engine/polling';
import { runWorkflow } from '../support/engine/workflow';
import { SEND, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();

/** No test waits for a limit, but those that are about it. */
const AT_ONCE = { requestsPerMinute: 1_000_000, longestWait: 0 };
const parameters = (given: INodeParameters = {}, options: INodeParameters = {}): INodeParameters => ({
  event: 'lowBalance',
  threshold: 100,
  ...given,
  options: { ...AT_ONCE, ...options },
});
const setup = (given: Partial<TriggerSetup> = {}): TriggerSetup => ({
  account: accountOf(sandbox()),
  parameters: parameters(),
  ...given,
});

/** The credits that each execution was started with. */
const told = ({ started }: Active) => started.map((items) => items.map(({ json }) => json.credits));

async function pollWith(active: Active, ...credits: number[]): Promise<void> {
  for (const balance of credits) {
    sandbox().setCredits(balance);
    await active.poll();
  }
}

describe('an active workflow', () => {
  test('starts once when the credits fall below the threshold, and again only after a rise', async () => {
    sandbox().setCredits(150);
    const active = await activate(setup());
    expect(active.started).toEqual([]);

    await pollWith(active, 100, 99, 98, 50);
    expect(told(active)).toEqual([[99]]);
    await pollWith(active, 100, 99, 101);
    expect(told(active)).toEqual([[99]]);
    await pollWith(active, 80, 79);
    expect(told(active)).toEqual([[99], [80]]);
    expect(active.errors).toEqual([]);
  });

  test('is given credits, threshold, owner, the credits before and the time', async () => {
    sandbox().setCredits(150);
    const active = await activate(setup());
    const before = Date.now();
    await pollWith(active, 42);
    const json = active.started[0]?.[0]?.json ?? {};
    expect(json).toEqual({
      credits: 42,
      threshold: 100,
      user_id: 4711,
      user_name: 'Sandbox User',
      previous_credits: 150,
      checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
    expect(Date.parse(String(json.checked_at))).toBeGreaterThanOrEqual(before);
    expect(active.started).toHaveLength(1);
  });

  test('starts with its activation if the balance is low already', async () => {
    sandbox().setCredits(7);
    const active = await activate(setup());
    expect(active.started).toMatchObject([[{ json: { credits: 7, previous_credits: null } }]]);
    await pollWith(active, 7);
    expect(active.started).toHaveLength(1);
  });

  test('learns of a fall that sending has brought about', async () => {
    sandbox().setCredits(101);
    const active = await activate(setup());
    await runWorkflow({ account: accountOf(sandbox()), items: contacts(2), parameters: SEND });
    await active.poll();
    expect(told(active)).toEqual([[99]]);
  });

  test('with a margin, starts again only after a rise by that much', async () => {
    sandbox().setCredits(99);
    const active = await activate(setup({ parameters: parameters({}, { margin: 50 }) }));
    await pollWith(active, 149, 98, 150, 97);
    expect(told(active)).toEqual([[99], [97]]);
  });

  test('with Remind Every, starts again while the balance stays low', async () => {
    sandbox().setCredits(99);
    const setUp = setup({ parameters: parameters({}, { remindEvery: 24 }) });
    const active = await activate(setUp);
    await pollWith(active, 98);
    expect(told(active)).toEqual([[99]]);

    const kept = active.inMemory()['node:Low Balance'] as { lowBalance: { firedAt: number } };
    kept.lowBalance.firedAt -= 24 * 3_600_000;
    const later = await activate({ ...setUp, stored: { 'node:Low Balance': kept } });
    await pollWith(later, 97);
    expect(later.started).toMatchObject([[{ json: { credits: 98, previous_credits: 98 } }]]);
  });

  test('does not start twice for one fall when polls overlap', async () => {
    sandbox().setCredits(150);
    const active = await activate(setup());
    sandbox().setCredits(99);
    sandbox().setFaults([{ kind: 'delay', ms: 100, on: 'balance', times: 3 }]);
    await Promise.all([active.poll(), active.poll(), active.poll()]);
    expect(told(active)).toEqual([[99]]);
  });
});

describe('after a restart of n8n, or a new activation', () => {
  const restart = async (active: Active, given: Partial<TriggerSetup> = {}) =>
    await activate(setup({ ...given, stored: active.stored() }));

  test('a fall that was told is not told again', async () => {
    sandbox().setCredits(150);
    const active = await activate(setup());
    await pollWith(active, 99);
    const again = await restart(active);
    await pollWith(again, 98);
    expect(again.started).toEqual([]);
  });

  test('a rise is known that was seen at the restart, or is seen afterwards', async () => {
    sandbox().setCredits(99);
    const active = await activate(setup());
    sandbox().setCredits(150);
    const second = await restart(active);
    const third = await restart(second);
    await pollWith(third, 98);
    expect(told(third)).toEqual([[98]]);
  });

  test('a fall that came while n8n was down is told at once', async () => {
    sandbox().setCredits(150);
    const active = await activate(setup());
    sandbox().setCredits(99);
    expect(await restart(active)).toMatchObject({ started: [[{ json: { credits: 99, previous_credits: 150 } }]] });
  });

  test('with another threshold, the fall is judged by that one', async () => {
    sandbox().setCredits(300);
    const active = await activate(setup());
    const raised = await restart(active, { parameters: parameters({ threshold: 500 }) });
    expect(raised.started).toMatchObject([[{ json: { credits: 300, threshold: 500 } }]]);
    expect((await restart(raised, { parameters: parameters({ threshold: 400 }) })).started).toEqual([]);
  });

  test.each<[string, IDataObject]>([
    ['garbage', { 'node:Low Balance': { lowBalance: 'x' } }],
    ['of another shape', { 'node:Low Balance': { lowBalance: { version: 0, state: 'low' } } }],
    ['of another node', { 'node:Other': { lowBalance: { low: true } }, global: { low: true } }],
  ])('stored data that is %s does no harm', async (_what, stored) => {
    sandbox().setCredits(99);
    const active = await activate(setup({ stored }));
    await pollWith(active, 98);
    expect(told(active)).toEqual([[99]]);
  });
});

describe('a test run', () => {
  test.each([100_000, 100, 99])('gives the current balance of %i, and leaves alone what is stored', async (credits) => {
    sandbox().setCredits(150);
    const active = await activate(setup());
    sandbox().setCredits(credits);
    const test = await fetchTestEvent(setup({ stored: active.stored() }));
    expect(test.error).toBeUndefined();
    expect(test.items).toMatchObject([
      { json: { credits, threshold: 100, user_id: 4711, user_name: 'Sandbox User', previous_credits: 150 } },
    ]);
    expect(test.staticData).toEqual(active.stored());
  });

  test('is said to be one over its output', async () => {
    const { trigger } = await loadPackage();
    expect(trigger.description.hints).toMatchObject([
      {
        message: expect.stringContaining('A test always gives the current balance') as string,
        location: 'outputPane',
        whenToDisplay: 'afterExecution',
      },
    ]);
  });

  test('of a workflow that never was active works as well, again and again', async () => {
    for (let run = 0; run < 2; run += 1) {
      expect((await fetchTestEvent(setup())).items).toMatchObject([
        { json: { credits: 100_000, previous_credits: null } },
      ]);
    }
  });

  test('shows what is wrong with the key', async () => {
    const { items, error } = await fetchTestEvent(
      setup({ account: { ...accountOf(sandbox()), apiKey: 'made-up-wrong-key' } }),
    );
    expect(items).toEqual([]);
    expect(error).toMatchObject({ message: 'The API key is not valid', httpCode: '401' });
  });
});

const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe('an error', () => {
  const FAULTS: Array<[string, Fault, RegExp, string | null]> = [
    ['a wrong key', { kind: 'status', status: 401, code: 'INVALID_API_KEY' }, /API key is not valid/, '401'],
    ['a failing service', { kind: 'status', status: 500 }, /service failed/, '500'],
    ['a gateway in its place', { kind: 'html' }, /failed to answer \(HTTP 502\)/, '502'],
    ['too many requests', { kind: 'status', status: 429 }, /no more requests for now/, '429'],
    ['a lost connection', { kind: 'reset-before' }, /connection to the service was lost/, null],
    ['a page in place of the balance', { kind: 'body', status: 200, body: '<html>' }, /not this API's/, '200'],
    [
      'a balance without credits',
      { kind: 'body', status: 200, body: '{"success":true,"data":{"user_id":4711}}' },
      /did not report the credits/,
      null,
    ],
    [
      'credits that are no number',
      { kind: 'body', status: 200, body: '{"success":true,"data":{"credits":"many"}}' },
      /did not report the credits/,
      null,
    ],
    [
      'credits that are empty',
      { kind: 'body', status: 200, body: '{"success":true,"data":{"credits":""}}' },
      /did not report the credits/,
      null,
    ],
    [
      'credits that are null',
      { kind: 'body', status: 200, body: '{"success":true,"data":{"credits":null}}' },
      /did not report the credits/,
      null,
    ],
    [
      'credits beyond all numbers',
      { kind: 'body', status: 200, body: '{"success":true,"data":{"credits":-1e999}}' },
      /did not report the credits/,
      null,
    ],
  ];

  test.each(FAULTS)(
    'of a poll (%s) is shown, starts nothing, and changes nothing of what is known',
    async (_what, fault, message, httpCode) => {
      sandbox().setCredits(99);
      const active = await activate(setup());
      const known = active.inMemory();
      sandbox().setFaults([{ ...fault, on: 'balance', times: 1 }]);
      await active.poll();
      expect(active.errors).toMatchObject([
        { name: 'NodeApiError', message: expect.stringMatching(message) as string, httpCode },
      ]);
      expect(active.errors[0]?.context).not.toHaveProperty('itemIndex');
      expect(active.inMemory()).toEqual(known);

      await pollWith(active, 98, 150, 97);
      expect(told(active)).toEqual([[99], [97]]);
      expect(active.errors).toHaveLength(1);
    },
  );

  test.each(FAULTS)(
    'of the first poll (%s) keeps the workflow from being activated, and says why',
    async (_what, fault, message) => {
      sandbox().setFaults([{ ...fault, on: 'balance', times: 1 }]);
      const refused = activate(setup());
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toThrow('There was a problem activating the workflow');
      // n8n does not try again to activate a workflow at its start if the message has this word.
      await expect(refused).rejects.not.toThrow('Authorization');
    },
  );

  test.each(['init', 'leadershipChange'] as const)(
    'of the first poll is stored when n8n resumes the workflow by itself (%s), and the watch goes on',
    async (activation) => {
      sandbox().setCredits(150);
      const before = await activate(setup());
      sandbox().setFaults([{ kind: 'status', status: 500, on: 'balance', times: 2 }]);
      const active = await activate(setup({ activation, stored: before.stored() }));
      await active.poll();
      expect(active.errors).toMatchObject([{ httpCode: '500' }, { httpCode: '500' }]);
      expect(active.stored()).toEqual(before.stored());

      await pollWith(active, 99, 98);
      expect(told(active)).toEqual([[99]]);
      expect(active.errors).toHaveLength(2);
    },
  );

  test('shows that nothing answers at the address', async () => {
    const account = { baseUrl: `http://127.0.0.1:${await closedPort()}/v1`, apiKey: KEY };
    await expect(activate(setup({ account }))).rejects.toThrow(
      'Nothing takes connections at the address of the service',
    );
    expect((await fetchTestEvent(setup({ account }))).error).toMatchObject({
      name: 'NodeApiError',
      message: 'Nothing takes connections at the address of the service',
    });
  });

  test.each<[string, INodeParameters, RegExp]>([
    ['Threshold is empty', parameters({ threshold: '' }), /Threshold/],
    ['Threshold is 0', parameters({ threshold: 0 }), /Threshold/],
    ['Threshold is no number', parameters({ threshold: '={{ "many" }}' }), /Threshold/],
    ['Margin is negative', parameters({}, { margin: -1 }), /Margin/],
    ['Remind Every is no number', parameters({}, { remindEvery: 'daily' }), /Remind Every/],
    ['Longest Wait is no number', parameters({}, { longestWait: 'long' }), /Longest Wait/],
    ['the proxy is no address', { ...parameters(), requestOptions: { proxy: 'http://' } }, /proxy/],
  ])('names what is not right in the node, before any request: %s', async (_what, wrong, message) => {
    expect((await fetchTestEvent(setup({ parameters: wrong }))).error).toMatchObject({
      name: 'NodeOperationError',
      message: expect.stringMatching(message) as string,
    });
    await expect(activate(setup({ parameters: wrong }))).rejects.toThrow(message);
    expect(sandbox().requests()).toEqual([]);
  });

  test('shows that the Base URL is no address', async () => {
    await expect(activate(setup({ account: { baseUrl: '', apiKey: KEY } }))).rejects.toThrow('Base URL');
  });
});

test('a threshold can come from an expression, and credits as a text of digits', async () => {
  sandbox().setFaults([
    { kind: 'body', status: 200, body: '{"success":true,"data":{"credits":"49","user_id":"u-1"}}', on: 'balance' },
  ]);
  const active = await activate(setup({ parameters: parameters({ threshold: '={{ 25 * 2 }}' }) }));
  expect(active.started).toMatchObject([[{ json: { credits: 49, threshold: 50, user_id: 'u-1', user_name: null } }]]);
});

describe('the limit', () => {
  test('a 429 is waited out, within Longest Wait', async () => {
    sandbox().setCredits(99);
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 1, on: 'balance' }]);
    const start = Date.now();
    const active = await activate(setup({ parameters: parameters({}, { longestWait: 1 }) }));
    expect(Date.now() - start).toBeGreaterThanOrEqual(990);
    expect(told(active)).toEqual([[99]]);
    expect(sandbox().requests()).toHaveLength(2);
  });

  test('a wait that would be longer than n8n gives a poll is not begun', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 2, on: 'balance' }]);
    const start = Date.now();
    await expect(activate(setup({ parameters: parameters({}, { longestWait: 5 }), budget: 1_000 }))).rejects.toThrow(
      'no more requests for now',
    );
    expect(Date.now() - start).toBeLessThan(1_000);
    expect(sandbox().requests()).toHaveLength(1);
  });

  test('polls share it with everything else that uses the key', async () => {
    const own = await startSandbox({ keys: [KEY], limit: 0, credits: 99 });
    try {
      const account = accountOf(own);
      await runWorkflow({ account, items: contacts(2), parameters: withOptions(SEND, {}) });
      // Two requests were made in this minute, and no more are allowed: n8n would abandon the poll before its turn.
      const refused = activate(setup({ account, parameters: parameters({}, { requestsPerMinute: 2 }), budget: 300 }));
      await expect(refused).rejects.toThrow('could not be read in the time that n8n gives a poll');
      expect(own.requests()).toHaveLength(2);
    } finally {
      await own.close();
    }
  });
});

describe('the time that n8n gives a poll', () => {
  test('is not exceeded by a slow service, and that is an error', async () => {
    const active = await activate(setup({ budget: 300 }));
    sandbox().setFaults([{ kind: 'delay', ms: 5_000, on: 'balance' }]);
    const start = Date.now();
    await active.poll();
    expect(Date.now() - start).toBeLessThan(3_000);
    expect(active.errors).toMatchObject([
      { message: 'The balance could not be read in the time that n8n gives a poll' },
    ]);
  });

  test('is not needed: n8n 2.0 does not tell it', async () => {
    sandbox().setCredits(99);
    expect(told(await activate(setup({ withoutBudget: true })))).toEqual([[99]]);
  });

  test('"Timeout" under Request Options can be shorter', async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 5_000, on: 'balance' }]);
    await expect(
      activate(setup({ parameters: { ...parameters(), requestOptions: { timeout: 100 } } })),
    ).rejects.toThrow('did not answer in time');
  });
});
