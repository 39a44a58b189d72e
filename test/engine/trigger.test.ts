import type { INodeParameters } from 'n8n-workflow';

import { type Fault, startSandbox } from '../../sandbox/server';
import { loadPackage } from '../../tools/engine/engine';
import { KEY } from '../support/account';
import { contacts } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { activate, type Active, fetchTestEvent, type TriggerSetup } from '../support/engine/polling';
import { runWorkflow } from '../support/engine/workflow';
import { textOf } from '../support/outputs';
import { SEND, withOptions, WITHOUT_WAITING } from '../support/parameters';
import { accountOf } from '../support/sandbox';

const { sandbox, run, requests } = nodeForTests();

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

/** Activates a workflow, with this balance. */
async function activateAt(credits: number, given: Partial<TriggerSetup> = {}): Promise<Active> {
  sandbox().setCredits(credits);
  return await activate(setup(given));
}

/** The credits that each execution started with. */
const reported = ({ started }: Active) => started.map((items) => items.map(({ json }) => json.credits));

async function pollWith(active: Active, ...credits: number[]): Promise<void> {
  for (const balance of credits) {
    sandbox().setCredits(balance);
    await active.poll();
  }
}

describe('An active workflow', () => {
  test('starts once when the balance drops below the threshold, and again only after it has risen', async () => {
    const active = await activateAt(150);
    expect(active.started).toEqual([]);
    await pollWith(active, 100, 99, 98, 50);
    expect(reported(active)).toEqual([[99]]);
    await pollWith(active, 100, 99, 101);
    expect(reported(active)).toEqual([[99]]);
    await pollWith(active, 80, 79);
    expect(reported(active)).toEqual([[99], [80]]);
    expect(active.errors).toEqual([]);
  });

  test('receives credits, threshold, owner, previous credits and the time', async () => {
    const active = await activateAt(150);
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
    expect(Date.parse(textOf(json.checked_at))).toBeGreaterThanOrEqual(before);
    expect(active.started).toHaveLength(1);
  });

  test('starts when it is activated if the balance is already low', async () => {
    const active = await activateAt(7);
    expect(active.started).toMatchObject([[{ json: { credits: 7, previous_credits: null } }]]);
    await pollWith(active, 7);
    expect(active.started).toHaveLength(1);
  });

  test('starts after sending has brought the balance below the threshold', async () => {
    const active = await activateAt(101);
    await run({ items: contacts(2), parameters: SEND });
    await active.poll();
    expect(reported(active)).toEqual([[99]]);
  });

  test('starts again with a margin only after the balance has risen by that much', async () => {
    const active = await activateAt(99, { parameters: parameters({}, { margin: 50 }) });
    await pollWith(active, 149, 98, 150, 97);
    expect(reported(active)).toEqual([[99], [97]]);
  });

  test('starts again with Remind Every while the balance stays low', async () => {
    const given = { parameters: parameters({}, { remindEvery: 24 }) };
    const active = await activateAt(99, given);
    await pollWith(active, 98);
    expect(reported(active)).toEqual([[99]]);
    const kept = active.inMemory()['node:Low Balance'] as { lowBalance: { firedAt: number } };
    kept.lowBalance.firedAt -= 24 * 3_600_000;
    const later = await activate(setup({ ...given, stored: { 'node:Low Balance': kept } }));
    await pollWith(later, 97);
    expect(later.started).toMatchObject([[{ json: { credits: 98, previous_credits: 98 } }]]);
  });

  test('starts once for one drop if polls overlap', async () => {
    const active = await activateAt(150);
    sandbox().setCredits(99);
    sandbox().setFaults([{ kind: 'delay', ms: 100, on: 'balance', times: 3 }]);
    await Promise.all([active.poll(), active.poll(), active.poll()]);
    expect(reported(active)).toEqual([[99]]);
  });
});

describe('A workflow that is activated again', () => {
  const restart = async (active: Active, given: Partial<TriggerSetup> = {}) =>
    await activate(setup({ ...given, stored: active.stored() }));

  test('does not report a drop a second time', async () => {
    const active = await activateAt(150);
    await pollWith(active, 99);
    const again = await restart(active);
    await pollWith(again, 98);
    expect(again.started).toEqual([]);
  });

  test('reports a drop immediately that happened while n8n was down', async () => {
    const active = await activateAt(150);
    sandbox().setCredits(99);
    expect(await restart(active)).toMatchObject({ started: [[{ json: { credits: 99, previous_credits: 150 } }]] });
  });

  test('uses a changed threshold', async () => {
    const raised = await restart(await activateAt(300), { parameters: parameters({ threshold: 500 }) });
    expect(raised.started).toMatchObject([[{ json: { credits: 300, threshold: 500 } }]]);
    expect((await restart(raised, { parameters: parameters({ threshold: 400 }) })).started).toEqual([]);
  });
});

