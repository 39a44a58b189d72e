/** 'Send Once, Across Executions' after n8n was killed. */
import type { INodeParameters } from 'n8n-workflow';

import { KEY } from '../support/account';
import { contacts } from '../support/contacts';
import { arrivals, Campaign, outcomes } from '../support/engine/campaign';
import { inFlight } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Setup } from '../support/engine/workflow';
import { inBatchesOf, SEND, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';
import { once, outcomesOf, phones, sendOnceIn } from '../support/sendOnce';

const NEW_KEY = 'made-up-new-key-1234567890';
const sandbox = sandboxForTests({ keys: [KEY, NEW_KEY] });
beforeEach(() => processedData.reset());
const { setupOf, run, received } = sendOnceIn(sandbox);

test('After a kill, a new execution sends what was not begun, and only what was in flight is uncertain', async () => {
  const campaign = new Campaign(sandbox(), setupOf(contacts(5), once(SEND, { parallelRequests: 1 })));
  await campaign.run(inFlight(3));
  const second = await run(contacts(5), once(SEND));
  expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'uncertain', 'sent', 'sent']);
  expect(received()).toEqual(phones(0, 1, 2, 3, 4));
});

const SLOWLY = { parallelRequests: 1 };
const oneByOne = once(SEND, SLOWLY);
/** What differs between the two attempts; the first one's workflow, and the Retry's if it is another. */
const CHANGES: Array<[string, INodeParameters, Partial<Setup> | null]> = [
  ['unchanged texts', oneByOne, null],
  ['the time in its texts', { ...oneByOne, message: '={{ $json.text + $now.toMillis() }}' }, null],
  ['the ID of the execution in its texts', { ...oneByOne, message: '={{ $json.text + $execution.id }}' }, null],
  ['a new API key', oneByOne, { account: { baseUrl: '', apiKey: NEW_KEY } }],
  ['corrected texts', oneByOne, { parameters: { ...oneByOne, message: '=Corrected: {{ $json.text }}' } }],
  ['an added Message Key', oneByOne, { parameters: once(SEND, { ...SLOWLY, messageKey: '={{ $json.phone }}' }) }],
];

test.each(CHANGES)(
  'A Retry after a kill sends only what was not begun, with %s',
  async (_what, parameters, changes) => {
    for (const eventLog of ['kept', 'gone'] as const) {
      sandbox().reset();
      processedData.reset();
      const campaign = new Campaign(sandbox(), setupOf(contacts(5), parameters));
      await campaign.run({ ...inFlight(3), eventLog });
      const account = { ...accountOf(sandbox()), apiKey: changes?.account?.apiKey ?? KEY };
      const fates = await campaign.finish(changes === null ? undefined : { ...changes, account });
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
      expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
    }
  },
);

test("A Retry after a kill recognizes a list longer than 'Remember the Last'", async () => {
  const parameters = inBatchesOf(10, once(SEND_BULK, { parallelRequests: 1, rememberLast: 50 }));
  await run(contacts(301).slice(300), parameters);
  // The next run that ends shortens the list.
  processedData.fill(Array.from({ length: 12_000 }, (_, index) => `other ${index}`));
  const campaign = new Campaign(sandbox(), setupOf(contacts(300), parameters));
  await campaign.run(inFlight(20));
  await run(contacts(302).slice(301), parameters);
  const fates = await campaign.finish();
  expect(fates.filter(({ outcome }) => outcome === 'uncertain')).toHaveLength(10);
  expect(fates.filter(({ outcome }) => outcome === 'sent')).toHaveLength(290);
  expect(fates.filter(({ arrivals }) => arrivals !== 1)).toEqual([]);
});

test.each([
  ['switched on', withOptions(SEND, SLOWLY), oneByOne],
  ['switched off', oneByOne, withOptions(SEND, SLOWLY)],
])('After a kill, a Retry with the option %s sends nothing twice', async (_how, before, after) => {
  const campaign = new Campaign(sandbox(), setupOf(contacts(5), before));
  await campaign.run({ ...inFlight(3), eventLog: 'gone' });
  const fates = await campaign.finish({ parameters: after });
  expect(arrivals(fates).filter((arrivals) => arrivals > 1)).toEqual([]);
  const notArrived = fates.filter(({ arrivals }) => arrivals === 0).map(({ outcome }) => outcome);
  expect(notArrived.filter((outcome) => outcome !== 'uncertain')).toEqual([]);
});
