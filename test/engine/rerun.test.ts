import { stringify } from 'flatted';
import type { IDataObject, INode, INodeParameters, IRunExecutionData } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts, phoneAt } from '../support/contacts';
import { keptIn, retryExecution, runWorkflow, type Setup, startWorkflow, stored } from '../support/engine/workflow';
import { SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

/** Keys whose limit a test uses up, so that no other waits for it. */
const SPENT = [0, 1, 2, 3].map((index) => `made-up-spent-key-${index}`);
const sandbox = sandboxForTests({ keys: [KEY, ...SPENT] });
const spentAccount = (index: number) => ({ ...accountOf(sandbox()), apiKey: SPENT[index] ?? '' });
const received = () =>
  sandbox()
    .messages()
    .map(({ phone, message }) => [phone, message]);
const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const sentOnce = (count: number) =>
  expect(received().sort()).toEqual(
    contacts(count)
      .map(({ phone, text }) => [phone, text])
      .sort(),
  );
/** Batches of two, so that a few items make several requests. */
const inTwos = (parameters: INodeParameters): INodeParameters => ({
  ...parameters,
  requestOptions: { batching: { batch: { batchSize: 2, batchInterval: 0 } } },
});
const oneByOne = (parameters: INodeParameters) => withOptions(parameters, { parallelRequests: 1 });

const ways: Array<[string, INodeParameters]> = [
  ['Send', oneByOne(SEND)],
  ['Send Bulk', oneByOne(inTwos(SEND_BULK))],
];

describe.each(ways)('%s: Retry On Fail', (_name, parameters) => {
  test('sends only what was not sent, and what was sent comes out as if sent now', async () => {
    // Refused, so that it is known that it did not go out.
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const failing = setupOf({ items: contacts(6), parameters, retryOnFail: { maxTries: 2 } });
    const { outputs, error, run } = await runWorkflow(failing);
    expect(error).toBeUndefined();
    sentOnce(6);
    const byPhone = new Map(
      sandbox()
        .messages()
        .map((message) => [message.phone, message]),
    );
    expect(outputs[0]?.map(({ json, pairedItem }) => [json.phone, json.message_id, json.status, pairedItem])).toEqual(
      contacts(6).map(({ phone }, item) => [phone, byPhone.get(phone)?.id, 'sent', { item }]),
    );
    expect(run.data.executionData?.contextData['node:Send']).toEqual({});
  });

  test('leaves items that are the same as without a failure, field by field', async () => {
    const setup = setupOf({ items: contacts(6), parameters, retryOnFail: { maxTries: 3 } });
    const shapeOf = (json: IDataObject) =>
      Object.entries(json).map(([name, value]) => [name, name === 'sent_at' ? typeof value : value]);
    const expected = (await runWorkflow(setup)).outputs;
    sandbox().reset();
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 2 }]);
    const { outputs } = await runWorkflow(setup);
    // The batch that failed was made again, with a number of its own.
    const without = (items: typeof outputs) =>
      items[0]?.map(({ json: { batch: _batch, ...json }, ...rest }) => ({ ...rest, json: shapeOf(json) }));
    expect(without(outputs)).toEqual(without(expected));
    sentOnce(6);
  });

  test.each<NonNullable<INode['onError']>>(['continueRegularOutput', 'continueErrorOutput'])(
    'with %s, where the first item failed, sends none of the others again',
    async (onError) => {
      const [first, ...others] = contacts(6);
      const items = [{ ...first, phone: '07700900000' }, ...others];
      const { outputs } = await runWorkflow(setupOf({ items, parameters, onError, retryOnFail: { maxTries: 4 } }));
      expect(received()).toEqual(others.map(({ phone, text }) => [phone, text]));
      expect(outputs[0]?.filter(({ json }) => json.error === undefined).map(({ json }) => json.phone)).toEqual(
        others.map(({ phone }) => phone),
      );
      expect(outputs.flat().filter(({ json }) => json.error !== undefined)).toHaveLength(1);
    },
  );

  test('with Continue, sends the first item once it can be sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 422, detailsShape: 'none', times: 2 }]);
    const { outputs } = await runWorkflow(
      setupOf({ items: contacts(1), parameters, onError: 'continueRegularOutput', retryOnFail: { maxTries: 3 } }),
    );
    expect(outputs[0]?.map(({ json }) => json.phone)).toEqual([phoneAt(0)]);
    sentOnce(1);
    expect(sandbox().requests()).toHaveLength(3);
  });

  test.each<NonNullable<INode['onError']>>(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])(
    'does not send what is uncertain again (%s)',
    async (onError) => {
      sandbox().setFaults([{ kind: 'reset-after' }]);
      const { error, outputs } = await runWorkflow(
        setupOf({ items: contacts(2), parameters, onError, retryOnFail: { maxTries: 3 } }),
      );
      expect(new Set(received().map(([phone]) => phone)).size).toBe(received().length);
      if (onError === 'stopWorkflow')
        expect(error?.message).toBe('The connection to the service was lost before its answer came');
      else
        expect((outputs.flat().find(({ json }) => json.error !== undefined)?.json.details as IDataObject).outcome).toBe(
          'uncertain',
        );
    },
  );

  test('sends what is uncertain again if the user wants it so', async () => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    const again = { ...parameters, options: { ...(parameters.options as INodeParameters), uncertain: 'sendAgain' } };
    const { error, outputs } = await runWorkflow(
      setupOf({ items: contacts(2), parameters: again, retryOnFail: { maxTries: 2 } }),
    );
    expect(error).toBeUndefined();
    expect(outputs[0]).toHaveLength(2);
    expect(received().filter(([phone]) => phone === phoneAt(0))).toHaveLength(2);
  });

  test('what was uncertain and then sent again stays uncertain if that fails: it may have gone out the first time', async () => {
    sandbox().setFaults([
      { kind: 'status', status: 500, handled: true },
      { kind: 'status', status: 401, times: 9 },
    ]);
    const again = { ...parameters, options: { ...(parameters.options as INodeParameters), uncertain: 'sendAgain' } };
    const { outputs } = await runWorkflow(
      setupOf({
        items: contacts(1),
        parameters: again,
        onError: 'continueRegularOutput',
        retryOnFail: { maxTries: 2 },
      }),
    );
    expect(received()).toHaveLength(1);
    expect(outputs[0]?.[0]?.json.details).toMatchObject({ outcome: 'uncertain' });
  });
});