describe('A test run', () => {
  test.each([100_000, 100, 99])(
    'returns the current balance of %i, and leaves the stored data unchanged',
    async (credits) => {
      const active = await activateAt(150);
      sandbox().setCredits(credits);
      const test = await fetchTestEvent(setup({ stored: active.stored() }));
      expect(test.error).toBeUndefined();
      expect(test.items).toMatchObject([
        { json: { credits, threshold: 100, user_id: 4711, user_name: 'Sandbox User', previous_credits: 150 } },
      ]);
      expect(test.staticData).toEqual(active.stored());
    },
  );

  test('has a hint that it always returns the current balance', async () => {
    const { trigger } = await loadPackage();
    const message = expect.stringContaining('A test always returns the current balance') as string;
    expect(trigger.description.hints).toMatchObject([
      { message, location: 'outputPane', whenToDisplay: 'afterExecution' },
    ]);
  });

  test('works repeatedly for a workflow that was never active', async () => {
    for (const test of [await fetchTestEvent(setup()), await fetchTestEvent(setup())]) {
      expect(test.items).toMatchObject([{ json: { credits: 100_000, previous_credits: null } }]);
    }
  });

  test('reports a wrong key', async () => {
    const account = { ...accountOf(sandbox()), apiKey: 'made-up-wrong-key' };
    const { items, error } = await fetchTestEvent(setup({ account }));
    expect(items).toEqual([]);
    expect(error).toMatchObject({ message: 'The API key is not valid', httpCode: '401' });
  });
});

describe('An error', () => {
  const balance = (data: string): Fault => ({ kind: 'body', status: 200, body: `{"success":true,"data":${data}}` });
  const NO_CREDITS = /did not report the credits/;
  const FAULTS: Array<[string, Fault, RegExp, string | null]> = [
    ['a wrong key', { kind: 'status', status: 401, code: 'INVALID_API_KEY' }, /API key is not valid/, '401'],
    ['a failing service', { kind: 'status', status: 500 }, /service did not finish/, '500'],
    ['a failing gateway', { kind: 'html' }, /did not return a result \(HTTP 502\)/, '502'],
    ['too many requests', { kind: 'status', status: 429 }, /rate limit is reached/, '429'],
    ['a lost connection', { kind: 'reset-before' }, /connection to the service was lost/, null],
    ['a page instead of the balance', { kind: 'body', status: 200, body: '<html>' }, /not from this API/, '200'],
    ['a balance without credits', balance('{"user_id":4711}'), NO_CREDITS, null],
    ['credits that are not a number', balance('{"credits":"many"}'), NO_CREDITS, null],
    ['credits that are empty', balance('{"credits":""}'), NO_CREDITS, null],
    ['credits that are null', balance('{"credits":null}'), NO_CREDITS, null],
    ['infinite credits', balance('{"credits":-1e999}'), NO_CREDITS, null],
  ];

  test.each(FAULTS)(
    'of a poll because of %s is reported, starts no execution, and leaves the stored data unchanged',
    async (_what, fault, message, httpCode) => {
      const active = await activateAt(99);
      const known = active.inMemory();
      sandbox().setFaults([{ ...fault, on: 'balance', times: 1 }]);
      await active.poll();
      expect(active.errors).toMatchObject([
        { name: 'NodeApiError', message: expect.stringMatching(message) as string, httpCode },
      ]);
      expect(active.errors[0]?.context).not.toHaveProperty('itemIndex');
      expect(active.inMemory()).toEqual(known);

      await pollWith(active, 98, 150, 97);
      expect(reported(active)).toEqual([[99], [97]]);
      expect(active.errors).toHaveLength(1);
    },
  );

  test.each(FAULTS)(
    'of the first poll because of %s prevents the activation, and says why',
    async (_what, fault, message) => {
      sandbox().setFaults([{ ...fault, on: 'balance', times: 1 }]);
      const refused = activate(setup());
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toThrow('There was a problem activating the workflow');
      // n8n does not retry an activation at its start if the message contains this word.
      await expect(refused).rejects.not.toThrow('Authorization');
    },
  );

  test.each([
    ['starts', 'init'],
    ['becomes the leader', 'leadershipChange'],
  ] as const)(
    'of the first poll is stored if n8n activates the workflow because it %s, and polls continue',
    async (_what, activation) => {
      const before = await activateAt(150);
      sandbox().setFaults([{ kind: 'status', status: 500, on: 'balance', times: 2 }]);
      const active = await activate(setup({ activation, stored: before.stored() }));
      await active.poll();
      expect(active.errors).toMatchObject([{ httpCode: '500' }, { httpCode: '500' }]);
      expect(active.stored()).toEqual(before.stored());

      await pollWith(active, 99, 98);
      expect(reported(active)).toEqual([[99]]);
      expect(active.errors).toHaveLength(2);
    },
  );

  test.each([
    ['the service refuses the connection', 'http://127.0.0.1:9/v1', 'NodeApiError', "n8n can't connect to the service"],
    ['the Base URL is not an address', '', 'NodeOperationError', 'Base URL'],
  ])('says that %s', async (_what, baseUrl, name, message) => {
    const account = { baseUrl, apiKey: KEY };
    await expect(activate(setup({ account }))).rejects.toThrow(message);
    const { error } = await fetchTestEvent(setup({ account }));
    expect(error).toMatchObject({ name, message: expect.stringContaining(message) as string });
  });

  test.each<[string, INodeParameters, RegExp]>([
    ['Warn Below is empty', parameters({ threshold: '' }), /Warn Below/],
    ['Warn Below is 0', parameters({ threshold: 0 }), /Warn Below/],
    ['Warn Below is not a number', parameters({ threshold: '={{ "many" }}' }), /Warn Below/],
    ['Margin is negative', parameters({}, { margin: -1 }), /Margin/],
    ['Remind Every is not a number', parameters({}, { remindEvery: 'daily' }), /Remind Every/],
    ['Max Wait is not a number', parameters({}, { longestWait: 'long' }), /Max Wait/],
    ['the proxy is not an address', { ...parameters(), requestOptions: { proxy: 'http://' } }, /proxy/],
  ])('says before any request that %s', async (_what, wrong, message) => {
    const { error } = await fetchTestEvent(setup({ parameters: wrong }));
    expect(error).toMatchObject({ name: 'NodeOperationError', message: expect.stringMatching(message) as string });
    await expect(activate(setup({ parameters: wrong }))).rejects.toThrow(message);
    expect(requests()).toEqual([]);
  });
});

