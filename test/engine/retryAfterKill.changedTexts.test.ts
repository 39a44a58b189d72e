/** Retries after a kill whose texts are other ones than before. */
import type { INodeParameters } from 'n8n-workflow';

import { contacts, listOf } from '../support/contacts';
import { arrivals, Campaign, outcomes } from '../support/engine/campaign';
import { inFlight } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Setup } from '../support/engine/workflow';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, SEND_LIST } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const items = (count: number) => ({ items: contacts(count) });
const list = (count: number) => ({ items: [{ list: listOf(count) }] });

type Kind = [string, { parameters: INodeParameters; of: (count: number) => Pick<Setup, 'items'> }];

/** With one message in each request. */
const SINGLES: Kind[] = [
  ['Send', { parameters: oneByOne(SEND), of: items }],
  ['Send Bulk', { parameters: inBatchesOf(1, oneByOne(SEND_BULK)), of: items }],
  ['Send Bulk from a JSON List', { parameters: inBatchesOf(1, oneByOne(SEND_LIST)), of: list }],
];
const start = (setup: Omit<Setup, 'account' | 'mode'>) =>
  new Campaign(sandbox(), { account: accountOf(sandbox()), mode: 'trigger', ...setup });

test.each(SINGLES)('what %s sends with the time in its texts is recognized', async (_name, { parameters, of }) => {
  const timed =
    parameters.source === 'json'
      ? { messages: '={{ $json.list.map((one) => ({ ...one, message: one.message + $now.toMillis() })) }}' }
      : { message: '={{ $json.text + $now.toMillis() }}' };
  const campaign = start({ parameters: { ...parameters, ...timed }, ...of(4) });
  await campaign.run(inFlight(2));
  const fates = await campaign.finish();
  expect(outcomes(fates)).toEqual(['sent', 'uncertain', 'sent', 'sent']);
  expect(arrivals(fates)).toEqual([1, 1, 1, 1]);
});