describe.each(ways)('%s: Retry in the list of executions', (_name, parameters) => {
  const failed = async (setup: Setup) => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const ran = await runWorkflow(setup);
    expect(ran.error).toBeDefined();
    return { ran, before: received() };
  };

  test('with the same workflow, sends only what was not sent', async () => {
    const setup = setupOf({ items: contacts(6), parameters });
    const { ran, before } = await failed(setup);
    expect(before.length).toBeGreaterThan(0);
    const again = await retryExecution(ran, setup);
    expect(again.error).toBeUndefined();
    expect(again.outputs[0]?.map(({ json, pairedItem }) => [json.phone, pairedItem])).toEqual(
      contacts(6).map(({ phone }, item) => [phone, { item }]),
    );
    sentOnce(6);
  });

  test('with the workflow as it is now, sends a text that has changed, and no other again', async () => {
    const setup = setupOf({ items: contacts(6), parameters });
    const { ran } = await failed(setup);
    const changed = {
      ...setup,
      parameters: { ...parameters, message: '={{ $json.text === "Hello 0" ? "Another text" : $json.text }}' },
    };
    const { error, outputs } = await retryExecution(ran, setup, changed);
    expect(error).toBeUndefined();
    expect(outputs[0]).toHaveLength(6);
    expect(received().filter(([phone]) => phone === phoneAt(0))).toEqual([
      [phoneAt(0), 'Hello 0'],
      [phoneAt(0), 'Another text'],
    ]);
    expect(received()).toHaveLength(7);
  });

  test('with the workflow as it is now, sends to a number that has changed, and to no other again', async () => {
    const setup = setupOf({ items: contacts(6), parameters });
    const { ran } = await failed(setup);
    const changed = {
      ...setup,
      parameters: { ...parameters, phone: `={{ $json.phone === "${phoneAt(1)}" ? "${phoneAt(99)}" : $json.phone }}` },
    };
    const { outputs } = await retryExecution(ran, setup, changed);
    expect(outputs[0]?.[1]?.json.phone).toBe(phoneAt(99));
    expect(received()).toHaveLength(7);
    expect(received().filter(([phone]) => phone === phoneAt(99))).toEqual([[phoneAt(99), 'Hello 1']]);
  });

  test('several times over, sends each message once', async () => {
    const setup = setupOf({ items: contacts(6), parameters });
    let { ran } = await failed(setup);
    for (let retry = 0; retry < 2; retry += 1) {
      sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
      ran = await retryExecution(ran, setup);
    }
    sandbox().setFaults([]);
    ran = await retryExecution(ran, setup);
    expect(ran.error).toBeUndefined();
    sentOnce(6);
  });

  test('does not say that nothing was sent when an earlier try sent something', async () => {
    const setup = setupOf({ items: contacts(6), parameters });
    const { ran } = await failed(setup);
    const changed = {
      ...setup,
      parameters: { ...parameters, message: '={{ $json.text === "Hello 5" ? "" : $json.text }}' },
    };
    const { error } = await retryExecution(ran, setup, changed);
    expect(error?.message).toBe('The message is empty');
    expect(error?.description).not.toContain('Nothing was sent.');
  });

  test('an execution that begins anew sends again', async () => {
    const setup = setupOf({ items: contacts(2), parameters });
    await runWorkflow(setup);
    await runWorkflow(setup);
    expect(received()).toHaveLength(4);
  });
});

