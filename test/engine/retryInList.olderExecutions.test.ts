/** Retries of an execution that newer Retries have continued. */
import { contacts, phoneAt } from '../support/contacts';
import { Campaign } from '../support/engine/campaign';
import { killedAtNth } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import { inBatchesOf, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

describe.each(SENDING_OPERATIONS)('%s', (_name, given) => {
  const parameters = inBatchesOf(1, withOptions(given, { parallelRequests: 1 }));
  const start = () =>
    new Campaign(sandbox(), { account: accountOf(sandbox()), mode: 'trigger', items: contacts(5), parameters });
  const received = () => receivedPhones(sandbox()).length;

  test.each([
    ['ended for want of credits', async (campaign: Campaign) => await campaign.run()],
    ['was killed', async (campaign: Campaign) => await campaign.run({ lifetime: killedAtNth('left', 2) })],
  ])(
    'An execution that %s is retried after a Retry of its Retry has sent the rest: nothing is sent',
    async (_how, run) => {
      const campaign = start();
      sandbox().setCredits(2);
      await run(campaign);
      const oldest = campaign.execution;
      sandbox().setCredits(1);
      await campaign.run();
      expect(received()).toBe(3);
      sandbox().setCredits(1000);
      await campaign.run();
      expect(received()).toBe(5);
      await campaign.run({ earlier: oldest });
      expect(received()).toBe(5);
    },
  );

  test('What was in flight stays uncertain for an older execution when a Retry with Send Again was refused', async () => {
    const campaign = start();
    await campaign.run({ lifetime: killedAtNth('left', 2) });
    const oldest = campaign.execution;
    sandbox().setFaults([{ kind: 'status', status: 403, phones: [phoneAt(1)], times: 99 }]);
    const sendAgain = inBatchesOf(1, withOptions(given, { parallelRequests: 1, uncertain: 'sendAgain' }));
    await campaign.run({ changes: { parameters: sendAgain, onError: 'continueRegularOutput' } });
    sandbox().setFaults([]);
    await campaign.run({ earlier: oldest });
    expect(receivedPhones(sandbox()).filter((phone) => phone === phoneAt(1))).toHaveLength(1);
    expect(received()).toBe(5);
  });
});
