/** Retry in the list of executions: what is sent after a failure, and what n8n stores for it. */
import { stringify } from 'flatted';
import type { IDataObject } from 'n8n-workflow';

import { inFlight } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { KEY } from '../support/account';
import { contacts, listOf, phoneAt, phones } from '../support/contacts';
import { arrivals, type Campaign, outcomes } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import { keptIn } from '../support/engine/workflow';
import {
  inBatchesOf,
  oneByOne,
  SEND_BULK,
  SEND_LIST,
  SENDING_ONE_BY_ONE,
  SENDING_OPERATIONS,
  withOptions,
} from '../support/parameters';

const { sandbox, setupOf, run, retry, campaign, received, contactsReceived } = nodeForTests();
const refuseAfter = (after: number) => sandbox().setFaults([{ kind: 'status', status: 403, after }]);

describe.each(SENDING_ONE_BY_ONE)('A retried execution of %s', (_name, parameters) => {
  const failed = async () => {
    const setup = setupOf({ items: contacts(6), parameters });
    refuseAfter(2);
    const ran = await run(setup);
    expect(ran.error).toBeDefined();
    const before = received();
    expect(before.length).toBeGreaterThan(0);
    return { setup, ran, before };
  };

  test('sends only what was not sent, with the original workflow', async () => {
    const { ran, setup } = await failed();
    const again = await retry(ran, setup);
    expect(again.error).toBeUndefined();
    expect(again.outputs[0]?.map(({ json, pairedItem }) => [json.phone, pairedItem])).toEqual(
      contacts(6).map(({ phone }, item) => [phone, { item }]),
    );
    expect(contactsReceived()).toEqual(contacts(6));
  });

  test('sends a changed text if the message was not sent, and no other, with the workflow as it is now', async () => {
    const { ran, setup, before } = await failed();
    const message = '=Corrected: {{ $json.text }}';
    const { error, outputs } = await retry(ran, setup, { parameters: { ...parameters, message } });
    expect(error).toBeUndefined();
    expect(outputs[0]).toHaveLength(6);
    expect(contactsReceived()).toEqual(
      contacts(6).map(({ phone, text }) => ({ phone, text: before.includes(phone) ? text : `Corrected: ${text}` })),
    );
  });

  test('sends to a changed phone number, and to no other again, with the workflow as it is now', async () => {
    const { ran, setup } = await failed();
    const phone = `={{ $json.phone === "${phoneAt(1)}" ? "${phoneAt(99)}" : $json.phone }}`;
    const { outputs } = await retry(ran, setup, { parameters: { ...parameters, phone } });
    expect(outputs[0]?.[1]?.json.phone).toBe(phoneAt(99));
    expect(contactsReceived()).toEqual([...contacts(6), { phone: phoneAt(99), text: 'Hello 1' }]);
  });
});

test('A retry sends only the entries of a list that were not sent', async () => {
  const list = listOf(6);
  const items = [{ list: list.slice(0, 3) }, { list: list.slice(3) }];
  const setup = setupOf({ items, parameters: oneByOne(inBatchesOf(2, SEND_LIST)) });
  refuseAfter(1);
  const ran = await run(setup);
  expect(received()).toHaveLength(2);
  const { outputs } = await retry(ran, setup);
  expect(outputs[0]?.map(({ json, pairedItem }) => [json.phone, pairedItem])).toEqual(
    list.map(({ phone }, index) => [phone, { item: index < 3 ? 0 : 1 }]),
  );
  expect(contactsReceived()).toEqual(contacts(6));
});

