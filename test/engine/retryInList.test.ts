/** Retry in the list of executions: what is sent after a failure. */
import type { IDataObject } from 'n8n-workflow';

import { contacts, listOf, phoneAt } from '../support/contacts';
import { keptIn, retryExecution, runWorkflow, type Setup } from '../support/engine/workflow';
import { inBatchesOf, oneByOne, SEND_BULK, SEND_LIST, SENDING_ONE_BY_ONE, withOptions } from '../support/parameters';
import { accountOf, receivedContacts, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();

const setupOf = (setup: Omit<Setup, 'account'>): Setup => ({ account: accountOf(sandbox()), ...setup });
const sentOnce = (count: number) =>
  expect(receivedContacts(sandbox()).sort((one, other) => one.phone.localeCompare(other.phone))).toEqual(
    contacts(count),
  );

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
});