test('of a list, only the entries that were not sent are sent again', async () => {
  const list = contacts(6).map(({ phone, text }) => ({ phone, message: text }));
  const setup = setupOf({
    items: [{ list: list.slice(0, 3) }, { list: list.slice(3) }],
    parameters: oneByOne(inTwos(SEND_LIST)),
  });
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
  const ran = await runWorkflow(setup);
  expect(received()).toHaveLength(2);
  const { outputs } = await retryExecution(ran, setup);
  expect(outputs[0]?.map(({ json, pairedItem }) => [json.phone, pairedItem])).toEqual(
    list.map(({ phone }, index) => [phone, { item: index < 3 ? 0 : 1 }]),
  );
  sentOnce(6);
});

test('of a split text, only the parts that were not sent are sent again', async () => {
  const setup = setupOf({
    items: [{ phone: phoneAt(0), text: `${'a'.repeat(1000)}${'b'.repeat(1000)}${'c'.repeat(10)}` }],
    parameters: withOptions(SEND, { longMessages: 'split' }),
  });
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
  const { outputs } = await retryExecution(await runWorkflow(setup), setup);
  expect(received().map(([, text]) => text?.[0])).toEqual(['a', 'b', 'c']);
  expect(outputs[0]?.map(({ json }) => json.part)).toEqual([1, 2, 3]);
});

test('with One Item per Request, the answers of the earlier try come out again', async () => {
  const setup = setupOf({
    items: contacts(6),
    parameters: inTwos(withOptions(SEND_BULK, { output: 'batches', parallelRequests: 1 })),
  });
  sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
  const { outputs } = await retryExecution(await runWorkflow(setup), setup);
  sentOnce(6);
  expect(outputs[0]).toHaveLength(3);
  expect(outputs[0]?.[0]).toEqual({
    json: {
      messages_sent: 2,
      credits_used: 2,
      credits_remaining: 99_998,
      messages: [0, 1].map((index) => ({ message_id: 1001 + index, phone: phoneAt(index), status: 'sent' })),
      batch: 1,
    },
    pairedItem: [{ item: 0 }, { item: 1 }],
  });
});

