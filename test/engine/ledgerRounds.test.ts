/** What a run leaves for the next runs of the node in the same execution, as in a loop. */
import { contacts } from '../support/contacts';
import { Campaign } from '../support/engine/campaign';
import { countOf, killedAtNth } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import { SEND, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

test('An iteration that could not be noted is not sent again by a Retry that begins with the first one', async () => {
  const campaign = new Campaign(sandbox(), {
    account: accountOf(sandbox()),
    mode: 'trigger',
    parameters: withOptions(SEND, { parallelRequests: 1 }),
    items: contacts(6),
    loopOver: 2,
  });
  const lifetime = killedAtNth('left', 5);
  // From the loop's second iteration until the node has ended in it; three nodes end before.
  processedData.set({ refuses: () => countOf(lifetime.moments, 'ended') === 4 });
  await campaign.run({ lifetime });
  const fates = await campaign.finish();
  expect(fates.map(({ arrivals }) => arrivals)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(fates.map(({ outcome }) => outcome).filter((outcome) => outcome === 'not_sent')).toEqual([]);
});
