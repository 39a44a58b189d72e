/** Retries after a kill whose texts are other ones than before. */
import type { INodeParameters } from 'n8n-workflow';

import { contacts, listOf, phoneAt } from '../support/contacts';
import { arrivals, Campaign, outcomes } from '../support/engine/campaign';
import { inFlight } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Setup } from '../support/engine/workflow';
import { outcomeOf } from '../support/outputs';
import {
  inBatchesOf,
  oneByOne,
  SEND,
  SEND_BULK,
  SEND_LIST,
  SENDING_OPERATIONS,
  withOptions,
} from '../support/parameters';
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

test.each(SINGLES)('What %s sends with the time in its texts is recognized', async (_name, { parameters, of }) => {
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

describe.each([
  ['', {}],
  [', with a Message Key', { messageKey: '={{ $json.order }}' }],
])('Two messages to each person that a Retry after a kill gets in the other order%s', (_key, options) => {
  const people = [0, 1, 2, 3, 4];
  const order = (...texts: string[]) =>
    people.flatMap((person) => texts.map((text) => ({ phone: phoneAt(person), text, order: `${person} ${text}` })));

  test.each(SENDING_OPERATIONS)('are neither sent twice nor lost by %s', async (_name, given) => {
    const parameters = inBatchesOf(1, withOptions(given, { ...options, parallelRequests: 1 }));
    const campaign = start({ parameters, items: order('first', 'second'), onError: 'continueRegularOutput' });
    await campaign.run(inFlight(4));
    const changed = order('second', 'first');
    await campaign.run({ changes: { items: changed } });
    const [reported = []] = campaign.execution.outputs;
    // Of the first two people, nobody knows which of their messages was sent.
    expect(reported.map(outcomeOf)).toEqual([...Array<string>(4).fill('uncertain'), ...Array<string>(6).fill('sent')]);
    const times = changed.map(
      ({ phone, text }) =>
        sandbox()
          .messages()
          .filter((message) => message.phone === phone && message.message === text).length,
    );
    expect(times).toEqual(Array(10).fill(1));
  });
});
