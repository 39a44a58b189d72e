/** What a Retry does after n8n was killed in a campaign. `everyKill.test.ts` kills it at every moment. */
import type { INodeParameters } from 'n8n-workflow';

import { inFlight, killedAtNth } from '../../tools/engine/lifetime';
import { contacts, listOf, phoneAt, phones } from '../support/contacts';
import { arrivals, type Campaign, outcomes } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Setup } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import {
  inBatchesOf,
  oneByOne,
  SEND,
  SEND_BULK,
  SEND_LIST,
  SENDING_OPERATIONS,
  withOptions,
} from '../support/parameters';

const { sandbox, campaign: start, received } = nodeForTests();
const CONTINUE = 'continueRegularOutput';
const items = (count: number) => ({ items: contacts(count) });
const list = (count: number) => ({ items: [{ list: listOf(count) }] });
const once = (count: number) => Array<number>(count).fill(1);
const allSent = (count: number) => Array<string>(count).fill('sent');

type Kind = [string, { parameters: INodeParameters; of: (count: number) => Pick<Setup, 'items'> }];

/** With one message in each request. */
const SINGLES: Kind[] = [
  ['Send', { parameters: oneByOne(SEND), of: items }],
  ['Send Bulk', { parameters: inBatchesOf(1, oneByOne(SEND_BULK)), of: items }],
  ['Send Bulk from a JSON List', { parameters: inBatchesOf(1, oneByOne(SEND_LIST)), of: list }],
];

describe.each(SINGLES)('After n8n was killed in the third of five requests of %s,', (_name, { parameters, of }) => {
  const killed = async (changes: Partial<Setup> = {}, eventLog: 'kept' | 'gone' = 'kept') => {
    const campaign = start({ parameters, ...of(5), ...changes });
    await campaign.run({ ...inFlight(3), eventLog });
    return campaign;
  };
  const finish = async (campaign: Campaign) => {
    const fates = await campaign.finish();
    return { outcomes: outcomes(fates), arrivals: arrivals(fates) };
  };
  const ALL_BUT_THIRD = { outcomes: ['sent', 'sent', 'uncertain', 'sent', 'sent'], arrivals: once(5) };

  test.each(['kept', 'gone'] as const)(
    'a Retry reports the first two as sent and the third as uncertain, and sends the rest, with the event log %s',
    async (eventLog) => {
      const campaign = await killed({ onError: 'continueErrorOutput' }, eventLog);
      expect(await finish(campaign)).toEqual(ALL_BUT_THIRD);
      expect(campaign.fates().map(({ id }) => id)).toEqual([null, null, undefined, 1004, 1005]);
      const [uncertain] = campaign.execution.outputs[1] ?? [];
      expect(detailsOf(uncertain)).toMatchObject({ code: 'INTERRUPTED', phone: phoneAt(2) });
    },
  );

  test('a Retry with On Error: Stop sends the rest, and ends with an error about the third', async () => {
    const campaign = await killed();
    const { error } = await campaign.run();
    expect(error?.message).toContain(
      "n8n stopped during an earlier attempt, or another retry has run since, so this message's outcome is unknown",
    );
    expect(error?.context.itemIndex).toBe(parameters.source === 'json' ? 0 : 2);
    expect(received()).toEqual(contacts(5).map(({ phone }) => phone));
    expect(await finish(campaign)).toEqual(ALL_BUT_THIRD);
  });

  test('a Retry of a list that has grown since sends what had not begun, and what is new', async () => {
    const campaign = await killed();
    const fates = await campaign.finish(of(6));
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent', 'sent']);
    expect(received()).toHaveLength(6);
  });
});

test('A Retry after an earlier node failed, or after a kill before the first request, sends everything', async () => {
  const failed = start({ parameters: SEND, ...items(4), startFails: true });
  await failed.run();
  expect(failed.execution.error?.message).toContain('out of reach');
  expect(outcomes(await failed.finish({ startFails: false }))).toEqual(allSent(4));
  expect(received()).toHaveLength(4);
  const killed = start({ parameters: SEND, ...items(4) });
  await killed.run({ lifetime: killedAtNth('ended', 1) });
  expect(outcomes(await killed.finish())).toEqual(allSent(4));
  expect(received()).toHaveLength(8);
});

test('A message that was to be requested again when n8n was killed is uncertain: another process may be sending it', async () => {
  sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 1, after: 2, times: 1 }]);
  const campaign = start({ parameters: withOptions(SEND, { parallelRequests: 1, longestWait: 5 }), ...items(4) });
  await campaign.run({ lifetime: killedAtNth('leaving', 4) });
  expect(outcomes(await campaign.finish())).toEqual(['sent', 'sent', 'uncertain', 'sent']);
  expect(received()).toEqual(phones(0, 1, 3));
});

test.each([
  ['was refused, only that one is sent again', { times: 1 }, 'sent', 6],
  ['is refused each time, that one comes out as not sent', { probability: 1 }, 'not_sent', 5],
])('Of a bulk request of which one message %s, after a kill later in the run', async (_what, how, outcome, count) => {
  sandbox().setFaults([{ kind: 'unsent', phones: [phoneAt(1)], ...how }]);
  const campaign = start({ parameters: inBatchesOf(2, oneByOne(SEND_BULK)), ...items(6), onError: CONTINUE });
  await campaign.run(inFlight(3));
  expect(outcomes(await campaign.finish())).toEqual(['sent', outcome, 'sent', 'sent', 'uncertain', 'uncertain']);
  expect(new Set(received()).size).toBe(count);
  expect(received()).toHaveLength(count);
});

describe.each(SENDING_OPERATIONS)('%s with the same list every day', (_name, given) => {
  const startDay = () => start({ parameters: inBatchesOf(1, oneByOne(given)), ...items(8) });
  const allButFrom = (index: number) => contacts(8).map((_contact, place) => (place === index ? 'uncertain' : 'sent'));

  test("doesn't take an older execution's messages for its own, when both are killed and retried", async () => {
    const monday = startDay();
    await monday.run(inFlight(5));
    expect(received()).toHaveLength(5);
    sandbox().reset();
    const tuesday = startDay();
    await tuesday.run(inFlight(3));
    expect(outcomes(await tuesday.finish())).toEqual(allButFrom(2));
    expect(received()).toHaveLength(8);
    sandbox().reset();
    expect(outcomes(await monday.finish())).toEqual(allButFrom(4));
    expect(received().sort()).toEqual(phones(5, 6, 7));
  });
});
