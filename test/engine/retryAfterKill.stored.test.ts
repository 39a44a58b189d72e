/** What a run leaves in n8n's database for a Retry. */
import type { INodeParameters } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts, listOf, phoneAt } from '../support/contacts';
import { Campaign } from '../support/engine/campaign';
import { inFlight, killedAtNth } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Setup } from '../support/engine/workflow';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const oneByOne = (parameters: INodeParameters) => inBatchesOf(1, withOptions(parameters, { parallelRequests: 1 }));
const start = (setup: Omit<Setup, 'account'>) =>
  new Campaign(sandbox(), { account: accountOf(sandbox()), mode: 'trigger', ...setup });

const KINDS: Array<[string, INodeParameters, Setup['items']]> = [
  ['Send', oneByOne(SEND), contacts(12)],
  ['Send Bulk', inBatchesOf(2, SEND_BULK), contacts(12)],
  ['Send Bulk from a JSON List', inBatchesOf(2, SEND_LIST), [{ list: listOf(12) }]],
];

describe.each(KINDS)("What %s leaves in n8n's database", (_name, parameters, items) => {
  test('contains no phone number, text or key, nor a hash of one', async () => {
    const campaign = start({ parameters, items });
    await campaign.run(inFlight(3));
    await campaign.finish();
    const values = processedData.calls.flatMap((call) => call.values.map(String));
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      expect(value).toMatch(/^[A-Za-z0-9+/]{16}\??$/);
      expect(value).not.toContain(KEY);
    }
    // The same campaign in another workflow would have other values, so no list of numbers gives them away.
    expect(new Set(values).size).toBeGreaterThan(1);
  });

  test('is a handful of entries after an execution in which all was sent', async () => {
    await start({ parameters, items }).finish();
    expect(processedData.entries.length).toBeGreaterThan(0);
    expect(processedData.entries.length).toBeLessThanOrEqual(8);
  });

  test('does not grow with its messages once a killed execution was retried', async () => {
    const campaign = start({ parameters, items, onError: 'continueRegularOutput' });
    await campaign.run({ lifetime: killedAtNth('leaving', 1) });
    await campaign.finish();
    expect(processedData.entries.length).toBeLessThanOrEqual(40);
  });

  test('is nothing after a manual execution', async () => {
    await start({ parameters, items, mode: 'manual' }).run();
    expect(receivedPhones(sandbox())).toHaveLength(12);
    expect(processedData.calls).toEqual([]);
  });
});

test('What is left of killed executions can not grow for ever: a run that ends alone shortens the list', async () => {
  const campaign = () => start({ parameters: oneByOne(SEND), items: contacts(3) });
  await campaign().finish();
  processedData.fill(Array.from({ length: 10_900 }, (_, index) => `other ${index}`));
  await campaign().finish();
  expect(processedData.entries.length).toBeGreaterThan(10_900);
  processedData.fill(Array.from({ length: 200 }, (_, index) => `further ${index}`));
  await campaign().finish();
  expect(processedData.entries).toHaveLength(10_000);
});

test('A single message is sent without a word to the storage', async () => {
  await start({ parameters: SEND, items: contacts(1) }).finish();
  expect(receivedPhones(sandbox())).toEqual([phoneAt(0)]);
  expect(processedData.calls).toEqual([]);
});
