import { stringify } from 'flatted';
import type { IDataObject, INodeParameters, IRunExecutionData } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts, listOf, phoneAt } from '../support/contacts';
import { recordLines } from '../support/engine/record';
import { keptIn, retryExecution, runWorkflow, type Setup, startWorkflow, stored } from '../support/engine/workflow';
import { detailsOf, outcomeOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import { accountOf, receivedContacts, receivedPhones, receivedTexts, sandboxForTests } from '../support/sandbox';
import { someTurns, until } from '../support/waiting';

/** Keys whose limit a test uses up, so that no other test waits for it. */
const SPENT = [0, 1, 2, 3].map((index) => `made-up-spent-key-${index}`);
const sandbox = sandboxForTests({ keys: [KEY, ...SPENT] });
const spentAccount = (index: number) => ({ ...accountOf(sandbox()), apiKey: SPENT[index] ?? '' });
const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const sentOnce = (count: number) =>
  expect(receivedContacts(sandbox()).sort((one, other) => one.phone.localeCompare(other.phone))).toEqual(
    contacts(count),
  );
const oneByOne = (parameters: INodeParameters) => withOptions(parameters, { parallelRequests: 1 });

const SENDING_ONE_BY_ONE: Array<[string, INodeParameters]> = [
  ['Send', oneByOne(SEND)],
  ['Send Bulk', oneByOne(inBatchesOf(2, SEND_BULK))],
];

/** The values of On Error, with their names in the editor. */
const STOP = ['Stop Workflow', 'stopWorkflow'] as const;
const CONTINUE = ['Continue', 'continueRegularOutput'] as const;
const ERROR_OUTPUT = ['Continue (using error output)', 'continueErrorOutput'] as const;

describe.each(SENDING_ONE_BY_ONE)('%s with Retry On Fail', (_name, parameters) => {
  test('sends only what was not sent, and returns the rest as if it were sent now', async () => {
    // A 403 is certain: the messages were not sent.
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

  test('returns the same items as without a failure, field by field', async () => {
    const setup = setupOf({ items: contacts(6), parameters, retryOnFail: { maxTries: 3 } });
    // The batch that failed was sent again, with another number.
    const shapeOf = (json: IDataObject) =>
      Object.entries(json)
        .filter(([name]) => name !== 'batch')
        .map(([name, value]) => [name, name === 'sent_at' ? typeof value : value]);
    const expected = (await runWorkflow(setup)).outputs;
    sandbox().reset();
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1, times: 2 }]);
    const { outputs } = await runWorkflow(setup);
    const shapes = ([items]: typeof outputs) => items?.map(({ json, ...rest }) => ({ ...rest, json: shapeOf(json) }));
    expect(shapes(outputs)).toEqual(shapes(expected));
    sentOnce(6);
  });

  test.each([CONTINUE, ERROR_OUTPUT])(
    'sends no other item again if the first one failed, with On Error set to %s',
    async (_name, onError) => {
      const [first, ...others] = contacts(6);
      const items = [{ ...first, phone: '07700900000' }, ...others];
      const { outputs } = await runWorkflow(setupOf({ items, parameters, onError, retryOnFail: { maxTries: 4 } }));
      expect(receivedContacts(sandbox())).toEqual(others);
      expect(outputs[0]?.filter(({ json }) => json.error === undefined).map(({ json }) => json.phone)).toEqual(
        others.map(({ phone }) => phone),
      );
      expect(outputs.flat().filter(({ json }) => json.error !== undefined)).toHaveLength(1);
    },
  );

  test('sends the first item once it can be sent, with On Error set to Continue', async () => {
    sandbox().setFaults([{ kind: 'status', status: 422, detailsShape: 'none', times: 2 }]);
    const { outputs } = await runWorkflow(
      setupOf({ items: contacts(1), parameters, onError: 'continueRegularOutput', retryOnFail: { maxTries: 3 } }),
    );
    expect(outputs[0]?.map(({ json }) => json.phone)).toEqual([phoneAt(0)]);
    sentOnce(1);
    expect(sandbox().requests()).toHaveLength(3);
  });

  test.each([STOP, CONTINUE, ERROR_OUTPUT])(
    'does not send an uncertain message again, with On Error set to %s',
    async (_name, onError) => {
      sandbox().setFaults([{ kind: 'reset-after' }]);
      const { error, outputs } = await runWorkflow(
        setupOf({ items: contacts(2), parameters, onError, retryOnFail: { maxTries: 3 } }),
      );
      const phones = receivedPhones(sandbox());
      expect(new Set(phones).size).toBe(phones.length);
      const failed = outputs.flat().find(({ json }) => json.error !== undefined);
      expect(error?.message ?? detailsOf(failed).outcome).toBe(
        onError === 'stopWorkflow' ? 'The connection to the service was lost before its response arrived' : 'uncertain',
      );
    },
  );

  test("sends an uncertain message again with 'Send Again'", async () => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    const again = withOptions(parameters, { parallelRequests: 1, uncertain: 'sendAgain' });
    const { error, outputs } = await runWorkflow(
      setupOf({ items: contacts(2), parameters: again, retryOnFail: { maxTries: 2 } }),
    );
    expect(error).toBeUndefined();
    expect(outputs[0]).toHaveLength(2);
    expect(receivedPhones(sandbox()).filter((phone) => phone === phoneAt(0))).toHaveLength(2);
  });

  test('leaves a message uncertain that was sent again and failed, because the first attempt may have sent it', async () => {
    sandbox().setFaults([
      { kind: 'status', status: 500, handled: true },
      { kind: 'status', status: 401, times: 9 },
    ]);
    const again = withOptions(parameters, { parallelRequests: 1, uncertain: 'sendAgain' });
    const { outputs } = await runWorkflow(
      setupOf({
        items: contacts(1),
        parameters: again,
        onError: 'continueRegularOutput',
        retryOnFail: { maxTries: 2 },
      }),
    );
    expect(receivedPhones(sandbox())).toHaveLength(1);
    expect(outputs[0]?.[0]?.json.details).toMatchObject({ outcome: 'uncertain' });
  });
});