describe('a node that runs more than once in an execution, as in a loop', () => {
  test.each(ways)('sends the same items in each of its runs (%s)', async (_name, parameters) => {
    const { run } = await runWorkflow(
      setupOf({ items: contacts(2), moreItems: [contacts(2), contacts(2)], parameters }),
    );
    expect(run.data.resultData.runData.Send).toHaveLength(3);
    expect(received()).toHaveLength(6);
    expect(run.data.executionData?.contextData['node:Send']).toEqual({});
  });

  test.each(ways)(
    'takes up a failed run where it stopped, and the runs before it not at all (%s)',
    async (_name, parameters) => {
      const setup = setupOf({ items: contacts(2), moreItems: [contacts(4)], parameters, onError: 'stopWorkflow' });
      const requestsBefore = parameters.operation === 'send' ? 3 : 2;
      sandbox().setFaults([{ kind: 'status', status: 403, after: requestsBefore }]);
      const ran = await runWorkflow(setup);
      expect(ran.run.data.resultData.runData.Send).toHaveLength(2);
      expect(Object.keys(keptIn(ran).deliveries as IDataObject)).toEqual(['1']);
      const again = await retryExecution(ran, setup);
      expect(again.error).toBeUndefined();
      expect(again.run.data.resultData.runData.Send).toHaveLength(2);
      expect(
        received()
          .map(([phone]) => phone)
          .sort(),
      ).toEqual([0, 0, 1, 1, 2, 3].map(phoneAt));
      expect(again.run.data.executionData?.contextData['node:Send']).toEqual({});
    },
  );

  test('with Continue, an uncertain message of one run is sent in the next', async () => {
    sandbox().setFaults([{ kind: 'reset-before' }]);
    await runWorkflow(
      setupOf({
        items: contacts(1),
        moreItems: [contacts(1)],
        parameters: SEND,
        onError: 'continueRegularOutput',
        retryOnFail: { maxTries: 2 },
      }),
    );
    expect(received()).toHaveLength(1);
  });
});

describe('what is kept in the execution', () => {
  const MANY = 10_000;
  const kept = (data: IRunExecutionData) => stringify(data.executionData?.contextData['node:Send']);

  test('is under 1 MB for 10,000 messages, with no key, number or text', async () => {
    sandbox().setFaults([
      { kind: 'reset-after', after: 90, times: 5 },
      { kind: 'status', status: 401, after: 99 },
    ]);
    const { run, error } = await runWorkflow(
      setupOf({
        items: contacts(MANY),
        parameters: withOptions(SEND_BULK, { uncertain: 'sendAgain' }),
        onError: 'continueErrorOutput',
      }),
    );
    expect(error).toBeUndefined();
    const text = kept(run.data);
    expect(text.length).toBeGreaterThan(100_000);
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/4477009\d{5}|Hello/);
  });

  test('is under 1 MB for 10,000 messages that went out one by one', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: MANY - 1 }]);
    const { run } = await runWorkflow(
      setupOf({ items: contacts(MANY), parameters: SEND, onError: 'continueErrorOutput' }),
    );
    const text = kept(run.data);
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/4477009\d{5}|Hello/);
  }, 60_000);

  test('is nothing when all went well', async () => {
    for (const [, parameters] of ways) {
      const { run } = await runWorkflow(setupOf({ items: contacts(3), parameters }));
      expect(run.data.executionData?.contextData['node:Send'] ?? {}).toEqual({});
    }
  });
});