describe.each(SENDING_ONE_BY_ONE)('%s that runs more than once in an execution', (_name, parameters) => {
  test('sends the same items in each run', async () => {
    const ran = await run({ items: contacts(2), moreItems: [contacts(2), contacts(2)], parameters });
    expect(ran.run.data.resultData.runData.Send).toHaveLength(3);
    expect(received()).toHaveLength(6);
    expect(keptIn(ran)).toEqual({});
  });

  test('continues a failed run where it stopped, and repeats no run before it', async () => {
    const setup = setupOf({ items: contacts(2), moreItems: [contacts(4)], parameters, onError: 'stopWorkflow' });
    refuseAfter(parameters.operation === 'send' ? 3 : 2);
    const ran = await run(setup);
    expect(ran.run.data.resultData.runData.Send).toHaveLength(2);
    expect(Object.keys(keptIn(ran).deliveries as IDataObject)).toEqual(['1']);
    const again = await retry(ran, setup);
    expect(again.error).toBeUndefined();
    expect(again.run.data.resultData.runData.Send).toHaveLength(2);
    expect(received().sort()).toEqual(phones(0, 0, 1, 1, 2, 3));
    expect(keptIn(again)).toEqual({});
  });
});

describe.each(SENDING_OPERATIONS)('A Retry of an older execution of %s', (_name, given) => {
  const parameters = inBatchesOf(1, oneByOne(given));
  const start = () => campaign({ items: contacts(5), parameters });

  test.each([
    ['ended for want of credits', async (older: Campaign) => await older.run()],
    ['was killed', async (older: Campaign) => await older.run(inFlight(2))],
  ])('that %s sends nothing after a Retry of its Retry has sent the rest', async (_how, begin) => {
    const retried = start();
    sandbox().setCredits(2);
    await begin(retried);
    const oldest = retried.execution;
    sandbox().setCredits(1);
    await retried.run();
    expect(received()).toHaveLength(3);
    sandbox().setCredits(1000);
    await retried.run();
    expect(received()).toHaveLength(5);
    await retried.run({ earlier: oldest });
    expect(received()).toHaveLength(5);
  });
});

describe.each(SENDING_OPERATIONS)('A dry run of %s in a Retry', (_name, given) => {
  const parameters = inBatchesOf(1, oneByOne(given));
  const dry = { parameters: withOptions(given, { dryRun: true }) };
  const killed = async () => {
    const begun = campaign({ items: contacts(4), parameters });
    await begun.run(inFlight(2));
    return begun;
  };
  const stopped = async () => {
    refuseAfter(2);
    const begun = campaign({ items: contacts(4), parameters, mode: 'manual' });
    await begun.run();
    return begun;
  };

  test.each([
    ['where n8n was killed', killed, 'uncertain'],
    ['where the execution stopped', stopped, 'sent'],
  ])('ends with an error that says so, and the next Retry goes on %s', async (_where, fail, second) => {
    const failed = await fail();
    const [kept, stored] = [keptIn(failed.execution), processedData.entries];
    await failed.run({ changes: dry });
    expect(failed.execution.error?.message).toContain("'Dry Run' can't be used in a retry");
    expect(keptIn(failed.execution)).toEqual(kept);
    expect(processedData.entries).toEqual(stored);
    expect(received()).toHaveLength(2);
    const fates = await failed.finish({ parameters });
    expect(outcomes(fates)).toEqual(['sent', second, 'sent', 'sent']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1]);
  });
});

test('n8n stores less than 1 MB for a Retry of 10,000 messages in batches, some of them uncertain, without key, phone numbers or texts', async () => {
  sandbox().setFaults([
    { kind: 'reset-after', after: 90, times: 5 },
    { kind: 'status', status: 401, after: 99 },
  ]);
  const parameters = withOptions(SEND_BULK, { uncertain: 'sendAgain' });
  const ran = await run({ items: contacts(10_000), parameters, onError: 'continueErrorOutput' });
  expect(ran.error).toBeUndefined();
  const text = stringify(keptIn(ran));
  expect(text.length).toBeGreaterThan(100_000);
  expect(text.length).toBeLessThan(1_000_000);
  expect(text).not.toContain(KEY);
  expect(text).not.toMatch(/4477009\d{5}|Hello/);
});