describe.each(SENDING_ONE_BY_ONE)('A retried execution of %s', (_name, parameters) => {
  const failed = async (setup: Setup) => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const ran = await runWorkflow(setup);
    expect(ran.error).toBeDefined();
    return { ran, before: receivedPhones(sandbox()) };
  };

  test('sends only what was not sent, with the original workflow', async () => {
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

  test('sends a changed text if the message was not sent, and no other, with the workflow as it is now', async () => {
    const setup = setupOf({ items: contacts(6), parameters });
    const { ran, before } = await failed(setup);
    const changed = { ...setup, parameters: { ...parameters, message: '=Corrected: {{ $json.text }}' } };
    const { error, outputs } = await retryExecution(ran, setup, changed);
    expect(error).toBeUndefined();
    expect(outputs[0]).toHaveLength(6);
    expect(new Set(receivedContacts(sandbox()))).toEqual(
      new Set(
        contacts(6).map(({ phone, text }) => ({
          phone,
          text: before.includes(phone) ? text : `Corrected: ${text}`,
        })),
      ),
    );
    expect(receivedPhones(sandbox())).toHaveLength(6);
  });

  test('sends to a changed phone number, and to no other again, with the workflow as it is now', async () => {
    const setup = setupOf({ items: contacts(6), parameters });
    const { ran } = await failed(setup);
    const changed = {
      ...setup,
      parameters: { ...parameters, phone: `={{ $json.phone === "${phoneAt(1)}" ? "${phoneAt(99)}" : $json.phone }}` },
    };
    const { outputs } = await retryExecution(ran, setup, changed);
    expect(outputs[0]?.[1]?.json.phone).toBe(phoneAt(99));
    expect(receivedPhones(sandbox())).toHaveLength(7);
    expect(receivedContacts(sandbox()).filter(({ phone }) => phone === phoneAt(99))).toEqual([
      { phone: phoneAt(99), text: 'Hello 1' },
    ]);
  });

  test('sends each message once if it is retried several times', async () => {
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

  test('does not report that nothing was sent if an earlier attempt sent something', async () => {
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
});

test.each(SENDING_ONE_BY_ONE)('A new execution of %s sends all messages again', async (_name, parameters) => {
  const setup = setupOf({ items: contacts(2), parameters });
  await runWorkflow(setup);
  await runWorkflow(setup);
  expect(receivedPhones(sandbox())).toHaveLength(4);
});

test('A retry sends only the entries of a list that were not sent', async () => {
  const list = listOf(6);
  const setup = setupOf({
    items: [{ list: list.slice(0, 3) }, { list: list.slice(3) }],
    parameters: oneByOne(inBatchesOf(2, SEND_LIST)),
  });
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
  const ran = await runWorkflow(setup);
  expect(receivedPhones(sandbox())).toHaveLength(2);
  const { outputs } = await retryExecution(ran, setup);
  expect(outputs[0]?.map(({ json, pairedItem }) => [json.phone, pairedItem])).toEqual(
    list.map(({ phone }, index) => [phone, { item: index < 3 ? 0 : 1 }]),
  );
  sentOnce(6);
});

/** Values that are others in each attempt, or in each Retry. */
const CHANGING = ['$now.toMillis() + Math.random()', '$execution.id', '$execution.resumeUrl'];

describe.each(CHANGING)('A text that contains {{ %s }}', (expression) => {
  const message = `={{ $json.text }} {{ ${expression} }}`;
  const sentOnceEach = () => expect(receivedPhones(sandbox()).sort()).toEqual(contacts(6).map(({ phone }) => phone));

  test.each(SENDING_ONE_BY_ONE)('is sent once with Retry On Fail by %s', async (_name, parameters) => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const setup = { items: contacts(6), parameters: { ...parameters, message }, retryOnFail: { maxTries: 2 } };
    expect((await runWorkflow(setupOf(setup))).error).toBeUndefined();
    sentOnceEach();
  });

  test.each(SENDING_ONE_BY_ONE)('is sent once with Retry by %s', async (_name, parameters) => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const setup = setupOf({ items: contacts(6), parameters: { ...parameters, message } });
    const again = await retryExecution(await runWorkflow(setup), setup);
    expect(again.error).toBeUndefined();
    expect(again.outputs[0]).toHaveLength(6);
    sentOnceEach();
  });

  test('is not continued by a Retry if it is split and some of its parts were sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const split = withOptions(SEND, { longMessages: 'split' });
    const setup = setupOf({
      items: [{ phone: phoneAt(0), text: `${'a'.repeat(999)} ${'b'.repeat(999)} c` }],
      parameters: { ...split, message: `={{ ${expression} }} {{ $json.text }}` },
    });
    const again = { ...setup, onError: 'continueErrorOutput' as const };
    const { outputs } = await retryExecution(await runWorkflow(setup), setup, again);
    expect(outputs.map((own) => own.map((item) => [item.json.part, outcomeOf(item)]))).toEqual([
      [[1, 'sent']],
      [
        [undefined, 'uncertain'],
        [undefined, 'uncertain'],
      ],
    ]);
    expect(receivedPhones(sandbox())).toHaveLength(1);
  });
});

describe('A retry with the workflow as it is now', () => {
  const parameters = oneByOne(inBatchesOf(2, SEND_LIST));
  const retryAfterChange = async (items: IDataObject[], before: INodeParameters, after: INodeParameters) => {
    const setup = setupOf({ items, parameters: before });
    sandbox().setFaults([{ kind: 'status', status: 403, after: 2 }]);
    const again = await retryExecution(await runWorkflow(setup), setup, { ...setup, parameters: after });
    expect(again.error).toBeUndefined();
    return again;
  };
  const listWithout = (...indexes: number[]) => ({
    ...parameters,
    messages: `={{ $json.list.filter((_, index) => !${JSON.stringify(indexes)}.includes(index)) }}`,
  });

  test.each([0, 3, 4])('sends no row again if row %i of a list was removed', async (removed) => {
    const { outputs } = await retryAfterChange([{ list: listOf(10) }], parameters, listWithout(removed));
    const left = listOf(10).filter((_, index) => index !== removed);
    expect(outputs[0]?.map(({ json }) => json.phone)).toEqual(left.map(({ phone }) => phone));
    const arrived = listOf(10).filter((_, index) => index !== removed || removed < 4);
    expect(receivedPhones(sandbox()).sort()).toEqual(arrived.map(({ phone }) => phone));
  });

  test('sends what was not sent to a phone if a message that it got was removed', async () => {
    const list = ['A', 'B', 'C', 'D', 'E', 'F'].map((message) => ({ phone: phoneAt(0), message }));
    await retryAfterChange([{ list }], parameters, listWithout(0, 3));
    expect(receivedTexts(sandbox())).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });

  const fromItems = oneByOne(inBatchesOf(2, SEND_BULK));
  test.each([
    ['JSON List', fromItems, parameters],
    ['Input Items', parameters, fromItems],
  ])('sends no message again if Source was switched to %s', async (_name, before, after) => {
    const items = contacts(8).map(({ phone, text }) => ({ phone, text, list: [{ phone, message: text }] }));
    const { outputs } = await retryAfterChange(items, before, after);
    expect(outputs[0]).toHaveLength(8);
    sentOnce(8);
  });
});

test('A retry sends only the parts of a split text that were not sent', async () => {
  const setup = setupOf({
    items: [{ phone: phoneAt(0), text: `${'a'.repeat(1000)}${'b'.repeat(1000)}${'c'.repeat(10)}` }],
    parameters: withOptions(SEND, { longMessages: 'split' }),
  });
  sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
  const { outputs } = await retryExecution(await runWorkflow(setup), setup);
  expect(receivedTexts(sandbox()).map((text) => text[0])).toEqual(['a', 'b', 'c']);
  expect(outputs[0]?.map(({ json }) => json.part)).toEqual([1, 2, 3]);
});

describe('A text that has another number of parts in a retry', () => {
  const lettersOf = (...counts: number[]) =>
    counts.map((count, index) => String.fromCharCode(97 + index).repeat(count)).join('');
  const arrived = () => receivedTexts(sandbox()).map((text) => `${text[0]}${text.length}`);
  const split = withOptions(SEND, { longMessages: 'split', parallelRequests: 1 });
  const truncated = withOptions(SEND, { longMessages: 'truncate', parallelRequests: 1 });
  /** To two contacts; the first attempt ends after `after` requests. */
  const retryWith = async (after: number, text: string, parameters: INodeParameters) => {
    const message = (words: string) => `={{ $json.name + ${JSON.stringify(words)} }}`;
    const items = ['A', 'B'].map((name, index) => ({ phone: phoneAt(index), name }));
    const setup = setupOf({ items, parameters: { ...split, message: message(lettersOf(999, 999)) } });
    sandbox().setFaults([{ kind: 'status', status: 403, after }]);
    const first = await runWorkflow(setup);
    const again = { ...setup, parameters: { ...parameters, message: message(text) } };
    const { outputs } = await retryExecution(first, setup, { ...again, onError: 'continueErrorOutput' });
    return outputs.map((own) => own.map((item) => [item.json.phone, item.json.part, outcomeOf(item)]));
  };

  test('is not sent again as one', async () => {
    const [sent, failed] = await retryWith(2, lettersOf(999, 999), truncated);
    expect(arrived()).toEqual(['A1000', 'b999', 'B1000']);
    expect(sent).toEqual([[phoneAt(1), undefined, 'sent']]);
    expect(failed).toEqual([[phoneAt(0), undefined, 'uncertain']]);
  });

  test('is not sent again in more parts', async () => {
    const [sent, failed] = await retryWith(2, lettersOf(999, 1000, 1000), split);
    expect(arrived()).toEqual(['A1000', 'b999', 'B1000', 'b1000', 'c1000']);
    expect(sent?.map(([phone, part]) => [phone, part])).toEqual([
      ...[1, 2].map((part) => [phoneAt(0), part]),
      ...[1, 2, 3].map((part) => [phoneAt(1), part]),
    ]);
    expect(failed).toEqual([[phoneAt(0), undefined, 'uncertain']]);
  });

  test.each(['report', 'sendAgain'])(
    'is not sent as one if some of its parts were, whatever is done about uncertain ones: %s',
    async (uncertain) => {
      const parameters = withOptions(SEND, { longMessages: 'split', parallelRequests: 1, uncertain });
      const [sent, failed] = await retryWith(1, 'Hello', parameters);
      expect(arrived()).toEqual(['A1000', 'B6']);
      expect(sent).toEqual([[phoneAt(1), undefined, 'sent']]);
      expect(failed).toEqual([[phoneAt(0), undefined, 'uncertain']]);
    },
  );

  test('is not continued in other parts if only some of its parts were sent', async () => {
    const [, failed] = await retryWith(1, lettersOf(999, 1000, 1000), split);
    expect(arrived()).toEqual(['A1000', 'B1000', 'b1000', 'c1000']);
    expect(failed).toEqual([2, 3].map(() => [phoneAt(0), undefined, 'uncertain']));
  });

  test('is not taken for another text to the same number that is at its place now', async () => {
    const parameters = inBatchesOf(2, withOptions(SEND_LIST, { longMessages: 'split', parallelRequests: 1 }));
    const list = [{ phone: phoneAt(0), message: lettersOf(1000, 1000) }, ...listOf(1)];
    const setup = setupOf({ items: [{ list }], parameters });
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const added = { phone: phoneAt(0), message: 'z' };
    const messages = `={{ [${JSON.stringify(added)}, ...$json.list] }}`;
    await retryExecution(await runWorkflow(setup), setup, { ...setup, parameters: { ...parameters, messages } });
    expect(arrived()).toEqual(['a1000', 'b1000', 'z1', 'H7']);
  });

  test('is not sent again in parts if it was sent as one', async () => {
    const items = contacts(2).map((contact, index) => ({ ...contact, text: `${index}` }));
    const setup = setupOf({ items, parameters: split });
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const message = `={{ $json.text + ${JSON.stringify(lettersOf(999, 999))} }}`;
    const longer = { ...setup, parameters: { ...split, message }, onError: 'continueErrorOutput' as const };
    const { outputs } = await retryExecution(await runWorkflow(setup), setup, longer);
    expect(arrived()).toEqual(['01', '11000', 'b999']);
    expect(outputs.map((own) => own.map(outcomeOf))).toEqual([Array(2).fill('sent'), Array(2).fill('uncertain')]);
  });
});

test('A retry with One Item per Request returns the answers of the earlier attempt again', async () => {
  const setup = setupOf({
    items: contacts(6),
    parameters: inBatchesOf(2, withOptions(SEND_BULK, { output: 'batches', parallelRequests: 1 })),
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

describe('A node that runs more than once in an execution', () => {
  test.each(SENDING_ONE_BY_ONE)('sends the same items in each run with %s', async (_name, parameters) => {
    const { run } = await runWorkflow(
      setupOf({ items: contacts(2), moreItems: [contacts(2), contacts(2)], parameters }),
    );
    expect(run.data.resultData.runData.Send).toHaveLength(3);
    expect(receivedPhones(sandbox())).toHaveLength(6);
    expect(run.data.executionData?.contextData['node:Send']).toEqual({});
  });

  test.each(SENDING_ONE_BY_ONE)(
    'continues a failed run of %s where it stopped, and repeats no run before it',
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
      expect(receivedPhones(sandbox()).sort()).toEqual([0, 0, 1, 1, 2, 3].map(phoneAt));
      expect(again.run.data.executionData?.contextData['node:Send']).toEqual({});
    },
  );

  test('sends an uncertain message of one run in the next, with On Error set to Continue', async () => {
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
    expect(receivedPhones(sandbox())).toHaveLength(1);
  });
});

describe('The delivery record', () => {
  const MANY = 10_000;
  const kept = (data: IRunExecutionData) => stringify(data.executionData?.contextData['node:Send']);

  test('is under 1 MB for 10,000 messages, without key, phone numbers or texts', async () => {
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

  test('is under 1 MB for 10,000 messages that are sent one by one', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: MANY - 1 }]);
    const { run } = await runWorkflow(
      setupOf({ items: contacts(MANY), parameters: SEND, onError: 'continueErrorOutput' }),
    );
    const text = kept(run.data);
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/4477009\d{5}|Hello/);
  }, 60_000);

  test('is empty after a run without failures', async () => {
    for (const [, parameters] of SENDING_ONE_BY_ONE) {
      const { run } = await runWorkflow(setupOf({ items: contacts(3), parameters }));
      expect(run.data.executionData?.contextData['node:Send'] ?? {}).toEqual({});
    }
  });
});

describe('The Stop button', () => {
  /** The messages of the requests after the first are sent, but these requests end only with Stop. */
  const noAnswer = { kind: 'silence', handled: true, after: 1, times: 9 } as const;

  test.each([STOP, ERROR_OUTPUT])(
    'ends a wait for the limit immediately and starts no further request, with On Error set to %s',
    async (_name, onError) => {
      const parameters = withOptions(SEND, { requestsPerMinute: 2 });
      const { ended, stop } = await startWorkflow({
        account: spentAccount(onError === 'stopWorkflow' ? 0 : 1),
        items: contacts(10),
        parameters,
        onError,
      });
      await until(() => sandbox().messages().length === 2);
      await someTurns();
      stop();
      const ran = await ended;
      await someTurns();
      expect(sandbox().requests()).toHaveLength(2);
      expect(recordLines(keptIn(ran))).toHaveLength(2);
    },
  );

  test('ends a wait after a 429 immediately', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 60, times: 9 }]);
    const { ended, stop } = await startWorkflow({
      account: spentAccount(2),
      items: contacts(3),
      parameters: withOptions(SEND_BULK, { longestWait: 5 }),
    });
    await until(() => sandbox().requests().length === 1);
    await someTurns();
    stop();
    await ended;
    expect(sandbox().requests()).toHaveLength(1);
  });

  test('makes messages in flight uncertain, and a retry sends only what was not attempted', async () => {
    sandbox().setFaults([noAnswer]);
    const setup = setupOf({
      items: contacts(6),
      parameters: inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1 })),
    });
    const { ended, stop } = await startWorkflow(setup);
    await until(() => sandbox().messages().length === 4);
    stop();
    const ran = await ended;
    expect(receivedPhones(sandbox())).toHaveLength(4);
    sandbox().setFaults([]);
    const again = await retryExecution(ran, setup);
    expect(again.error).toMatchObject({
      message: 'The run was stopped while the request was in flight',
      context: { itemIndex: 2 },
    });
    expect(again.error?.description).toContain('Affected items (counted from 0): 2, 3.');
    sentOnce(6);
  });

  test('makes n8n store messages in flight as uncertain when it is pressed', async () => {
    sandbox().setFaults([noAnswer]);
    const kept: Array<IDataObject | undefined> = [];
    const setup = setupOf({
      items: contacts(6),
      parameters: inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1 })),
      onStore: (data) => kept.push(data.executionData?.contextData['node:Send']),
    });
    const { ended, stop } = await startWorkflow(setup);
    await until(() => sandbox().messages().length === 4);
    stop();
    await ended;
    const lines = recordLines(kept[0] ?? {});
    expect(lines.flatMap(({ sent }) => sent)).toEqual(['0', '1']);
    expect(lines.flatMap(({ uncertain }) => uncertain)).toEqual(['2', '3']);
  });

  test('prevents further attempts with Retry On Fail', async () => {
    sandbox().setFaults([noAnswer]);
    const { ended, stop } = await startWorkflow(
      setupOf({ items: contacts(6), parameters: oneByOne(SEND), retryOnFail: { maxTries: 3 } }),
    );
    await until(() => sandbox().messages().length === 2);
    stop();
    await ended;
    await someTurns();
    expect(receivedPhones(sandbox())).toHaveLength(2);
  });

  test('passes no item on as sent while the credits are checked', async () => {
    sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 60, times: 9 }]);
    const parameters = withOptions(SEND, { checkCreditsFirst: true, longestWait: 5 });
    const { ended, stop } = await startWorkflow({
      account: spentAccount(3),
      items: contacts(3),
      parameters,
      onError: 'continueErrorOutput',
    });
    await until(() => sandbox().requests().length === 1);
    await someTurns();
    stop();
    const { outputs } = await ended;
    expect(outputs[0] ?? []).toEqual([]);
  });
});

test('Stored data is read back unchanged', () => {
  const data = {
    resultData: { runData: {} },
    executionData: { contextData: { 'node:Send': { deliveries: { 0: ['a'] } } } },
  };
  expect(stored(data as unknown as IRunExecutionData)).toEqual(data);
});