test('The threshold can be an expression, and credits can be a text of digits', async () => {
  const body = '{"success":true,"data":{"credits":"49","user_id":"u-1"}}';
  sandbox().setFaults([{ kind: 'body', status: 200, body, on: 'balance' }]);
  const active = await activate(setup({ parameters: parameters({ threshold: '={{ 25 * 2 }}' }) }));
  expect(active.started).toMatchObject([[{ json: { credits: 49, threshold: 50, user_id: 'u-1', user_name: null } }]]);
});

describe('A poll', () => {
  test('waits after a 429, within Max Wait', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 1, on: 'balance' }]);
    const start = Date.now();
    const active = await activateAt(99, { parameters: parameters({}, { longestWait: 1 }) });
    expect(Date.now() - start).toBeGreaterThanOrEqual(990);
    expect(reported(active)).toEqual([[99]]);
    expect(requests()).toHaveLength(2);
  });

  test('does not start a wait that is longer than the time n8n gives it', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 60, on: 'balance' }]);
    // A wait that had started would end with the budget, and with another error.
    const refused = activate(setup({ parameters: parameters({}, { longestWait: 5 }), budget: 5_000 }));
    await expect(refused).rejects.toThrow('rate limit is reached');
    expect(requests()).toHaveLength(1);
  });

  test('shares the limit with everything else that uses the key', async () => {
    const own = await startSandbox({ keys: [KEY], limit: 0, credits: 99 });
    try {
      const account = accountOf(own);
      await runWorkflow({ account, items: contacts(2), parameters: withOptions(SEND, { requestsPerMinute: 2 }) });
      // This minute's two requests are used up, and n8n would abandon the poll before its turn.
      const refused = activate(setup({ account, parameters: parameters({}, { requestsPerMinute: 2 }), budget: 300 }));
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

  test('works without a given time, as in n8n 2.35', async () => {
    expect(reported(await activateAt(99, { withoutBudget: true }))).toEqual([[99]]);
  });

  test("ends sooner with 'Timeout' under Request Options", async () => {
    sandbox().setFaults([{ kind: 'silence', on: 'balance' }]);
    const timed = { ...parameters(), requestOptions: { timeout: 100 } };
    await expect(activate(setup({ parameters: timed }))).rejects.toThrow('did not answer in time');
  });
});