describe('the Stop button', () => {
  const settle = async (milliseconds: number) => await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const until = async (holds: () => boolean) => {
    while (!holds()) await settle(2);
  };

  test.each<NonNullable<INode['onError']>>(['stopWorkflow', 'continueErrorOutput'])(
    'ends a wait for the limit at once, and starts nothing more (%s)',
    async (onError) => {
      const parameters = withOptions(SEND, { requestsPerMinute: 2 });
      const { ended, stop } = await startWorkflow({
        account: spentAccount(onError === 'stopWorkflow' ? 0 : 1),
        items: contacts(10),
        parameters,
        onError,
      });
      await until(() => sandbox().messages().length === 2);
      await settle(20);
      stop();
      const ran = await ended;
      await settle(50);
      expect(sandbox().requests()).toHaveLength(2);
      expect((keptIn(ran).deliveries as Record<string, string[]>)['0']?.join('\n').split('\n')).toHaveLength(2);
    },
  );

  test('ends a wait after a 429 at once', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 60, times: 9 }]);
    const { ended, stop } = await startWorkflow({
      account: spentAccount(2),
      items: contacts(3),
      parameters: withOptions(SEND_BULK, { longestWait: 5 }),
    });
    await until(() => sandbox().requests().length === 1);
    await settle(20);
    stop();
    await ended;
    expect(sandbox().requests()).toHaveLength(1);
  });

  test('what was on its way is recorded as uncertain, and a retry sends only what was not tried', async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 150, after: 1, times: 9 }]);
    const setup = setupOf({ items: contacts(6), parameters: inTwos(withOptions(SEND_BULK, { parallelRequests: 1 })) });
    const { ended, stop } = await startWorkflow(setup);
    await until(() => sandbox().messages().length === 4);
    stop();
    const ran = await ended;
    expect(received()).toHaveLength(4);
    sandbox().setFaults([]);
    const again = await retryExecution(ran, setup);
    expect(again.error).toMatchObject({
      message: 'The run was stopped while the request was on its way',
      context: { itemIndex: 2 },
    });
    expect(again.error?.description).toContain('Items concerned: 2, 3.');
    sentOnce(6);
  });

  test('what is on its way stands in what n8n stores when the button is pressed, as uncertain', async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 150, after: 1, times: 9 }]);
    const kept: unknown[] = [];
    const setup = setupOf({
      items: contacts(6),
      parameters: inTwos(withOptions(SEND_BULK, { parallelRequests: 1 })),
      onStore: (data) => kept.push(data.executionData?.contextData['node:Send']),
    });
    const { ended, stop } = await startWorkflow(setup);
    await until(() => sandbox().messages().length === 4);
    stop();
    await ended;
    const [first] = kept as Array<{ deliveries?: Record<string, string[]> }>;
    const lines = (first?.deliveries?.['0'] ?? [])
      .flatMap((text) => text.split('\n'))
      .map((line) => JSON.parse(line) as { s?: string[][]; u?: string[][] });
    expect(lines.flatMap(({ s = [] }) => s.map(([place]) => place))).toEqual(['0', '1']);
    expect(lines.flatMap(({ u = [] }) => u.map(([place]) => place))).toEqual(['2', '3']);
  });

  test('with Retry On Fail, nothing is tried again', async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 100, times: 99 }]);
    const { ended, stop } = await startWorkflow(
      setupOf({ items: contacts(6), parameters: oneByOne(SEND), retryOnFail: { maxTries: 3 } }),
    );
    await until(() => sandbox().messages().length === 2);
    stop();
    await ended;
    await settle(50);
    expect(received()).toHaveLength(2);
  });

  test('while the credits are checked, passes no item on as sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 60, times: 9 }]);
    const parameters = withOptions(SEND, { checkCreditsFirst: true, longestWait: 5 });
    const { ended, stop } = await startWorkflow({
      account: spentAccount(3),
      items: contacts(3),
      parameters,
      onError: 'continueErrorOutput',
    });
    await until(() => sandbox().requests().length === 1);
    await settle(20);
    stop();
    const { outputs } = await ended;
    expect(outputs[0] ?? []).toEqual([]);
  });
});

test('stored data comes back as it was', () => {
  const data = {
    resultData: { runData: {} },
    executionData: { contextData: { 'node:Send': { deliveries: { 0: ['a'] } } } },
  };
  expect(stored(data as unknown as IRunExecutionData)).toEqual(data);
});
