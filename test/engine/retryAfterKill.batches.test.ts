/** What a Retry does with bulk requests that were answered, refused or in flight when n8n was killed. */
import type { Fault } from '../../sandbox/server';
import { contacts, phoneAt } from '../support/contacts';
import { arrivals, Campaign, outcomes } from '../support/engine/campaign';
import { inFlight, Lifetime } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Setup } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const items = (count: number) => ({ items: contacts(count) });
const start = (setup: Omit<Setup, 'account' | 'mode'>) =>
  new Campaign(sandbox(), { account: accountOf(sandbox()), mode: 'trigger', ...setup });

describe('In a bulk request', () => {
  const pairs = inBatchesOf(2, oneByOne(SEND_BULK));

  test('of which one message was refused, only that one is sent again after a kill later in the run', async () => {
    sandbox().setFaults([{ kind: 'unsent', phones: [phoneAt(1)], times: 1 }]);
    const campaign = start({ parameters: pairs, ...items(6), onError: 'continueRegularOutput' });
    await campaign.run(inFlight(3));
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'sent', 'sent', 'uncertain', 'uncertain']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('of which one message is refused each time, that one comes out as not sent after a kill', async () => {
    sandbox().setFaults([{ kind: 'unsent', phones: [phoneAt(1)], probability: 1 }]);
    const campaign = start({ parameters: pairs, ...items(6), onError: 'continueRegularOutput' });
    await campaign.run(inFlight(3));
    expect(outcomes(await campaign.finish())).toEqual(['sent', 'not_sent', 'sent', 'sent', 'uncertain', 'uncertain']);
    expect(receivedPhones(sandbox())).toHaveLength(5);
  });

  test('that is searched for the offender by halving when n8n is killed, nothing is lost or sent twice', async () => {
    const phones = [phoneAt(2)];
    const refusal: Fault = { kind: 'status', status: 422, detailsShape: 'none', phones, probability: 1 };
    const setup = {
      parameters: inBatchesOf(8, oneByOne(SEND_BULK)),
      ...items(16),
      onError: 'continueRegularOutput',
    } as const;
    sandbox().setFaults([refusal]);
    const whole = start(setup);
    const lifetime = new Lifetime();
    await whole.run({ lifetime });
    for (let request = 1; request <= lifetime.requests; request += 1) {
      sandbox().reset();
      sandbox().setFaults([refusal]);
      processedData.reset();
      const campaign = start(setup);
      await campaign.run(inFlight(request));
      const fates = await campaign.finish();
      expect(fates).toHaveLength(16);
      const wrong = fates.filter(({ outcome, arrivals: count }) => {
        if (outcome === 'uncertain') return count > 1;
        return count !== (outcome === 'sent' ? 1 : 0);
      });
      expect(wrong).toEqual([]);
      expect(fates.filter(({ outcome }) => outcome === 'not_sent').length).toBeLessThanOrEqual(1);
    }
  });
});

const LARGE = inBatchesOf(4, oneByOne(SEND_BULK));
test.each([
  ["fewer 'Items per Batch'", LARGE, inBatchesOf(2, oneByOne(SEND_BULK)), [4, 5, 6, 7]],
  ["more 'Items per Batch'", LARGE, inBatchesOf(9, oneByOne(SEND_BULK)), [4, 5, 6, 7]],
  ['Send Bulk in place of Send', oneByOne(SEND), oneByOne(SEND_BULK), [1]],
  ['Send in place of Send Bulk', LARGE, oneByOne(SEND), [4, 5, 6, 7]],
])('A Retry with %s leaves only what was in flight uncertain', async (_what, before, after, uncertain) => {
  const campaign = start({ parameters: before, ...items(12) });
  await campaign.run(inFlight(2));
  const fates = await campaign.finish({ parameters: after });
  const expected = contacts(12).map((_contact, index) => (uncertain.includes(index) ? 'uncertain' : 'sent'));
  expect(outcomes(fates)).toEqual(expected);
  expect(new Set(arrivals(fates))).toEqual(new Set([1]));
});

test('One Item per Request after a kill says which messages each request had, and their outcomes', async () => {
  const parameters = inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1, output: 'batches' }));
  const campaign = start({ parameters, ...items(6), onError: 'continueRegularOutput' });
  await campaign.run(inFlight(2));
  await campaign.run();
  const [sent, first, second, now] = campaign.execution.outputs[0] ?? [];
  expect(sent).toEqual({
    json: {
      messages_sent: 2,
      credits_used: null,
      credits_remaining: null,
      messages: [0, 1].map((index) => ({ message_id: null, phone: phoneAt(index), status: 'sent' })),
      batch: 1,
      note: expect.stringContaining('Sent before n8n stopped') as string,
    },
    pairedItem: [{ item: 0 }, { item: 1 }],
  });
  for (const [index, item] of [first, second].entries()) {
    expect(detailsOf(item)).toMatchObject({ outcome: 'uncertain', phone: phoneAt(2 + index), batch: 2 });
  }
  expect(now?.json).toMatchObject({ messages_sent: 2, batch: 3 });
});

test('A request that was refused for a limit when n8n was killed is sent by the Retry', async () => {
  sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 30, after: 2, times: 1 }]);
  const parameters = withOptions(SEND, { parallelRequests: 1, longestWait: 5 });
  const campaign = start({ parameters, ...items(4) });
  // It is noted as refused while the node waits for the next attempt.
  await campaign.run({ lifetime: killedAfterRefusal() });
  expect(outcomes(await campaign.finish())).toEqual(['sent', 'sent', 'sent', 'sent']);
  expect(receivedPhones(sandbox())).toHaveLength(4);
});

/** n8n is killed at the second storage change after the third request. */
function killedAfterRefusal(): Lifetime {
  return new Lifetime((moments) => {
    const third = moments.flatMap((moment, index) => (moment === 'left' ? [index] : []))[2];
    return third !== undefined && moments.slice(third).includes('written');
  });
}
